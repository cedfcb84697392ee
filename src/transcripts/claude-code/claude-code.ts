import { totalUsage } from "../../core/message/message.ts";
import { type Fields, fieldsOf } from "../../core/text/json.ts";
import { noteTime } from "../content.ts";
import { number, text } from "../lenient.ts";
import {
  type About,
  type ContextSample,
  createWarnings,
  type RecordReader,
  type RequestUsage,
} from "../transcript.ts";
import { effectiveContext } from "./context.ts";
import { createEntry, type Entry } from "./entry.ts";

/** Session files of Claude Code: a line a block, a tree by parents, compactions in the file. */
export const claudeCode = { open };

interface Session {
  readonly about: About;
  version?: string;
  customTitle?: string;
  aiTitle?: string;
  /** The titles in summary lines, by the line that each is about. */
  readonly summaries: Map<string, string>;
}

function open(): RecordReader {
  const entries: Entry[] = [];
  const known = new Set<string>();
  const samples = new Map<string, ContextSample>();
  const requests = new Map<string, RequestUsage>();
  const warnings = createWarnings();
  const session: Session = { about: {}, summaries: new Map() };
  let compactions = 0;
  return {
    record(value, number) {
      const line = fieldsOf(value);
      const { type, uuid } = line;
      if (typeof type !== "string") {
        return warnings.add("This line is no record with a type.", number);
      }
      noteTitle(session, line);
      if (typeof uuid !== "string" && type !== "user" && type !== "assistant") return;
      const entry = createEntry(line, number);
      // Some versions write a line twice when a session is resumed.
      if (known.has(entry.uuid)) return;
      known.add(entry.uuid);
      entries.push(entry);
      noteSample(samples, entry);
      noteRequest(requests, entry, fieldsOf(line["message"]));
      noteSession(session, line, entry);
      if (entry.content.type !== "compaction") return;
      compactions += 1;
      if (!entry.sidechain) release(entries);
    },
    finish() {
      const { messages, gaps } = effectiveContext(entries);
      if (gaps.kept > 0) {
        warnings.add(
          `The last compaction kept ${gaps.kept} lines that this file does not hold; they are missing in the context.`,
        );
      }
      if (gaps.parent !== undefined) warnings.missing("parent", gaps.parent);
      if (gaps.summary !== undefined) warnings.missing("summary", gaps.summary);
      const about = { ...session.about, title: titleOf(session, known) };
      return {
        version: session.version,
        conversations: [
          { ...about, messages, timeline: [...samples.values()], requests: [...requests.values()] },
        ],
        compactions,
        warnings: warnings.list(),
      };
    },
  };
}

/**
 * Frees what stands before the second-last compaction, so that memory is bounded by what two
 * windows hold and not by the file. Nobody goes back that far: the program shows what follows the
 * last compaction only. The messages that the last one kept stay.
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

function noteTitle(session: Session, line: Fields): void {
  const { type, summary, leafUuid } = line;
  if (type === "custom-title")
    session.customTitle = text(line["customTitle"]) || session.customTitle;
  if (type === "ai-title") session.aiTitle = text(line["aiTitle"]) || session.aiTitle;
  const [title, leaf] = [text(summary), text(leafUuid)];
  if (type === "summary" && title && leaf) session.summaries.set(leaf, title);
}

/** A summary line may be the title of another session: it counts when its leaf is in this file. */
function titleOf(session: Session, uuids: ReadonlySet<string>): string | undefined {
  const own = [...session.summaries].findLast(([leaf]) => uuids.has(leaf))?.[1];
  return session.customTitle ?? session.aiTitle ?? own;
}

function noteSession(session: Session, line: Fields, { sidechain, time }: Entry): void {
  const { about } = session;
  about.id ??= text(line["sessionId"]);
  about.cwd ??= text(line["cwd"]);
  session.version = text(line["version"]) ?? session.version;
  const model = text(fieldsOf(line["message"])["model"]);
  if (model !== undefined && model !== "<synthetic>" && !sidechain) about.model = model;
  noteTime(about, time);
}

/**
 * The window gets a sample a reply: every line of it repeats its usage, and the last one is
 * the whole. Replies of sub-agents have windows of their own.
 */
function noteSample(samples: Map<string, ContextSample>, { content, sidechain }: Entry): void {
  if (content.type !== "reply" || sidechain) return;
  const { usage, time } = content.message;
  const tokens = usage === undefined ? 0 : totalUsage(usage);
  if (tokens === 0) return;
  samples.set(content.reply, { tokens, time: samples.get(content.reply)?.time ?? time });
}

/** The cost of a reply, a sub-agent's too; the last line of it has the whole output. */
function noteRequest(
  requests: Map<string, RequestUsage>,
  { content, time }: Entry,
  { model, usage: reported }: Fields,
): void {
  if (content.type !== "reply" || content.message.usage === undefined) return;
  const { usage } = content.message;
  if (totalUsage(usage) === 0) return;
  const cacheWriteHour = number(
    fieldsOf(fieldsOf(reported)["cache_creation"])["ephemeral_1h_input_tokens"],
  );
  const before = requests.get(content.reply);
  requests.set(content.reply, {
    id: content.reply,
    usage,
    model: text(model),
    time: before?.time ?? time,
    ...(cacheWriteHour && { cacheWriteHour }),
  });
}
