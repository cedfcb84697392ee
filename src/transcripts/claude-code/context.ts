import type { Message, Part } from "../../core/message/index.ts";
import { assembleSteps, type Piece } from "../assemble.ts";
import { exitCodeOf } from "./content.ts";
import type { Compaction, Entry } from "./entry.ts";

/** The program's text in place of an output that it cleared. */
const CLEARED = "[Old tool result content cleared]";

/** The model's next context. */
interface EffectiveContext {
  readonly messages: readonly Message[];
  readonly gaps: Gaps;
}

export interface Gaps {
  /** Lines that the last compaction kept and the file does not hold; their number. */
  readonly kept: number;
  /** The first line whose parent is not there. */
  readonly parent?: number;
  /** The line of the last compaction, if its summary is not there. */
  readonly summary?: number;
}

interface Cleared {
  /** By call id: when, in ms since the epoch; 0 when the file does not say. */
  readonly results: ReadonlyMap<string, number>;
  readonly attachments: ReadonlySet<string>;
}

export function effectiveContext(entries: readonly Entry[]): EffectiveContext {
  const path = mainPath(entries);
  const cleared = clearedBy(entries);
  const pieces = path.entries
    .filter(({ uuid }) => !cleared.attachments.has(uuid))
    .flatMap((entry) => piecesOf(entry, cleared));
  return { messages: assembleSteps(pieces, exitCodeOf), gaps: path.gaps };
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

interface MainPath {
  readonly entries: readonly Entry[];
  readonly gaps: Gaps;
}

interface Tree {
  /** The lines of the main conversation in file order. */
  readonly entries: readonly Entry[];
  readonly byUuid: ReadonlyMap<string, Entry>;
  /** The place of a preserved segment behind its summary: uuid of its first line to the anchor. */
  readonly rehung: ReadonlyMap<string, string>;
  readonly before: ReadonlyMap<Entry, Entry | undefined>;
  /** Every line of the file, those of sub-agents too. */
  readonly known: ReadonlySet<string>;
}

/**
 * The main path. It is walked from the last line by the parents up to a root or a compaction; then
 * come the lines that this loses: the other lines of a reply on the path and the results of its
 * calls (each result of parallel calls hangs on its own line, the next reply on one of them), and
 * what the compaction kept of the time before.
 */
function mainPath(entries: readonly Entry[]): MainPath {
  const tree = growTree(entries);
  const leaf = tree.entries.findLast(({ content }) => isConversation(content.type));
  if (leaf === undefined) return { entries: [], gaps: { kept: 0 } };
  const path = walk(leaf, tree);
  const last = tree.entries.findLast((entry) => path.has(entry) && isCompaction(entry));
  const compaction = last?.content as Compaction | undefined;
  const kept = (compaction?.preserved ?? []).map((uuid) => tree.byUuid.get(uuid));
  for (const entry of kept) if (entry !== undefined) path.add(entry);
  addLost(path, tree);
  const ordered = inOrder(path, tree, last);
  return {
    entries: ordered,
    gaps: {
      kept: kept.filter((entry) => entry === undefined).length,
      parent: ordered.find((entry) => isTornOff(entry, tree))?.line,
      summary: ordered.some(isSummary) ? undefined : last?.line,
    },
  };
}

/** A root has no parent, and old files have none at all; a compaction begins anew. */
function isTornOff(entry: Entry, tree: Tree): boolean {
  const { parent } = entry;
  if (parent === null || parent === undefined || isCompaction(entry)) return false;
  return !tree.rehung.has(entry.uuid) && !tree.known.has(parent);
}

function growTree(all: readonly Entry[]): Tree {
  const main = all.filter((entry) => !entry.sidechain);
  // The file of a sub-agent holds nothing but its sidechain.
  const entries = main.some(({ content }) => isConversation(content.type)) ? main : all;
  const rehung = new Map<string, string>();
  for (const { content } of entries) {
    if (content.type !== "compaction" || content.anchor === undefined) continue;
    if (content.head !== undefined) rehung.set(content.head, content.anchor);
  }
  const byUuid = new Map(entries.map((entry) => [entry.uuid, entry]));
  const before = new Map(entries.map((entry, index) => [entry, entries[index - 1]]));
  return { entries, byUuid, rehung, before, known: new Set(all.map(({ uuid }) => uuid)) };
}

function walk(leaf: Entry, tree: Tree): Set<Entry> {
  const path = new Set<Entry>();
  let entry: Entry | undefined = leaf;
  while (entry !== undefined && !path.has(entry)) {
    path.add(entry);
    entry = isCompaction(entry) ? undefined : parentOf(entry, tree);
  }
  return path;
}

/** A parent that the file lacks (a lost line, a slice) is taken to be the line before. */
function parentOf(entry: Entry, tree: Tree): Entry | undefined {
  const parent = tree.rehung.get(entry.uuid) ?? entry.parent;
  if (parent === null) return undefined;
  const known = parent === undefined ? undefined : tree.byUuid.get(parent);
  return known ?? tree.before.get(entry);
}

function addLost(path: Set<Entry>, { entries }: Tree): void {
  const replies = new Set<string>();
  for (const { content } of path) if (content.type === "reply") replies.add(content.reply);
  const calls = new Set<string>();
  for (const entry of entries) {
    if (entry.content.type !== "reply" || !replies.has(entry.content.reply)) continue;
    path.add(entry);
    for (const part of entry.content.message.parts) {
      if (part.type === "tool-call") calls.add(part.toolCallId);
    }
  }
  for (const entry of entries) if (answers(entry, calls)) path.add(entry);
}

function answers({ content }: Entry, calls: ReadonlySet<string>): boolean {
  if (content.type !== "input") return false;
  return content.messages.some(({ parts }) =>
    parts.some((part) => part.type === "tool-result" && calls.has(part.toolCallId)),
  );
}

/** File order, but what the last compaction kept comes behind its summary. */
function inOrder(path: ReadonlySet<Entry>, tree: Tree, last: Entry | undefined): Entry[] {
  const sorted = tree.entries.filter((entry) => path.has(entry));
  if (last === undefined) return sorted;
  const { anchor, preserved } = last.content as Compaction;
  const rank = new Map(preserved.map((uuid, index) => [uuid, index]));
  const isKept = (entry: Entry): boolean =>
    rank.size === 0 || rank.has(entry.uuid) || isResults(entry);
  const kept = sorted.filter((entry) => entry.line < last.line && isKept(entry));
  const listed = kept.toSorted(
    (a, b) => (rank.get(a.uuid) ?? a.line) - (rank.get(b.uuid) ?? b.line),
  );
  const after = sorted.filter((entry) => entry.line >= last.line);
  const summary = after.findIndex((entry) => entry.uuid === anchor || isSummary(entry));
  return after.toSpliced(summary + 1, 0, ...listed);
}

function isSummary({ content }: Entry): boolean {
  return content.type === "input" && content.messages.some(({ kind }) => kind === "summary");
}

function isResults({ content }: Entry): boolean {
  return content.type === "input" && content.messages.every(({ role }) => role === "tool");
}

function isCompaction({ content }: Entry): boolean {
  return content.type === "compaction";
}

function isConversation(type: Entry["content"]["type"]): boolean {
  return type === "reply" || type === "input" || type === "compaction";
}
