import type { Message } from "../core/message/index.ts";
import { type Fields, fieldsOf } from "../core/text/json.ts";
import { ContextError } from "../core/error.ts";
import { transcriptFormats } from "./formats.ts";
import { readTranscript, type ReadTranscriptOptions } from "./read.ts";
import type { TranscriptInput } from "./source.ts";
import type { Conversation, Reading, RecordReader, RecordsReader } from "./transcript.ts";

/** All that was said in a session, whatever its agent compacted since. */
export interface SessionHistory extends Omit<Conversation, "messages"> {
  /**
   * The messages from one compaction of the agent to the next, oldest first; the last stretch is still
   * open. The agent's own summaries are not in them: they say nothing that was not said before.
   */
  readonly stretches: readonly (readonly Message[])[];
}

/** The kind of a record at a compaction of the agent: the line between two stretches, or only its summary. */
type Mark = "border" | "summary" | undefined;

/** The formats whose agents leave in the file what they compact. */
const FORMATS: Readonly<Record<string, (record: Fields) => Mark>> = {
  "claude-code": ({ subtype, isCompactSummary, isSidechain }) => {
    if (isSidechain === true) return undefined;
    if (isCompactSummary === true) return "summary";
    return subtype === "compact_boundary" ? "border" : undefined;
  },
  codex: ({ type }) => (type === "compacted" ? "border" : undefined),
};

/**
 * Reads a session of Claude Code or Codex as it was before its agent compacted it, in stretches.
 * Throws what `readTranscript` throws, and `ContextError` code `unknown-format` for another format.
 */
export async function readSessionHistory(
  input: TranscriptInput,
  { format: name, ...options }: ReadTranscriptOptions & { readonly format: string },
): Promise<SessionHistory> {
  const markOf = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
  const format = transcriptFormats.find((one) => one.name === name);
  if (markOf === undefined || format?.shape !== "records") {
    throw new ContextError(
      "unknown-format",
      `The history of a ${name} session cannot be read in stretches, only that of ${Object.keys(FORMATS).join(" or ")}.`,
      { details: { format: name } },
    );
  }
  const reader = await format.load();
  const load = async () => ({ open: () => readStretches(reader, markOf) });
  const { conversations } = await readTranscript(input, {
    ...options,
    formats: [{ ...format, load }],
  });
  const stretches = conversations.map(({ messages }) => messages);
  const timeline = conversations.flatMap((one) => one.timeline);
  return { ...aboutAll(conversations), timeline, stretches };
}

/** A fact that is told once holds for all: the first stretch begins with it, the last one knows it best. */
function aboutAll(conversations: readonly Conversation[]): Omit<Conversation, "messages"> {
  const known = conversations.map(({ messages: _, ...about }) => {
    const said = Object.entries(about).filter(([, value]) => value !== undefined);
    return Object.fromEntries(said) as Omit<Conversation, "messages">;
  });
  return Object.assign({ timeline: [] }, ...known) as Omit<Conversation, "messages">;
}

/** Makes a conversation of every stretch. */
function readStretches(reader: RecordsReader, markOf: (record: Fields) => Mark): RecordReader {
  const closed: Reading[] = [];
  let open = reader.open();
  return {
    record(value, line) {
      const mark = markOf(fieldsOf(value));
      if (mark === undefined) return open.record(value, line);
      if (mark === "summary") return;
      closed.push(open.finish());
      open = reader.open();
    },
    finish() {
      const all = [...closed, open.finish()];
      return {
        version: all.findLast(({ version }) => version !== undefined)?.version,
        conversations: all.flatMap(({ conversations }) => conversations.slice(0, 1)),
        compactions: closed.length,
        // That the start of a stretch is not in it is how it was cut.
        warnings: [],
      };
    },
  };
}
