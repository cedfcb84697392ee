import { totalUsage } from "../../core/message/message.ts";
import {
  type ContextSample,
  type Conversation,
  createWarnings,
  type Reading,
  type RecordReader,
} from "../transcript.ts";
import { effectiveContext } from "./context.ts";
import { createEntry, type Entry } from "./entry.ts";
import { sessionLine, type SessionLine } from "./line.ts";

/** Session files of Claude Code: a line a block, a tree by parents, compactions in the file. */
export const claudeCode = { open };

/** What is known of the session as a whole. */
interface Session {
  id?: string;
  cwd?: string;
  version?: string;
  model?: string;
  startedAt?: number;
  updatedAt?: number;
  readonly titles: { custom?: string; ai?: string; readonly summaries: Map<string, string> };
}

function open(): RecordReader {
  const entries: Entry[] = [];
  const known = new Set<string>();
  const samples = new Map<string, ContextSample>();
  const warnings = createWarnings();
  let compactions = 0;
  const session: Session = { titles: { summaries: new Map() } };
  return {
    record(value, number) {
      const line = sessionLine(value);
      if (line === undefined) return warnings.add("This line is no record with a type.", number);
      noteTitle(session, line);
      if (line.uuid === undefined && line.type !== "user" && line.type !== "assistant") return;
      const entry = createEntry(line, number);
      // Some versions write a line twice when a session is resumed.
      if (known.has(entry.uuid)) return;
      known.add(entry.uuid);
      entries.push(entry);
      noteSample(samples, line, entry);
      if (entry.content.type === "compaction") compactions += 1;
      noteSession(session, line, entry);
      if (entry.content.type === "compaction" && !entry.sidechain) release(entries);
    },
    finish(): Reading {
      const { messages, gaps } = effectiveContext(entries);
      if (gaps.kept > 0) {
        warnings.add(
          `The last compaction kept ${gaps.kept} lines that this file does not hold; they are missing in the context.`,
        );
      }
      if (gaps.parent !== undefined) warnings.missing("parent", gaps.parent);
      if (gaps.summary !== undefined) warnings.missing("summary", gaps.summary);
      const about = aboutSession(session, known);
      const conversation: Conversation = { ...about, messages, timeline: [...samples.values()] };
      return {
        version: session.version,
        conversations: [conversation],
        compactions,
        warnings: warnings.list(),
      };
    },
  };
}

/**
 * Frees what stands before the second-last compaction, so that memory is bounded by what two
 * windows hold and not by the file. Nobody goes back that far: the program shows what follows the
 * last compaction only. What the last one kept stays.
 */
function release(entries: Entry[]): void {
  const last = entries.at(-1);
  const before = entries.findLastIndex(
    ({ content, sidechain }, index) =>
      content.type === "compaction" && !sidechain && index < entries.length - 1,
  );
  const kept = new Set(last?.content.type === "compaction" ? last.content.preserved : []);
  for (let index = before - 1; index >= 0; index -= 1) {
    const entry = entries[index];
    if (entry === undefined || entry.content.type === "compaction") return;
    if (!kept.has(entry.uuid)) entries[index] = { ...entry, content: { type: "link" } };
  }
}

function noteTitle({ titles }: Session, line: SessionLine): void {
  if (line.type === "custom-title" && line.customTitle) titles.custom = line.customTitle;
  if (line.type === "ai-title" && line.aiTitle) titles.ai = line.aiTitle;
  if (line.type === "summary" && line.summary && line.leafUuid) {
    titles.summaries.set(line.leafUuid, line.summary);
  }
}

function noteSession(session: Session, line: SessionLine, entry: Entry): void {
  session.id ??= line.sessionId;
  session.cwd ??= line.cwd;
  session.version = line.version ?? session.version;
  const model = line.message?.model;
  if (model !== undefined && model !== "<synthetic>" && !entry.sidechain) session.model = model;
  if (entry.time === undefined) return;
  session.startedAt = Math.min(session.startedAt ?? entry.time, entry.time);
  session.updatedAt = Math.max(session.updatedAt ?? entry.time, entry.time);
}

/** A summary line may be the title of another session: it counts when its leaf is in this file. */
function aboutSession(
  session: Session,
  uuids: ReadonlySet<string>,
): Omit<Conversation, "messages" | "timeline"> {
  const { id, cwd, model, startedAt, updatedAt, titles } = session;
  const own = [...titles.summaries].findLast(([leaf]) => uuids.has(leaf))?.[1];
  const title = titles.custom ?? titles.ai ?? own;
  return { id, title, model, cwd, startedAt, updatedAt };
}

/** Notes how full the window was, a sample a reply; replies of sub-agents have windows of their own. */
function noteSample(samples: Map<string, ContextSample>, line: SessionLine, entry: Entry): void {
  if (line.type !== "assistant") return;
  const reply = line.message?.id ?? entry.uuid;
  const sample = sampleOf(entry, samples.get(reply));
  if (sample !== undefined) samples.set(reply, sample);
}

/** Every line of a reply repeats its usage; the last one is the whole. */
function sampleOf(entry: Entry, before: ContextSample | undefined): ContextSample | undefined {
  if (entry.content.type !== "reply" || entry.sidechain) return undefined;
  const { usage, time } = entry.content.message;
  if (usage === undefined) return undefined;
  const tokens = totalUsage(usage);
  if (tokens === 0) return undefined;
  const first = before?.time ?? time;
  return { tokens, time: first };
}
