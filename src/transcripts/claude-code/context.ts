import type { Message, Part } from "../../core/message/index.ts";
import { assembleSteps, type Piece } from "../assemble.ts";
import type { Entry } from "./entry.ts";
import { mainPath } from "./tree.ts";

/** What the program sends in place of an output that it cleared. */
const CLEARED = "[Old tool result content cleared]";

/** What the model would have seen next. */
export interface EffectiveContext {
  readonly messages: readonly Message[];
  /** How many lines the last compaction kept that the file does not hold. */
  readonly missing: number;
}

/** What was cleared from the context without a summary. */
interface Cleared {
  /** By call id: when, in ms since the epoch; 0 when the file does not say. */
  readonly results: ReadonlyMap<string, number>;
  readonly attachments: ReadonlySet<string>;
}

/** The effective context at the end of a session. */
export function effectiveContext(entries: readonly Entry[]): EffectiveContext {
  const path = mainPath(entries);
  const cleared = clearedBy(entries);
  const pieces = path.entries
    .filter(({ uuid }) => !cleared.attachments.has(uuid))
    .flatMap((entry) => piecesOf(entry, cleared));
  return { messages: assembleSteps(pieces), missing: path.missing };
}

function clearedBy(entries: readonly Entry[]): Cleared {
  const results = new Map<string, number>();
  const attachments = new Set<string>();
  for (const { content, time, sidechain } of entries) {
    if (content.type !== "microcompaction" || sidechain) continue;
    for (const id of content.callIds) results.set(id, time ?? 0);
    for (const uuid of content.attachments) attachments.add(uuid);
  }
  return { results, attachments };
}

function piecesOf({ content }: Entry, cleared: Cleared): readonly Piece[] {
  if (content.type === "reply") return [content];
  if (content.type !== "input") return [];
  return content.messages.map((message): Piece => {
    if (message.role !== "tool") return { type: "other", message };
    const parts = message.parts.map((part) => placeholder(part, cleared));
    return { type: "results", message: { ...message, parts } };
  });
}

function placeholder(part: Part, { results }: Cleared): Part {
  const compacted = part.type === "tool-result" ? results.get(part.toolCallId) : undefined;
  if (part.type !== "tool-result" || compacted === undefined) return part;
  const { original: _, ...rest } = part;
  return { ...rest, output: [{ type: "text", text: CLEARED }], time: { compacted } };
}
