import { checkNames, type OptionNames } from "../core/options.ts";
import { fieldsOf } from "../core/text/json.ts";
import { checkToolLimits } from "../core/truncate/limits.ts";
import type { TruncationOptions } from "./truncate-and-archive.ts";
import { truncateValue } from "./truncate-value.ts";

/** Settings of a wrapped tool: `context.truncation`, and the tool's name. */
export interface WrapToolOptions extends TruncationOptions {
  /** Decides about limits and direction. @default the tool's own `name` */
  readonly toolName?: string;
}

type AnyFunction = (...args: unknown[]) => unknown;

/** Marks a function that truncates already, also one from another copy of this package. */
const WRAPPED = Symbol.for("longhaul.wrapped");

export function isWrapped(run: unknown): boolean {
  return typeof run === "function" && WRAPPED in run;
}

/**
 * A tool whose outputs are truncated on arrival (T15). The result has the same prototype and fields
 * as the tool, which is not changed; a tool without `execute` and `toModelOutput`, and one that is
 * wrapped already, comes back as it is. A tool that is made later is wrapped then: what a function
 * returns, or the `init` of an object.
 *
 * A tool with `toModelOutput` (AI SDK) keeps the value of `execute` for its user interface, and
 * what the model gets is truncated; of any other tool the value of `execute` is. Errors that a
 * tool throws pass through, with a truncated message if it is longer than an output may be.
 * Throws `invalid-options` for limits that make no sense.
 */
export function wrapTool<Tool extends object>(tool: Tool, options: WrapToolOptions = {}): Tool {
  checkToolLimits(options.toolLimits);
  if (typeof tool === "function") return wrapFactory(tool, options);
  const { execute, toModelOutput, init } = tool as Partial<Record<string, unknown>>;
  const isConverted = typeof toModelOutput === "function";
  const changed: PropertyDescriptorMap = {};
  const change = (name: string, run: unknown, wrapping: Omit<Wrapping, "options">): void => {
    if (typeof run !== "function" || isWrapped(run)) return;
    changed[name] = ownField(truncating(tool, run as AnyFunction, { options, ...wrapping }));
  };
  change("toModelOutput", toModelOutput, { inputOf: (given) => fieldsOf(given)["input"] });
  change("execute", execute, { inputOf: (given) => given, isKept: isConverted });
  if (typeof init === "function" && !isWrapped(init)) {
    const toolName = options.toolName ?? nameOf(tool);
    changed["init"] = ownField(wrapFactory(init.bind(tool) as object, { ...options, toolName }));
  }
  if (Object.keys(changed).length === 0) return tool;
  const prototype = Object.getPrototypeOf(tool) as object | null;
  const fields = { ...Object.getOwnPropertyDescriptors(tool), ...changed };
  return Object.create(prototype, fields) as Tool;
}

const TRUNCATION_OPTIONS: OptionNames<TruncationOptions> = {
  archive: true,
  toolLimits: true,
  toolKinds: true,
  recall: true,
  onTruncated: true,
};

/**
 * `wrapTool` for a set of tools by name or for a list of tools with a `name`; the result has the
 * same keys in the same order.
 * @example
 * import { createContext, wrapTools } from "longhaul";
 *
 * const context = createContext({ window: 200_000 });
 * const tools = wrapTools(
 *   { log: { execute: async () => "all is well\n".repeat(9_000) } },
 *   context.truncation,
 * );
 * console.log((await tools.log.execute()).length < 50_000); // true
 */
export function wrapTools<Tools extends object>(
  tools: Tools,
  options: TruncationOptions = {},
): Tools {
  checkNames(options, TRUNCATION_OPTIONS);
  const wrapOne = (tool: unknown, toolName?: string): unknown =>
    Object(tool) === tool ? wrapTool(tool as object, { ...options, toolName }) : tool;
  if (Array.isArray(tools)) return tools.map((tool: unknown) => wrapOne(tool)) as unknown as Tools;
  const entries = Object.entries(tools).map(([name, tool]) => [name, wrapOne(tool, name)]);
  return Object.fromEntries(entries) as Tools;
}

/**
 * A function that makes a tool, or a promise of one. Any other value that it returns stays as it
 * is.
 */
