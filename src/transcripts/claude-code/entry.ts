import type { Message, MessageKind, Part } from "../../core/message/index.ts";
import { type Fields, fieldsOf } from "../../core/text/json.ts";
import { anthropicUsage } from "../../dialects/wire.ts";
import { saying } from "../content.ts";
import { instant, list, text } from "../lenient.ts";
import { attachmentMessages } from "./attachment.ts";
import { contentBlocks } from "./content.ts";

/** The part of a line that matters for the context. */
export type Content =
  /** Nothing; but later lines may hang on it. */
  | { readonly type: "link" }
  /** One block or more of a reply; all lines of one reply share `reply`. */
  | { readonly type: "reply"; readonly reply: string; readonly message: Message }
  /** Input of the person, of tools and of the program. */
  | { readonly type: "input"; readonly messages: readonly Message[] }
  | Compaction
  /** From here on the results of these calls were sent as placeholders. */
  | {
      readonly type: "microcompaction";
      readonly callIds: readonly string[];
      readonly attachments: readonly string[];
    };

/** A boundary: what stands before it is summarized, except the lines it preserves. */
export interface Compaction {
  readonly type: "compaction";
  /** The line (normally the summary) behind which the preserved ones were sent. */
  readonly anchor?: string;
  /** The first line of what was preserved. */
  readonly head?: string;
  readonly preserved: readonly string[];
}

export interface Entry {
  readonly line: number;
  readonly uuid: string;
  /** The parent's uuid; null at a root, undefined when the line does not say. */
  readonly parent: string | null | undefined;
  /** Whether it belongs to a sub-agent. */
  readonly sidechain: boolean;
  readonly time?: number;
  readonly content: Content;
}

/** The node that a line makes; a line without a uuid gets one from its number. */
export function createEntry(line: Fields, number: number): Entry {
  const time = instant(text(line["timestamp"]));
  const uuid = text(line["uuid"]) ?? `line ${number}`;
  const parent = line["parentUuid"] === null ? null : text(line["parentUuid"]);
  const sidechain = line["isSidechain"] === true;
  return { line: number, uuid, parent, sidechain, time, content: contentOf(line, uuid, time) };
}

const LINK: Content = { type: "link" };

function contentOf(line: Fields, uuid: string, time: number | undefined): Content {
  switch (line["type"]) {
    case "assistant":
      return replyContent(line, uuid, time);
    case "user":
    case "attachment": {
      const drafts =
        line["type"] === "user"
          ? userMessages(line)
          : attachmentMessages(fieldsOf(line["attachment"]));
      const messages = saying({ id: text(line["uuid"]), time }, drafts);
      return messages.length === 0 ? LINK : { type: "input", messages };
    }
    case "system":
      return boundary(line);
    default:
      return LINK;
  }
}

function replyContent(line: Fields, uuid: string, time: number | undefined): Content {
  const message = fieldsOf(line["message"]);
  const parts = contentBlocks(message["content"]);
  // An API error is text that the program wrote for the person; it was never sent.
  if (line["isApiErrorMessage"] === true || parts.length === 0) return LINK;
  const reply = text(message["id"]) ?? uuid;
  const usage = anthropicUsage(message["usage"]);
  return { type: "reply", reply, message: { role: "assistant", parts, id: reply, time, usage } };
}

function boundary(line: Fields): Content {
  const { subtype } = line;
  if (subtype === "compact_boundary") {
    const metadata = fieldsOf(line["compactMetadata"]);
    const segment = fieldsOf(metadata["preservedSegment"]);
    const messages = fieldsOf(metadata["preservedMessages"]);
    return {
      type: "compaction",
      preserved: strings(messages["uuids"]),
      anchor: text(segment["anchorUuid"]) ?? text(messages["anchorUuid"]),
      head: text(segment["headUuid"]),
    };
  }
  if (subtype !== "microcompact_boundary") return LINK;
  const { compactedToolIds, clearedAttachmentUUIDs } = fieldsOf(line["microcompactMetadata"]);
  const attachments = strings(clearedAttachmentUUIDs);
  return { type: "microcompaction", callIds: strings(compactedToolIds), attachments };
}

function strings(values: unknown): readonly string[] {
  return list(values).filter((value) => typeof value === "string");
}

/** Beginnings of the texts that the program writes in the person's name. */
const PROGRAM_TEXT =
  /^\s*(?:<(?:command-(?:name|message|args|contents)|local-command-(?:stdout|stderr|caveat)|bash-(?:input|stdout|stderr)|task-notification|system-reminder|user-memory-input)>|\[Request interrupted by user(?: for tool use)?\]\s*$)/;

/**
 * A user line as neutral messages: its results as one, whatever else it says as another. Only what
 * a person typed has no kind.
 */
function userMessages(line: Fields): readonly Message[] {
  const parts = contentBlocks(fieldsOf(line["message"])["content"]);
  const results = parts.filter((part) => part.type === "tool-result");
  const rest = parts.filter((part) => part.type !== "tool-result");
  const kind = results.length > 0 ? "injected" : userKind(line, rest);
  return [
    { role: "tool", parts: results },
    { role: "user", parts: rest, kind },
  ];
}

function userKind(line: Fields, parts: readonly Part[]): MessageKind | undefined {
  if (line["isCompactSummary"] === true) return "summary";
  if (line["isMeta"] === true) return "injected";
  const origin = text(fieldsOf(line["origin"])["kind"]);
  if (origin !== undefined) return origin === "human" ? undefined : "injected";
  const byProgram = parts.every((part) => part.type === "text" && PROGRAM_TEXT.test(part.text));
  return byProgram ? "injected" : undefined;
}
