import type { Message, Usage } from "../../core/message/index.ts";
import { instant } from "../lenient.ts";
import { attachmentMessage } from "./attachment.ts";
import { contentBlocks, userMessages } from "./content.ts";
import { type SessionLine, type SessionUsage, strings } from "./line.ts";

/** What a line holds that matters for the context. */
export type Content =
  /** Nothing; but later lines may hang on it. */
  | { readonly type: "link" }
  /** One block or more of a reply; all lines of one reply share `reply`. */
  | { readonly type: "reply"; readonly reply: string; readonly message: Message }
  /** What came from the person, from tools and from the program. */
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
  /** The first and the last line of what was preserved. */
  readonly head?: string;
  readonly tail?: string;
  readonly preserved: readonly string[];
}

/** A line as a node of the tree that the parents make. */
export interface Entry {
  /** 1-based number of its line. */
  readonly line: number;
  readonly uuid: string;
  /** The parent's uuid; null at a root, undefined when the line does not say. */
  readonly parent: string | null | undefined;
  /** Whether it belongs to a sub-agent. */
  readonly sidechain: boolean;
  readonly time?: number;
  readonly content: Content;
}

const LINK: Content = { type: "link" };

/** The node that a line makes; a line without a uuid gets one from its number. */
export function createEntry(line: SessionLine, number: number): Entry {
  const time = instant(line.timestamp);
  return {
    line: number,
    uuid: line.uuid ?? `line ${number}`,
    parent: line.parentUuid,
    sidechain: line.isSidechain === true,
    time,
    content: contentOf(line, time, number),
  };
}

function contentOf(line: SessionLine, time: number | undefined, number: number): Content {
  const stamp = { id: line.uuid, time };
  switch (line.type) {
    case "assistant":
      return replyContent(line, time, number);
    case "user": {
      const messages = userMessages(line).map((message) => ({ ...message, ...stamp }));
      return messages.length === 0 ? LINK : { type: "input", messages };
    }
    case "attachment": {
      const message = attachmentMessage(line.attachment ?? {});
      return message === undefined ? LINK : { type: "input", messages: [{ ...message, ...stamp }] };
    }
    case "system":
      return boundary(line);
    default:
      return LINK;
  }
}

function replyContent(line: SessionLine, time: number | undefined, number: number): Content {
  const { message } = line;
  // Text that the program wrote for the person when a request failed; it was never sent.
  if (line.isApiErrorMessage === true) return LINK;
  const reply = message?.id ?? line.uuid ?? `line ${number}`;
  const parts = contentBlocks(message?.content);
  if (parts.length === 0) return LINK;
  const usage = neutralUsage(message?.usage);
  const stamp = { id: reply, time, usage };
  return { type: "reply", reply, message: { role: "assistant", parts, ...stamp } };
}

function boundary(line: SessionLine): Content {
  if (line.subtype === "compact_boundary") {
    const segment = line.compactMetadata?.preservedSegment;
    const messages = line.compactMetadata?.preservedMessages;
    return {
      type: "compaction",
      preserved: strings(messages?.uuids),
      anchor: segment?.anchorUuid ?? messages?.anchorUuid,
      head: segment?.headUuid,
      tail: segment?.tailUuid,
    };
  }
  if (line.subtype !== "microcompact_boundary") return LINK;
  const metadata = line.microcompactMetadata;
  return {
    type: "microcompaction",
    callIds: strings(metadata?.compactedToolIds),
    attachments: strings(metadata?.clearedAttachmentUUIDs),
  };
}

function neutralUsage(usage: SessionUsage): Usage | undefined {
  if (usage?.input_tokens === undefined || usage.output_tokens === undefined) return undefined;
  return {
    input: usage.input_tokens,
    output: usage.output_tokens,
    cacheRead: usage.cache_read_input_tokens,
    cacheWrite: usage.cache_creation_input_tokens,
  };
}
