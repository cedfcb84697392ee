import path from "node:path";
import pc from "picocolors";
import type { CompactResult } from "../compact.ts";
import { bar, clipEnd, count, plural } from "./figures.ts";
import { type Io, widthOf } from "../io.ts";
import { modelLines } from "./model-view.ts";

/** How many lines of each section of the summary are shown. */
const SECTION_LINES = 3;

/** What `compact` did, for a person. */
export function compactView(io: Io, result: CompactResult): string[] {
  return [
    ...headline(result),
    "",
    ...sizes(io, result),
    "",
    ...actions(result),
    ...summary(io, result),
    ...places(io, result),
    ...warnings(result),
  ];
}

function headline({ loaded, report }: CompactResult): string[] {
  const { transcript, conversation, title } = loaded;
  const version = transcript.version === undefined ? "" : ` ${transcript.version}`;
  const model = conversation.model === undefined ? "" : `, ${conversation.model}`;
  return [
    pc.bold(`${title}${version}`) +
      pc.dim(`${model}, ${plural(report.messages.before, "message")}`),
    `Window ${count(report.window)} tokens, of which ${count(report.usable)} usable (${count(report.reserved)} reserved for the answer)`,
  ];
}

function sizes(io: Io, { report }: CompactResult): string[] {
  const { before, after } = report.tokens;
  const whole = Math.max(before, after, report.usable);
  const width = widthOf(io) - 36;
  const line = (name: string, tokens: number): string => {
    const room = report.usable - tokens;
    const paint = room > 0 ? pc.green : pc.red;
    const verdict = room > 0 ? `${count(room)} free` : `over by ${count(-room)}`;
    return `  ${name.padEnd(7)}${count(tokens).padStart(9)}  ${paint(bar(tokens, whole, width))} ${pc.dim(verdict)}`;
  };
  return report.action === "none"
    ? [line("now", before)]
    : [line("before", before), line("after", after)];
}

function actions({ report, ledger }: CompactResult): string[] {
  const lines: string[] = [];
  if (report.action === "none") {
    lines.push("Nothing to do: the conversation fits. (--force compacts it anyway.)");
  }
  const saved = report.prune.reduce((total, piece) => total + piece.tokens, 0);
  if (report.prune.length > 0) {
    lines.push(
      `Pruned    ${plural(report.prune.length, "old piece")} of ${count(saved)} tokens, each replaced by a placeholder`,
    );
  }
  if (report.head !== undefined && report.summary !== undefined && report.tail !== undefined) {
    const { head, tail } = report;
    lines.push(
      `Compacted ${plural(head.messages, "message")} of ${count(head.tokens)} tokens into a summary of ${count(report.summary.tokens)}`,
      `Kept      ${plural(tail.messages, "message")} at the end${report.clipped.length === 0 ? ", word for word" : `, ${plural(report.clipped.length, "large piece")} clipped`}`,
    );
  }
  lines.push(...modelLines(report));
  if (report.continuation !== undefined) {
    const added = report.continuation.added ? ", a message to go on was added" : "";
    lines.push(`Run state ${report.continuation.state}${added}`);
  }
  lines.push(
    `Ledger    ${plural(ledger.files.length, "file")}, ${plural(ledger.commands.length, "command")}, ${plural(ledger.instructions.length, "instruction")}, ${plural(ledger.todos.length, "todo")}, ${plural(ledger.errors.length, "error")}`,
  );
  return lines;
}

const HEADINGS: Readonly<Record<string, string>> = {
  goal: "Goal",
  instructions: "Instructions",
  discoveries: "Discoveries",
  accomplished: "Accomplished",
  relevantFiles: "Relevant files",
};

function summary(io: Io, { report }: CompactResult): string[] {
  if (report.summary === undefined) return [];
  const width = widthOf(io) - 6;
  const sections = Object.entries(HEADINGS).flatMap(([id, heading]) => {
    const lines = (report.summary?.sections[id] ?? "")
      .split("\n")
      .filter((line) => line.trim() !== "");
    const more = lines.length - SECTION_LINES;
    return [
      `  ${pc.bold(heading)}`,
      ...lines.slice(0, SECTION_LINES).map((line) => `    ${clipEnd(line, width)}`),
      ...(more > 0 ? [pc.dim(`    … ${plural(more, "more line")}`)] : []),
    ];
  });
  return ["", "Summary", ...sections];
}

function places(io: Io, { report, out, to, archive }: CompactResult): string[] {
  const lines: string[] = [];
  const originals =
    report.prune.length + report.clipped.length + (report.head?.handle === undefined ? 0 : 1);
  if (report.head?.handle !== undefined) lines.push(`Head      ${report.head.handle}`);
  const isKept = report.failures.every(({ code }) => code === "summarizer-failed");
  if (originals > 0 && isKept) {
    lines.push(
      `Archive   ${fromHere(io, archive)} (${plural(originals, "original")}, byte for byte)`,
    );
  }
  if (out !== undefined) lines.push(`Written   ${out === "-" ? "to stdout" : out} (${to})`);
  return lines.length === 0 ? [] : ["", ...lines];
}

/** A path as it is shortest from where the person is. */
function fromHere({ cwd }: Io, place: string): string {
  const relative = path.relative(cwd, place);
  return relative.startsWith("..") ? place : relative;
}

/** How many warnings are shown; `--json` has them all. */
const SHOWN_WARNINGS = 8;

function warnings({ report }: CompactResult): string[] {
  const all = [...report.failures.map((failure) => failure.message), ...report.warnings];
  if (all.length === 0) return [];
  const more = all.length - SHOWN_WARNINGS;
  return [
    "",
    ...all.slice(0, SHOWN_WARNINGS).map((warning) => pc.yellow(`! ${warning}`)),
    ...(more > 0 ? [pc.dim(`  … ${plural(more, "more warning")}; --json has them all`)] : []),
  ];
}
