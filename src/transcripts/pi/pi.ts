import type { Message } from "../../core/message/index.ts";
import { createCallPairing } from "../call-pairing.ts";
import { anything, fields, instant, number, text } from "../lenient.ts";
import {
  type Conversation,
  createWarnings,
  type Reading,
  type RecordReader,
  type Warnings,
} from "../transcript.ts";
import { type Content, decodeContent } from "./entry.ts";

const headerSchema = fields({
  type: text,
  version: number,
  id: text,
  timestamp: anything,
  cwd: text,
  modelId: text,
});

const linkSchema = fields({ type: text, id: text, parentId: anything });

type Header = NonNullable<ReturnType<typeof headerSchema.parse>>;

/** A session of the pi coding agent: linear in version 1, a tree of entries in versions 2 and 3. */
export const pi = { open };

/** An entry in its place: `parent` is the index of the entry that it follows, -1 for none. */
interface Entry extends Content {
  readonly id?: string;
  readonly parent: number;
  /** Line of the entry; version 1 counts entries by it, the header being 0. */
  readonly line: number;
}

interface State {
  readonly entries: Entry[];
  readonly byId: Map<string, number>;
  readonly warnings: Warnings;
  header: Header | undefined;
  headerLine: number;
}

function open(): RecordReader {
  const calls = createCallPairing();
  const state: State = {
    entries: [],
    byId: new Map(),
    warnings: createWarnings(),
    header: undefined,
    headerLine: 1,
  };
  return {
    record(value, line) {
      const link = linkSchema.parse(value);
      if (link?.type === "session" && state.header === undefined) {
        state.header = headerSchema.parse(value);
        state.headerLine = line;
        return;
      }
      const content = decodeContent(value, calls);
      if (content === undefined) state.warnings.add("This is no entry of a pi session.", line);
      else place(state, { ...content, line }, { id: link?.id, parentId: link?.parentId });
    },
    finish: () => finish(state),
  };
}

interface Link {
  readonly id?: string;
  readonly parentId?: unknown;
}

/** Entries without a parent that can be found follow the entry before them, as in version 1. */
function place(state: State, content: Content & { line: number }, { id, parentId }: Link): void {
  const { entries, byId, warnings } = state;
  const known = typeof parentId === "string" ? byId.get(parentId) : undefined;
  if (typeof parentId === "string" && known === undefined) {
    warnings.missing("parent", content.line);
  }
  const parent = parentId === null ? -1 : (known ?? entries.length - 1);
  if (id !== undefined) byId.set(id, entries.length);
  entries.push({ ...content, id, parent });
}

function finish(state: State): Reading {
  const { header, entries, warnings } = state;
  const branch = lastBranch(entries);
  const conversation: Conversation = {
    id: header?.id,
    title: branch.findLast((entry) => entry.title !== undefined)?.title,
    messages: effectiveMessages(branch, state),
    model: branch.findLast((entry) => entry.model !== undefined)?.model ?? header?.modelId,
    cwd: header?.cwd,
    startedAt: instant(header?.timestamp),
    updatedAt: entries.findLast((entry) => entry.time !== undefined)?.time,
    timeline: entries.flatMap(({ time, tokens }) =>
      tokens === undefined ? [] : [{ time, tokens }],
    ),
  };
  return {
    version: String(header?.version ?? 1),
    conversations: [conversation],
    compactions: entries.filter((entry) => entry.compaction !== undefined).length,
    warnings: warnings.list(),
  };
}

/** From the root to the last entry; what was abandoned on other branches is not on it. */
function lastBranch(entries: readonly Entry[]): Entry[] {
  const branch: Entry[] = [];
  let entry = entries.at(-1);
  while (entry !== undefined) {
    branch.push(entry);
    entry = entry.parent === -1 ? undefined : entries[entry.parent];
  }
  return branch.toReversed();
}

/** After a compaction: its summary, what it kept from before, and what came since. */
function effectiveMessages(branch: readonly Entry[], state: State): Message[] {
  const at = branch.findLastIndex((entry) => entry.compaction !== undefined);
  const { compaction, line } = branch[at] ?? {};
  if (at !== -1 && compaction?.summary === undefined) state.warnings.missing("summary", line);
  if (compaction === undefined) return sentMessages(branch);
  const from = firstKept(branch, at, state);
  const kept = from === -1 ? [] : branch.slice(from, at);
  const summary = compaction.summary === undefined ? [] : [compaction.summary];
  return [...summary, ...sentMessages(kept), ...sentMessages(branch.slice(at + 1))];
}

function firstKept(branch: readonly Entry[], at: number, state: State): number {
  const { firstKeptId, firstKeptIndex } = branch[at]?.compaction ?? {};
  const line = state.headerLine + (firstKeptIndex ?? Number.NaN);
  const from = branch.findIndex((entry) =>
    firstKeptId === undefined ? entry.line >= line : entry.id === firstKeptId,
  );
  if (from !== -1 && from < at) return from;
  state.warnings.add(
    "The first entry that this compaction keeps is missing; nothing from before it is kept.",
    branch[at]?.line,
  );
  return -1;
}

/** An aborted reply can be empty; such a message is nothing to send. */
function sentMessages(branch: readonly Entry[]): Message[] {
  return branch.flatMap(({ message }) =>
    message === undefined || message.parts.length === 0 ? [] : [message],
  );
}
