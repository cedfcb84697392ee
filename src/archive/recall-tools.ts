import { errorMessage } from "../core/error.ts";
import type { Archive } from "./archive.ts";
import type { RecalledImage } from "./recalled-media.ts";
import type { Range, RecallOptions } from "./recall.ts";
import type { SearchOptions } from "./search.ts";

/** A tool as the AI SDK has it; `inputSchema` is plain JSON Schema for everybody else. */
export interface RecallTool<Input> {
  readonly description: string;
  readonly inputSchema: ObjectSchema<Input>;
  /** The answer for the model. Never rejects: what went wrong is an answer too. */
  execute(input: Input): Promise<string>;
  /** The answer as the AI SDK gives it to the model: with the images that were recalled. Never rejects. */
  toModelOutput(given: RecallAnswer): Promise<RecallModelOutput>;
}

/** A call that was executed: what the model asked for, and the text it gets. */
export interface RecallAnswer {
  readonly input?: unknown;
  readonly output: unknown;
}

/** A tool's answer in the form of the AI SDK. */
export type RecallModelOutput =
  | { readonly type: "text"; readonly value: string }
  | {
      readonly type: "content";
      readonly value: (
        | { readonly type: "text"; readonly text: string }
        | { readonly type: "image-data"; readonly data: string; readonly mediaType: string }
      )[];
    };

/** A range that is not asked for is left out, null, `[]` or `[0, 0]`. */
export interface RecallInput {
  readonly handle: string;
  readonly lines?: Range | readonly [] | null;
  readonly bytes?: Range | readonly [] | null;
}

export interface SearchInput {
  readonly pattern: string;
  readonly regex?: boolean | null;
  readonly context?: number | null;
  /** 0: the default. */
  readonly limit?: number | null;
}

// No interface: only a type alias fits the sets of tools of SDKs, which are records.
// oxlint-disable-next-line typescript/consistent-type-definitions
export type RecallTools = {
  readonly recall: RecallTool<RecallInput>;
  readonly search_archive: RecallTool<SearchInput>;
};

/**
 * Tools with which an agent gets back what left its context: `recall` for a part of one original,
 * `search_archive` for everything that its conversation archived. Their answers are below the limits
 * of T15 and end with an element that keeps them from being truncated. Their schemas are good for
 * `strict: true`; what is optional in the input may be left out nevertheless. The code behind a tool
 * is loaded with its first call.
 * @example
 * import { memoryArchive, recallTools } from "longhaul";
 *
 * const archive = memoryArchive();
 * const { handle } = await archive.put("out", "one\ntwo\nthree\n");
 * const { recall } = recallTools(archive);
 * const answer = await recall.execute({ handle, lines: [2, 2] });
 * console.log(answer.split("\n")[0]); // two
 */
export function recallTools(archive: Archive): RecallTools {
  return { recall: recallTool(archive), search_archive: searchTool(archive) };
}

function recallTool(archive: Archive): RecallTool<RecallInput> {
  const inputSchema = objectSchema<RecallInput>(
    {
      handle: { type: "string", description: "As the context names it: out_0123456789abcdef" },
      lines: range("The first and the last line, from 1, e.g. [1, 200]; [] for the start"),
      bytes: range("Instead of lines: the first byte, from 0, and the end; else []"),
    },
    ["handle"],
  );
  const description =
    "Gets back an original that left this conversation: a truncated, pruned or compacted tool output or message. Give its handle exactly as the context names it, and the lines you need; search_archive finds them.";
  const answer = async (input: RecallInput): Promise<string> => {
    const [{ recalledText, recallRange }, { toldArchive }] = await Promise.all([
      import("./recall.ts"),
      import("./recalled-media.ts"),
    ]);
    return recalledText(await recallRange(toldArchive(archive), input.handle, rangesOf(input)));
  };
  return toolOf({ description, inputSchema }, answer, (input) => imagesOf(archive, input));
}

function toolOf<Input>(
  shown: Pick<RecallTool<Input>, "description" | "inputSchema">,
  answer: (input: Input) => Promise<string>,
  imagesFor?: (input: unknown) => Promise<readonly RecalledImage[]>,
): RecallTool<Input> {
  return {
    ...shown,
    async execute(input) {
      const { issues } = shown.inputSchema["~standard"].validate(input);
      if (issues !== undefined) return issues.map(({ message }) => message).join(" ");
      try {
        return await answer(input);
      } catch (error) {
        return errorMessage(error);
      }
    },
    async toModelOutput(given) {
      const images = (await imagesFor?.(given.input)) ?? [];
      const text = answerText(given);
      if (images.length === 0) return { type: "text", value: text };
      const pieces = images.map((image) => ({ type: "image-data", ...image }) as const);
      return { type: "content", value: [{ type: "text", text }, ...pieces] };
    },
  };
}

/** Mastra hands over the text alone. */
function answerText(given: RecallAnswer | string): string {
  const output = typeof given === "string" ? given : given.output;
  return typeof output === "string" ? output : JSON.stringify(output);
}

/**
 * The images that a call of `recall` gives beside its text, for SDKs whose tools can answer with
 * images; none for a call that asks for a part. Never rejects.
 */
