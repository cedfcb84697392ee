import { errorMessage } from "../../core/error.ts";
import type { Archive } from "../archive.ts";
import { type Range, recalledText, type RecallOptions, recallRange } from "./recall.ts";
import { searchArchive, type SearchOptions } from "../search/search.ts";
import { searchText } from "../search/search-text.ts";
import { type ObjectSchema, objectSchema, type PropertySchema } from "./tool-schema.ts";

/** A tool as the AI SDK has it; `inputSchema` is plain JSON Schema for everybody else. */
export interface RecallTool<Input> {
  readonly description: string;
  readonly inputSchema: ObjectSchema<Input>;
  /** The answer for the model. Never rejects: what went wrong is an answer too. */
  execute(input: Input): Promise<string>;
}

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

export interface RecallTools {
  readonly recall: RecallTool<RecallInput>;
  readonly search_archive: RecallTool<SearchInput>;
}

/**
 * Tools with which an agent gets back what left its context: `recall` for a part of one original,
 * `search_archive` for everything that its conversation archived. Their answers are below the limits
 * of T15 and end with an element that keeps them from being truncated. Their schemas are good for
 * `strict: true`; what is optional in the input may be left out nevertheless.
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
  return {
    description:
      "Gets back an original that left this conversation: a truncated, pruned or compacted tool output or message. Give its handle exactly as the context names it, and the lines you need; search_archive finds them.",
    inputSchema,
    execute: (input) =>
      answer(inputSchema, input, async () =>
        recalledText(await recallRange(archive, input.handle, rangesOf(input))),
      ),
  };
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
  return {
    description:
      "Searches everything that left this conversation for a text, line by line, and answers as grep -n does, with the handle of each original.",
    inputSchema,
    execute: (input) =>
      answer(inputSchema, input, async () =>
        searchText(await searchArchive(archive, input.pattern, searchOptions(input))),
      ),
  };
}

function range(description: string): PropertySchema {
  return { type: "array", items: { type: "integer" }, description };
}

/** The part of an original that a call asks for. */
export function rangesOf({
  lines,
  bytes,
}: Pick<RecallInput, "lines" | "bytes">): Pick<RecallOptions, "lines" | "bytes"> {
  return { ...(isAsked(lines) && { lines }), ...(isAsked(bytes) && { bytes }) };
}

/** Models fill in what they do not need with nothing. */
function isAsked(range: Range | readonly [] | null | undefined): range is Range {
  return range?.some((each) => each !== 0) === true;
}

/** Models ask for more than there can be. */
function searchOptions({ regex, context, limit }: SearchInput): SearchOptions {
  return {
    regex: regex === true,
    ...(context != null && { context: Math.min(Math.max(context, 0), MOST.context) }),
    ...(limit != null && limit !== 0 && { limit: Math.min(Math.max(limit, 1), MOST.limit) }),
  };
}

async function answer<Input>(
  schema: ObjectSchema<Input>,
  input: Input,
  work: () => Promise<string>,
): Promise<string> {
  const { issues } = schema["~standard"].validate(input);
  if (issues !== undefined) return issues.map(({ message }) => message).join(" ");
  try {
    return await work();
  } catch (error) {
    return errorMessage(error);
  }
}
