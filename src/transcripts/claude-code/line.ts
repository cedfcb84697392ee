import { z } from "zod";
import { anything, fields, flag, list, number, text } from "../lenient.ts";

const usage = fields({
  input_tokens: number,
  output_tokens: number,
  cache_read_input_tokens: number,
  cache_creation_input_tokens: number,
});

const message = fields({ id: text, model: text, content: anything, usage });

const compactMetadata = fields({
  preservedSegment: fields({ headUuid: text, anchorUuid: text, tailUuid: text }),
  preservedMessages: fields({ anchorUuid: text, uuids: list }),
});

const microcompactMetadata = fields({ compactedToolIds: list, clearedAttachmentUUIDs: list });

const line = z.looseObject({
  type: z.string(),
  subtype: text,
  uuid: text,
  parentUuid: z.string().nullable().optional().catch(undefined),
  sessionId: text,
  timestamp: text,
  cwd: text,
  version: text,
  isSidechain: flag,
  isMeta: flag,
  isCompactSummary: flag,
  isApiErrorMessage: flag,
  origin: fields({ kind: text }),
  message,
  attachment: z.record(z.string(), z.unknown()).optional().catch(undefined),
  compactMetadata,
  microcompactMetadata,
  /** Of `summary`, `ai-title` and `custom-title` lines. */
  summary: text,
  leafUuid: text,
  aiTitle: text,
  customTitle: text,
});

/** A line of a session file, as far as it matters here. */
export type SessionLine = z.infer<typeof line>;

/** What the provider reported for a reply. */
export type SessionUsage = z.infer<typeof usage>;

/** The line in a JSON value; `undefined` when it is no record with a type. */
export function sessionLine(value: unknown): SessionLine | undefined {
  return line.safeParse(value).data;
}

/** The strings in a list. */
export function strings(values: readonly unknown[] | undefined): readonly string[] {
  return (values ?? []).filter((value) => typeof value === "string");
}
