import type { Archive } from "../../archive/archive.ts";
import { wrapTool } from "../../tools/wrap-tool.ts";
import type { TruncationOptions } from "../../tools/index.ts";
import { recallForms } from "../tools.ts";

/** A function tool of Chat Completions that `runTools` can run; also good as a definition only. */
export interface RunnableTool {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: Record<string, unknown>;
    readonly strict: true;
    readonly parse: (input: string) => object;
    readonly function: (input: object) => Promise<string>;
  };
}

/** A function tool of the Responses API, with what it does. */
export interface ResponsesTool {
  readonly type: "function";
  readonly name: string;
  readonly description: string;
  readonly parameters: Record<string, unknown>;
  readonly strict: true;
  /** Takes the arguments of a call, as the model wrote them. Never rejects. */
  readonly execute: (input: string) => Promise<string>;
}

/** The tools of `recallTools` for Chat Completions; they check their input themselves. */
export function chatRecall(archive: Archive): RunnableTool[] {
  return recallForms(archive).map(({ name, description, schema, execute }) => ({
    type: "function",
    function: {
      name,
      description,
      parameters: schema,
      strict: true,
      parse: parseInput,
      function: execute,
    },
  }));
}

/** The same for the Responses API. */
export function responsesRecall(archive: Archive): ResponsesTool[] {
  return recallForms(archive).map(({ name, description, schema, execute }) => ({
    type: "function",
    name,
    description,
    parameters: schema,
    strict: true,
    execute: (input) => execute(parseInput(input)),
  }));
}

/** Anything but JSON becomes an input that the tool itself complains about. */
function parseInput(input: string): object {
  try {
    const value: unknown = JSON.parse(input);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** The tools of `runTools` with outputs that are truncated on arrival; none of them is changed. */
export function wrapRunnables<Tools>(tools: Tools, truncation: TruncationOptions): Tools {
  if (!Array.isArray(tools)) return tools;
  return tools.map((tool: Partial<RunnableTool>) => wrapRunnable(tool, truncation)) as Tools;
}

function wrapRunnable(tool: Partial<RunnableTool>, truncation: TruncationOptions): object {
  const called = tool.function;
  const run: unknown = called?.function;
  if (typeof run !== "function") return tool;
  const name = called?.name ?? run.name;
  const execute = (...args: unknown[]): unknown => Reflect.apply(run, called, args);
  const wrapped = wrapTool({ name, execute }, truncation);
  return { ...tool, function: { ...called, name, function: wrapped.execute } };
}
