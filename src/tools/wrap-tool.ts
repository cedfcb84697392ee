import { checkToolLimits } from "../core/truncate/index.ts";
import type { TruncationOptions } from "./truncate-and-archive.ts";
import { truncateError } from "./truncate-error.ts";
import { truncateValue } from "./truncate-value.ts";

/** How a tool is wrapped: what `context.truncation` is, and the tool's name. */
export interface WrapToolOptions extends TruncationOptions {
  /** Decides about limits and direction. @default the tool's own `name` */
  readonly toolName?: string;
}

type AnyFunction = (...args: unknown[]) => unknown;

/** Marks a function that truncates already, also one from another copy of this package. */
const WRAPPED = Symbol.for("longhaul.wrapped");

/**
 * A tool whose outputs are truncated on arrival (T15). The result has the same prototype and fields
 * as the tool, which is not changed; a tool without `execute` and `toModelOutput`, and one that is
 * wrapped already, comes back as it is. Nothing is done or read until the tool is called.
 *
 * A tool with `toModelOutput` (AI SDK) keeps the value of `execute` for its user interface, and
 * what the model gets is truncated; of any other tool the value of `execute` is. Errors that a
 * tool throws pass through, with a truncated message if it is longer than an output may be.
 * Throws `invalid-options` for limits that make no sense.
 */
export function wrapTool<Tool extends object>(tool: Tool, options: WrapToolOptions = {}): Tool {
  checkToolLimits(options.toolLimits);
  const isConverted = hasField(tool, "toModelOutput");
  const changed = {
    ...wrappedField("toModelOutput", { tool, options }),
    ...wrappedField("execute", { tool, options, isConverted }),
  };
  if (Object.keys(changed).length === 0) return tool;
  const fields = Object.getOwnPropertyDescriptors(tool);
  const prototype = Object.getPrototypeOf(tool) as object | null;
  return Object.create(prototype, { ...fields, ...changed }) as Tool;
}

/**
 * `wrapTool` for a set of tools by name or for a list of tools with a `name`; the result has the
 * same keys in the same order.
 */
export function wrapTools<Tools extends object>(
  tools: Tools,
  options: TruncationOptions = {},
): Tools {
  const wrapOne = (tool: unknown, toolName?: string): unknown =>
    typeof tool === "object" && tool !== null
      ? wrapTool(tool, { ...options, ...(toolName !== undefined && { toolName }) })
      : tool;
  if (Array.isArray(tools)) return tools.map((tool: unknown) => wrapOne(tool)) as unknown as Tools;
  const entries = Object.entries(tools).map(([name, tool]) => [name, wrapOne(tool, name)]);
  return Object.fromEntries(entries) as Tools;
}

interface Wrapping {
  readonly tool: object;
  readonly options: WrapToolOptions;
  /** Whether the tool turns what it returns into what the model gets by itself, later. */
  readonly isConverted?: boolean;
}

type Field = "execute" | "toModelOutput";

/** The descriptor of a field whose function truncates; none where there is nothing to wrap. */
function wrappedField(field: Field, wrapping: Wrapping): Record<string, PropertyDescriptor> {
  const { tool } = wrapping;
  const found = findDescriptor(tool, field);
  if (!hasField(tool, field) || found === undefined || isWrapped(found.value)) return {};
  const wrap = rememberLast((run: AnyFunction) => wrapped(run, field, wrapping));
  const descriptor: PropertyDescriptor =
    found.get === undefined
      ? { ...found, value: wrap(found.value as AnyFunction) }
      : { ...found, get: () => readWrapped(tool, field, wrap) };
  return { [field]: descriptor };
}

function wrapped(
  run: AnyFunction,
  field: Field,
  { tool, options, isConverted = false }: Wrapping,
): AnyFunction {
  if (isWrapped(run)) return run;
  const truncating = (...args: unknown[]): unknown => {
    const meta = { toolName: options.toolName ?? nameOf(tool), input: inputOf(field, args[0]) };
    const truncate = (value: unknown): unknown => truncateValue(value, meta, options);
    const passing = (value: unknown): unknown =>
      truncateValue(value, meta, withoutEffects(options));
    const truncations = {
      last: isConverted ? asItIs : truncate,
      passing: isConverted ? asItIs : passing,
      fail: (error: unknown) => failWith(truncateError(error, truncate)),
    };
    try {
      // The tool itself, not its copy: private fields exist only there.
      return truncateResult(Reflect.apply(run, tool, args), truncations);
    } catch (error) {
      return truncations.fail(error);
    }
  };
  return Object.defineProperties(truncating, {
    name: { value: run.name },
    length: { value: run.length },
    [WRAPPED]: { value: true },
  });
}