function wrapFactory<Factory extends object>(factory: Factory, options: WrapToolOptions): Factory {
  if (isWrapped(factory)) return factory;
  const wrapMade = (made: unknown): unknown => {
    if (typeof made !== "object" || made === null) return made;
    return made instanceof Promise ? made.then(wrapMade) : wrapTool(made, options);
  };
  return new Proxy(factory, {
    apply: (make, self, args) => wrapMade(Reflect.apply(make as AnyFunction, self, args)),
    has: (make, key) => key === WRAPPED || key in make,
  });
}

/** Tools that are made later often have an `id` instead. */
function nameOf(tool: object): string | undefined {
  const { name, id } = tool as Partial<Record<string, unknown>>;
  return [name, id].find((one) => typeof one === "string");
}

function ownField(value: unknown): PropertyDescriptor {
  return { value, enumerable: true, configurable: true, writable: true };
}

interface Wrapping {
  readonly options: WrapToolOptions;
  /** The input of a call, from the first argument. */
  readonly inputOf: (argument: unknown) => unknown;
  /** Values stay, because another function makes the model's text of them. */
  readonly isKept?: boolean;
}

function truncating(tool: object, run: AnyFunction, wrapping: Wrapping): AnyFunction {
  const { options, inputOf, isKept = false } = wrapping;
  const toolName = options.toolName ?? nameOf(tool) ?? "";
  // A state that the next one replaces is cut, but neither archived nor told.
  const quiet = { toolLimits: options.toolLimits, toolKinds: options.toolKinds };
  const wrapped = (...args: unknown[]): unknown => {
    const meta = { toolName, input: inputOf(args[0]) };
    const truncate = (value: unknown): unknown => truncateValue(value, meta, options);
    const ways: Ways = {
      last: (value) => (isKept ? value : truncate(value)),
      passing: (value) => (isKept ? value : truncateValue(value, meta, quiet)),
      fail: async (error) => {
        throw await truncateError(error, truncate);
      },
    };
    try {
      // The tool itself, not its copy: private fields exist only there.
      return truncateResult(Reflect.apply(run, tool, args), ways);
    } catch (error) {
      return ways.fail(error);
    }
  };
  return Object.defineProperties(wrapped, {
    name: { value: run.name },
    length: { value: run.length },
    [WRAPPED]: { value: true },
  });
}

interface Ways {
  readonly last: (value: unknown) => unknown;
  /** For a state of an output that is still growing. */
  readonly passing: (value: unknown) => unknown;
  readonly fail: (error: unknown) => Promise<never>;
}

/** A result that is there, will be there, or comes in several states. */
function truncateResult(result: unknown, ways: Ways): unknown {
  if (typeof result !== "object" || result === null) return ways.last(result);
  if ("then" in result && typeof result.then === "function") {
    // Not every `then` returns something to go on from.
    return Promise.resolve(result).then((value) => truncateResult(value, ways), ways.fail);
  }
  // A stream of bytes is an iterable too, and has its own way of reading.
  const isStates = Symbol.asyncIterator in result && !("getReader" in result || "pipe" in result);
  return isStates
    ? truncateStates(result as unknown as AsyncIterable<unknown>, ways)
    : ways.last(result);
}

/**
 * The states of an output that is still growing, each of them whole. The last one is known only at
 * the end: it comes once more then, with the place of its original.
 */
async function* truncateStates(states: AsyncIterable<unknown>, ways: Ways): AsyncGenerator {
  let latest: unknown;
  let isCut = false;
  try {
    for await (const state of states) {
      const truncated = await ways.passing(state);
      latest = state;
      isCut = truncated !== state;
      yield truncated;
    }
  } catch (error) {
    await ways.fail(error);
  }
  if (isCut) yield await ways.last(latest);
}

/**
 * T15 for what a tool throws: its message is what the model gets, or its `content` (`ToolError` of
 * Anthropic's SDK). The error itself where that fits; else one that inherits everything else.
 */
async function truncateError(
  error: unknown,
  truncate: (value: unknown) => unknown,
): Promise<unknown> {
  if (!(error instanceof Error)) return truncate(error);
  const { message, name, content } = error as Error & { readonly content?: unknown };
  const cut = await truncate(message);
  const shown = content === message ? cut : await truncate(content);
  if (cut === message && shown === content) return error;
  return Object.create(error, {
    message: ownField(cut),
    // The name of a `DOMException`, by which an abort is known, cannot be inherited.
    name: ownField(name),
    ...(content !== undefined && { content: ownField(shown) }),
  }) as unknown;
}
