import type { Archive } from "../../archive/archive.ts";
import { wrapTool } from "../../tools/wrap-tool.ts";
import type { TruncationOptions } from "../../tools/index.ts";
import { fieldsOf } from "../../core/text/json.ts";
import { parseInput } from "../../dialects/wire.ts";
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
      parse: objectIn,
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
    execute: (input) => execute(objectIn(input)),
  }));
}

/** Anything but an object in JSON becomes an input that the tool itself complains about. */
function objectIn(input: string): object {
  return fieldsOf(parseInput(input));
}

/** A tool of `runTools` whose outputs are truncated on arrival; the given one is not changed. */
export function wrapRunnable(tool: Partial<RunnableTool>, truncation: TruncationOptions): object {
  const called = tool.function;
  const run: unknown = called?.function;
  if (typeof run !== "function") return tool;
  const name = called?.name ?? run.name;
  const execute = (...args: unknown[]): unknown => Reflect.apply(run, called, args);
  const wrapped = wrapTool({ name, execute }, truncation);
  return { ...tool, function: { ...called, name, function: wrapped.execute } };
}
