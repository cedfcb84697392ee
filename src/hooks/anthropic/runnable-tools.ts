import { truncateValue, type TruncationOptions } from "../../tools/index.ts";

type Run = (...args: unknown[]) => unknown;

/** Marks a function that truncates already, also one from another copy of this package. */
const WRAPPED = Symbol.for("longhaul.wrapped");

/** The tool runner's tools have a `run`; what it returns is a text or a list of content blocks. */
export function wrapRunnables<Tools extends readonly object[]>(
  tools: Tools,
  options: TruncationOptions,
): Tools {
  return tools.map((tool) => wrapRunnable(tool, options)) as unknown as Tools;
}

function wrapRunnable(tool: object, options: TruncationOptions): object {
  const { run, name = "" } = tool as { readonly run?: unknown; readonly name?: string };
  if (typeof run !== "function" || WRAPPED in run) return tool;
  const truncating = async (...args: unknown[]): Promise<unknown> => {
    const output = await Reflect.apply(run as Run, tool, args);
    return truncateValue(output, { toolName: name, input: args[0] }, options);
  };
  const fields = Object.getOwnPropertyDescriptors(tool);
  const wrapped = Object.assign(truncating, { [WRAPPED]: true });
  return Object.create(Object.getPrototypeOf(tool) as object | null, {
    ...fields,
    run: { value: wrapped, enumerable: true, configurable: true, writable: true },
  }) as object;
}
