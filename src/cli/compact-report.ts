import path from "node:path";
import pc from "picocolors";
import type { ContextReport, SummaryReport } from "../context/index.ts";
import { isSessionAgent } from "../resume/write-session.ts";
import { clipColumns, unbroken } from "./columns.ts";
import { count, plural } from "../core/text/figures.ts";
import type { Outcome } from "./compaction.ts";
import { bar, field, firstOf, nextLines, warningLines } from "./figures.ts";
import { clipLine } from "../core/text/clip.ts";
import type { WriteTarget } from "../transcripts/index.ts";
import { type Io, widthOf } from "./io.ts";
import { typedCommand } from "./program-call.ts";
import { roomWords, sourceWords } from "./measure-session.ts";

/** The outcome of a compaction, and where it went. */
export interface CompactResult extends Outcome {
  readonly to: WriteTarget;
  /** The place of the compacted conversation; absent when there was nothing to write. */
  readonly out: string | undefined;
  readonly archive: string;
  /** The time that originals are kept, in words. */
  readonly howLong: string;
  /** The session, as a person calls it. */
  readonly session: string;
}

/** Lines of each section of the summary that are shown. */
const SECTION_LINES = 3;

/** The report of `compact`, for a person. */
export function compactView(io: Io, result: CompactResult): string[] {
  return [
    ...outcomeView(io, result),
    ...places(io, result),
    ...warnings(result),
    "",
    ...nextLines(nextSteps(result)),
  ];
}

/** The report on the conversation, wherever it was written. */
export function outcomeView(io: Io, result: Outcome): string[] {
  return [
    ...headline(result),
    "",
    ...sizes(io, result),
    "",
    ...actions(result),
    ...summary(io, result),
  ];
}

function headline({ loaded, report, reservedWords }: Outcome): string[] {
  const { transcript, conversation, title } = loaded;
  const version = transcript.version === undefined ? "" : ` ${transcript.version}`;
  const model = conversation.model === undefined ? "" : `, ${conversation.model}`;
  return [
    pc.bold(`${title}${version}`) +
      pc.dim(`${model}, ${plural(report.messages.before, "message")}`),
    `Window ${count(report.window)} tokens, of which ${count(report.usable)} usable (${count(report.reserved)} ${reservedWords})`,
  ];
}

function sizes(io: Io, { report, size }: Outcome): string[] {
  const { before, after } = report.tokens;
  const whole = Math.max(before, after, report.usable);
  const width = widthOf(io) - 36;
  const line = (name: string, tokens: number, verdict: string): string => {
    const paint = tokens < report.usable ? pc.green : pc.red;
    return `  ${name.padEnd(7)}${count(tokens).padStart(9)}  ${paint(bar(tokens, whole, width))} ${pc.dim(verdict)}`;
  };
  const isSame = report.action === "none";
  return [
    line(isSame ? "now" : "before", before, roomWords(size)),
    ...(isSame ? [] : [line("after", after, roomLeft(report))]),
    pc.dim(`  ${isSame ? "" : "before: "}${sourceWords(size)}`),
  ];
}

function roomLeft({ tokens, usable }: ContextReport): string {
  const room = usable - tokens.after;
  return room > 0 ? `${count(room)} free` : `over by ${count(-room)}`;
}

function actions(outcome: Outcome): string[] {
  const { report, ledger } = outcome;
  const { head, tail, summary: written, prune, clipped, continuation } = report;
  const saved = prune.reduce((total, piece) => total + piece.tokens, 0);
  const pruned = `${plural(prune.length, "old piece")} of ${count(saved)} tokens, each replaced by a placeholder`;
  const known = ["file", "command", "instruction", "todo", "error"] as const;
  const lines = report.action === "none" ? [nothingDone(outcome)] : [];
  if (prune.length > 0) lines.push(...field("Pruned", pruned));
  if (head !== undefined && written !== undefined && tail !== undefined) {
    const left = `${plural(head.messages, "message")} of ${count(head.tokens)} tokens`;
    const how =
      clipped.length === 0 ? "word for word" : `${plural(clipped.length, "large piece")} clipped`;
    lines.push(
      ...field("Compacted", `${left} into a summary of ${count(written.tokens)}`),
      ...field("Kept", `${plural(tail.messages, "message")} at the end, ${how}`),
    );
  }
  if (written !== undefined) lines.push(...field("Model", ...modelLines(written)));
  if (continuation !== undefined) lines.push(...field("Run state", runState(continuation)));
  const counts = known.map((noun) => plural(ledger[`${noun}s`].length, noun));
  return [...lines, ...field("Ledger", counts.join(", "))];
}

function nothingDone({ isForced }: Outcome): string {
  return isForced
    ? "Nothing to do: the newest part stays word for word, and nothing before it can go."
    : "Nothing to do: the conversation fits. (--force compacts it anyway.)";
}

function runState({ state, needed, added }: NonNullable<ContextReport["continuation"]>): string {
  if (added) return `${state}, a message to go on was added`;
  return needed ? `${state}, a message to go on is needed` : state;
}

const HEADINGS: Readonly<Record<string, string>> = {
  goal: "Goal",
  instructions: "Instructions",
  discoveries: "Discoveries",
  accomplished: "Accomplished",
  relevantFiles: "Relevant files",
};