function asItIs(value: unknown): unknown {
  return value;
}

async function failWith(error: Promise<unknown>): Promise<never> {
  throw await error;
}

function withoutEffects({ toolLimits, toolKinds }: WrapToolOptions): TruncationOptions {
  return { ...(toolLimits && { toolLimits }), ...(toolKinds && { toolKinds }) };
}

/** `toModelOutput` gets the input as a field of its argument. */
function inputOf(field: string, argument: unknown): unknown {
  if (field === "execute") return argument;
  return (argument as { input?: unknown } | undefined)?.input;
}

interface Truncations {
  /** Archives what it cuts. */
  readonly last: (value: unknown) => unknown;
  /** For a state that the next one replaces: nothing is archived. */
  readonly passing: (value: unknown) => unknown;
  /** Rejects with what is left of an error. */
  readonly fail: (error: unknown) => Promise<never>;
}

/** A result that is there, will be there, or comes in several states. */
function truncateResult(result: unknown, truncations: Truncations): unknown {
  if (isPromise(result)) {
    // What is awaited like a promise may be none: its own `then` need not return anything.
    return Promise.resolve(result).then(
      (value) => truncateResult(value, truncations),
      truncations.fail,
    );
  }
  return isStates(result) ? truncateStates(result, truncations) : truncations.last(result);
}

/**
 * The states of an output that is still growing, each of them whole. Which one is the last is known
 * only at the end: it comes once more then, with where its original is.
 */
async function* truncateStates(
  states: AsyncIterable<unknown>,
  { last, passing, fail }: Truncations,
): AsyncGenerator {
  let latest: unknown;
  let isCut = false;
  try {
    for await (const state of states) {
      const truncated = await passing(state);
      latest = state;
      isCut = truncated !== state;
      yield truncated;
    }
  } catch (error) {
    await fail(error);
  }
  if (isCut) yield await last(latest);
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    "then" in value &&
    typeof value.then === "function"
  );
}

/** An iterable of states, as a generator makes it; a stream of bytes has its own way of reading. */
function isStates(value: unknown): value is AsyncIterable<unknown> {
  if (typeof value !== "object" || value === null || !(Symbol.asyncIterator in value)) return false;
  return !("getReader" in value) && !("pipe" in value);
}

function nameOf(tool: object): string {
  return "name" in tool && typeof tool.name === "string" ? tool.name : "";
}

/** Whether a function truncates what it returns already. */
export function isWrapped(run: unknown): boolean {
  return typeof run === "function" && WRAPPED in run;
}

/** Whether a tool has a function of this name; one behind a getter is not asked for. */
function hasField(tool: object, field: string): boolean {
  const found = findDescriptor(tool, field);
  return found !== undefined && (found.get !== undefined || typeof found.value === "function");
}

/** The field's descriptor, from the tool or from what it inherits. */
function findDescriptor(tool: object, field: string): PropertyDescriptor | undefined {
  for (let at: object | null = tool; at !== null; at = Object.getPrototypeOf(at) as object | null) {
    const found = Object.getOwnPropertyDescriptor(at, field);
    if (found !== undefined) return found;
  }
  return undefined;
}

function readWrapped(
  tool: object,
  field: string,
  wrap: (run: AnyFunction) => AnyFunction,
): unknown {
  const value: unknown = Reflect.get(tool, field);
  return typeof value === "function" ? wrap(value as AnyFunction) : value;
}

/** A getter that returns the same function must go on doing so. */
function rememberLast(wrap: (run: AnyFunction) => AnyFunction): (run: AnyFunction) => AnyFunction {
  let last: { run: AnyFunction; made: AnyFunction } | undefined;
  return (run) => {
    if (last?.run !== run) last = { run, made: wrap(run) };
    return last.made;
  };
}
