import type { Archive } from "../../archive/archive.ts";
import { isWrapped, wrapTool } from "../../tools/wrap-tool.ts";
import type { TruncationOptions } from "../../tools/index.ts";
import { recallForms } from "../tools.ts";

/** A tool as the tool runner takes it. */
export interface RunnableTool {
  readonly type: "custom";
  readonly name: string;
  readonly description: string;
  readonly input_schema: { readonly type: "object"; readonly [field: string]: unknown };
  run(input: unknown): Promise<string>;
  parse(input: unknown): unknown;
}

export function runnableRecall(archive: Archive): RunnableTool[] {
  return recallForms(archive).map(({ name, description, schema, execute }) => ({
    type: "custom",
    name,
    description,
    input_schema: schema,
    run: execute,
    parse: (input) => input,
  }));
}

type Run = (...args: unknown[]) => unknown;

/** The tool runner's tools have a `run`; what it returns is a text or a list of content blocks. */
export function wrapRunnables<Tools extends readonly object[]>(
  tools: Tools,
  options: TruncationOptions,
): Tools {
  return tools.map((tool) => wrapRunnable(tool, options)) as unknown as Tools;
}

function wrapRunnable(tool: object, options: TruncationOptions): object {
  const { run, name = "" } = tool as { readonly run?: unknown; readonly name?: string };
  if (typeof run !== "function" || isWrapped(run)) return tool;
  const execute = (...args: unknown[]): unknown => Reflect.apply(run as Run, tool, args);
  const wrapped = wrapTool({ name, execute }, options).execute;
  const fields = Object.getOwnPropertyDescriptors(tool);
  return Object.create(Object.getPrototypeOf(tool) as object | null, {
    ...fields,
    run: { value: wrapped, enumerable: true, configurable: true, writable: true },
  }) as object;
}