function summary(io: Io, { report }: Outcome): string[] {
  if (report.summary === undefined) return [];
  const width = widthOf(io) - 4;
  const sections = Object.entries(HEADINGS).flatMap(([id, heading]) => {
    const lines = (report.summary?.sections[id] ?? "")
      .split("\n")
      .filter((line) => line.trim() !== "");
    const clipped = lines.map((line) => clipColumns(line, width));
    const shown = firstOf(clipped, SECTION_LINES, "line", "");
    return [`  ${pc.bold(heading)}`, ...shown.map((line) => `    ${line}`)];
  });
  return ["", "Summary", ...sections];
}

function places(io: Io, result: CompactResult): string[] {
  const { report, out, to, archive, howLong } = result;
  const originals = originalsOf(result);
  const handle = report.head?.handle;
  const file = out === "-" ? "to stdout" : out && fromHere(io, path.resolve(io.cwd, out));
  const kept = `${fromHere(io, archive)} (${plural(originals, "original")}, byte for byte)`;
  const lines = [
    ...(handle === undefined ? [] : field("Head", handle)),
    ...(originals === 0 ? [] : field("Archive", kept)),
    ...(file === undefined ? [] : field("Written", `${file} (${to})`)),
    ...(file === undefined || originals === 0 ? [] : field("Kept", howLong)),
  ];
  return lines.length === 0 ? [] : ["", ...lines];
}

/** The number of originals in the archive; none where that failed. */
function originalsOf({ report: { prune, clipped, head, failures } }: CompactResult): number {
  if (failures.some(({ code }) => code !== "summarizer-failed")) return 0;
  return prune.length + clipped.length + (head?.handle === undefined ? 0 : 1);
}

/** The way on with the result, a command on a line of its own. */
function nextSteps({ loaded, out, to, session, isForced, report }: CompactResult): string[] {
  const { format } = loaded.transcript;
  const isOwn = isSessionAgent(format);
  const resume = (force: string): string =>
    unbroken(`${typedCommand(["longhaul", "resume", session])}${force}`);
  if (out === undefined) {
    if (isForced) return ["go on working; there is nothing to take out"];
    if (!isOwn) return ["go on working; --force makes it smaller anyway"];
    return ["go on working; this makes it smaller anyway:", resume(" --force")];
  }
  const send = `send its messages (${to}) in place of the old ones`;
  if (!isOwn) return [send];
  // With room it would find nothing to do of itself.
  const force = report.tokens.before < report.usable ? " --force" : "";
  return [resume(force), `goes on in ${format}; or ${send}`];
}

/** A path as it is shortest from where the person is. */
function fromHere({ cwd }: Io, place: string): string {
  const relative = path.relative(cwd, place);
  return unbroken(relative.startsWith("..") ? place : relative);
}

function warnings({ report: { failures, warnings: others } }: Outcome): string[] {
  const lines = warningLines([...failures.map(({ message }) => message), ...others]);
  return lines.length === 0 ? [] : ["", ...lines];
}

/** Problems that are shown. */
const SHOWN_PROBLEMS = 4;
const PROBLEM_WIDTH = 160;

/** The model's part in the summary; nothing if none was asked. */
function modelLines(summary: SummaryReport): string[] {
  const { calls, source } = summary;
  const name = calls[0]?.summarizer;
  if (name === undefined) return [];
  const problems = calls.flatMap((call, at) =>
    call.problems.map((problem) => clipLine(`call ${at + 1}: ${problem}`, PROBLEM_WIDTH)),
  );
  const shown = firstOf(problems.map(pc.dim), SHOWN_PROBLEMS, "problem");
  return [`${name} ${PART[source]}`, effort(summary), ...shown];
}

/** Words for the model's part. */
const PART: Readonly<Record<SummaryReport["source"], string>> = {
  model: "wrote the summary",
  repaired: "wrote the summary, not all its words had room",
  extractive: "was asked, and the summary was made without it",
};

function effort({ calls, usage, waitedMs }: SummaryReport): string {
  const asked = `${plural(calls.length, "call")} in ${(waitedMs / 1_000).toFixed(1)} s`;
  if (calls.every((call) => call.usage === undefined)) return `${asked}, tokens not reported`;
  return `${asked}, ${count(usage.input)} tokens in (${count(usage.cached)} cached), ${count(usage.output)} out`;
}

/** The stable JSON report; fields are only ever added. */
export function compactJson(result: CompactResult, showPrompt?: boolean): object {
  const { report, ledger, loaded, size } = result;
  const { action, window, reserved, usable, tokens, messages, prune, clipped, head, tail } = report;
  return {
    format: loaded.transcript.format,
    action,
    window,
    reserved,
    usable,
    tokens: { ...tokens, most: size.most, outside: size.outside, factor: size.factor },
    messages,
    prune,
    clipped,
    reasoning: report.reasoning,
    head,
    tail,
    summary: report.summary && jsonSummary(report.summary, showPrompt),
    continuation: report.continuation,
    ledger,
    to: result.to,
    out: result.out,
    archive: result.archive,
    kept: keptJson(result),
    warnings: report.warnings,
    failures: report.failures,
    durationMs: report.durationMs,
  };
}

/** `null` where nothing was archived, or no result names it. */
function keptJson(result: CompactResult): object | null {
  const originals = originalsOf(result);
  return result.out === undefined || originals === 0
    ? null
    : { originals, howLong: result.howLong };
}

/** Prompts hold the whole conversation, so they are only printed when asked for. */
function jsonSummary(summary: SummaryReport, showPrompt = false): unknown {
  const { source, tokens, sections, usage, waitedMs, calls } = summary;
  const shown = calls.map(({ prompt, ...call }) => (showPrompt ? { ...call, prompt } : call));
  return { source, tokens, sections, usage, waitedMs, calls: shown };
}
