import { type TruncationOptions, wrapTool } from "../../tools/index.ts";

/** A tool of `runTools`, as far as it is looked into. */
interface RunnableTool {
  readonly function?: { readonly name?: string; readonly function?: unknown };
}

/** The tools of `runTools` with outputs that are truncated on arrival; none of them is changed. */
export function wrapRunnableTools<Tools>(tools: Tools, truncation: TruncationOptions): Tools {
  if (!Array.isArray(tools)) return tools;
  return tools.map((tool: RunnableTool) => wrapRunnable(tool, truncation)) as Tools;
}

function wrapRunnable<Tool extends RunnableTool>(tool: Tool, truncation: TruncationOptions): Tool {
  const called = tool.function;
  const run = called?.function;
  if (typeof run !== "function") return tool;
  const execute = (...args: unknown[]): unknown => Reflect.apply(run, called, args);
  const name = called?.name ?? run.name;
  const wrapped = wrapTool({ name, execute }, truncation);
  return { ...tool, function: { ...called, name, function: wrapped.execute } };
}