export async function imagesOf(
  archive: Archive,
  input: unknown,
): Promise<readonly RecalledImage[]> {
  if (typeof input !== "object" || input === null) return [];
  const { handle, lines, bytes } = input as Partial<RecallInput>;
  if (typeof handle !== "string" || isAsked(lines) || isAsked(bytes)) return [];
  try {
    const { recalledImages } = await import("./recalled-media.ts");
    return await recalledImages(archive, handle);
  } catch {
    // The text of the answer says what went wrong.
    return [];
  }
}

const MOST = { context: 50, limit: 500 } as const;

function searchTool(archive: Archive): RecallTool<SearchInput> {
  const inputSchema = objectSchema<SearchInput>(
    {
      pattern: { type: "string", description: "A text, as it is; upper case matters" },
      regex: { type: "boolean", description: "The pattern is a regular expression (RE2)" },
      context: { type: "integer", description: `Lines around a hit, 0 to ${MOST.context}` },
      limit: { type: "integer", description: `The most hits, usually 50, up to ${MOST.limit}` },
    },
    ["pattern"],
  );
  const description =
    "Searches everything that left this conversation for a text, line by line, and answers as grep -n does, with the handle of each original.";
  return toolOf({ description, inputSchema }, async (input) => {
    const [{ searchArchive }, { searchText }, { toldArchive }] = await Promise.all([
      import("./search.ts"),
      import("./search-result.ts"),
      import("./recalled-media.ts"),
    ]);
    const told = toldArchive(archive);
    return searchText(await searchArchive(told, input.pattern, searchOptions(input)));
  });
}

function range(description: string): PropertySchema {
  return { type: "array", items: { type: "integer" }, description };
}

/** The part of an original that a call asks for. */
function rangesOf({
  lines,
  bytes,
}: Pick<RecallInput, "lines" | "bytes">): Pick<RecallOptions, "lines" | "bytes"> {
  return { lines: isAsked(lines) ? lines : undefined, bytes: isAsked(bytes) ? bytes : undefined };
}

/** Models fill in what they do not need with nothing. */
function isAsked(range: Range | readonly [] | null | undefined): range is Range {
  return range?.some((each) => each !== 0) === true;
}

/** Models ask for more than there can be. */
function searchOptions({ regex, context, limit }: SearchInput): SearchOptions {
  return {
    regex: regex === true,
    context: context == null ? undefined : Math.min(Math.max(context, 0), MOST.context),
    limit: limit == null || limit === 0 ? undefined : Math.min(Math.max(limit, 1), MOST.limit),
  };
}

/**
 * The JSON Schema of an object, which is a Standard Schema as well (standardschema.dev): libraries
 * that know it, the AI SDK among them, take it as it is; in JSON it is the JSON Schema alone.
 *
 * It keeps the rules of every provider's strict mode: all properties are required, there are no
 * others, and none has a limit (`maxItems`). None may be null either, because Gemini takes one type only: what an
 * optional property is when it is not needed stands in its description. `validate` asks for less: an
 * optional property may be left out, or null.
 */
interface ObjectSchema<Input> {
  readonly type: "object";
  readonly properties: Readonly<Record<string, PropertySchema>>;
  readonly required: readonly string[];
  readonly additionalProperties: false;
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: "longhaul";
    readonly types?: { readonly input: Input; readonly output: Input } | undefined;
    validate(
      value: unknown,
    ):
      | { readonly value: Input; readonly issues?: undefined }
      | { readonly issues: readonly { readonly message: string }[] };
    readonly jsonSchema: {
      input(options: { readonly target: string }): Record<string, unknown>;
      output(options: { readonly target: string }): Record<string, unknown>;
    };
  };
}

/** The JSON Schema of one property. */
interface PropertySchema {
  readonly type: "string" | "integer" | "boolean" | "array";
  readonly description: string;
  readonly [keyword: string]: unknown;
}

/** A schema of an object with these properties; without the `needed` ones an input is wrong. */
function objectSchema<Input>(
  properties: ObjectSchema<Input>["properties"],
  needed: readonly string[],
): ObjectSchema<Input> {
  const required: readonly string[] = Object.keys(properties);
  const plain = { type: "object", properties, required, additionalProperties: false } as const;
  const asJson = (): Record<string, unknown> => ({ ...plain });
  const standard: ObjectSchema<Input>["~standard"] = {
    version: 1,
    vendor: "longhaul",
    validate: (value) => {
      const message = problemOf(value, properties, needed);
      return message === undefined ? { value: value as Input } : { issues: [{ message }] };
    },
    jsonSchema: { input: asJson, output: asJson },
  };
  return Object.defineProperty({ ...plain }, "~standard", {
    value: standard,
    enumerable: false,
  }) as ObjectSchema<Input>;
}

/** The fault of an input, if it has one; its values are checked where they are used. */
function problemOf(
  value: unknown,
  properties: Readonly<Record<string, PropertySchema>>,
  needed: readonly string[],
): string | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return "The input must be an object.";
  }
  const missing = needed.find((name) => (value as Record<string, unknown>)[name] == null);
  if (missing !== undefined) return `The input needs ${missing}.`;
  for (const [name, each] of Object.entries(value)) {
    const type = properties[name]?.type;
    if (type === undefined) return `The input has no property ${name}.`;
    if (each != null && typeName(each) !== type) return `${name} must be of type ${type}.`;
  }
  return undefined;
}

function typeName(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return Number.isSafeInteger(value) ? "integer" : typeof value;
}
