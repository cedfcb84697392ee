import pc from "picocolors";
import type { ContentItem, ContentKind } from "../core/contents/window-contents.ts";
import { clipLine } from "../core/text/clip.ts";
import { chart } from "./chart.ts";
import { cell, clipColumns, columnsOf, tableLine } from "./columns.ts";
import { count, localTime, percent, plural, tokens } from "../core/text/figures.ts";
import { bar, field, firstOf, fit, nextLines, warningLines } from "./figures.ts";
import { adviceSentence, type Growth, type Inspection, type PrunableKind } from "./inspection.ts";
import { type Io, widthOf } from "./io.ts";
import { roomWords, sourceWords } from "./measure-session.ts";
import { typedCommand } from "./program-call.ts";

/** The contents of the window, for a person. */
export function inspectView(io: Io, inspection: Inspection): string[] {
  const width = widthOf(io);
  return [
    ...headline(inspection, width),
    "",
    ...fullness(inspection, width),
    ...section("By role, % of usable", kindLines(inspection, width)),
    ...section("By tool", toolLines(inspection, width)),
    ...section("Largest, % of usable", largestLines(inspection, width)),
    ...section("Growth", growthLines(inspection, width)),
    "",
    prunableLine(inspection),
    ...adviceLines(inspection),
    ...warningLines(inspection.warnings),
    ...nextLines([typedCommand(["longhaul", "compact", inspection.file])]),
  ];
}

/** The same for an agent that asks about its own session. */
export function windowLines(io: Io, inspection: Inspection): string[] {
  const width = widthOf(io);
  return [
    ...fullness(inspection, width),
    ...section("By role, % of usable", kindLines(inspection, width)),
    ...section("By tool", toolLines(inspection, width)),
    ...section("Largest, % of usable", largestLines(inspection, width)),
  ];
}

/** Columns of a name: both of its ends are seen. */
const ADVICE_NAME = 60;

function adviceLines({ advice, size, loaded }: Inspection): string[] {
  const { cwd } = loaded.conversation;
  const shown = (subject: string): string => fit(inFolder(subject, cwd), ADVICE_NAME);
  return field("Advice", ...advice.map((one) => adviceSentence(one, size.tokens, shown)));
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", pc.bold(title), ...lines];
}

function headline({ loaded, turns, prunedBefore }: Inspection, width: number): string[] {
  const { transcript, conversation, title } = loaded;
  const version = transcript.version === undefined ? "" : ` ${clipLine(transcript.version, 40)}`;
  const model = conversation.model === undefined ? "" : `, ${clipLine(conversation.model, 60)}`;
  const { messages, cwd } = conversation;
  const calls = messages.reduce(
    (total, { parts }) => total + parts.filter((part) => part.type === "tool-call").length,
    0,
  );
  const facts = [
    plural(messages.length, "message"),
    plural(turns, "turn"),
    plural(calls, "tool call"),
  ];
  const { compactions } = transcript;
  if (compactions > 0) facts.push(`compacted ${times(compactions)} before`);
  if (prunedBefore > 0) facts.push(`${plural(prunedBefore, "output")} pruned before`);
  return [
    pc.bold(`${title}${version}`) + pc.dim(model),
    ...(conversation.title === undefined ? [] : [clipColumns(conversation.title, width)]),
    facts.join(", "),
    ...(cwd === undefined ? [] : [pc.dim(fit(`in ${cwd}`, width))]),
  ];
}

function times(value: number): string {
  return value === 1 ? "once" : value === 2 ? "twice" : `${count(value)} times`;
}

function fullness({ size, chosen, reservedWords: why }: Inspection, width: number): string[] {
  const { tokens: held, budget, isOver } = size;
  const paint = isOver ? pc.red : held >= budget.usable * 0.8 ? pc.yellow : pc.green;
  const assumed = chosen.from === "default" ? " (assumed)" : "";
  return [
    `Window    ${count(budget.window)} tokens${assumed}, of which ${count(budget.usable)} usable (${count(budget.reserved)} ${why})`,
    `In it     ${count(held)} tokens, ${sourceWords(size)}`,
    `          ${paint(bar(held, budget.usable, Math.min(60, width - 28)))} ${percent(held, budget.usable)} of usable`,
    `State     ${paint(`${isOver ? "Overflow" : "No overflow"}: ${roomWords(size)}`)}`,
  ];
}

const LABELS: Readonly<Record<ContentKind, string>> = {
  outside: "not in the file",
  system: "system",
  summary: "summary",
  user: "user, typed",
  injected: "injected",
  text: "assistant text",
  reasoning: "reasoning",
  "tool-call": "tool calls",
  "tool-result": "tool results",
  file: "files, images",
  other: "other",
};

function kindLines({ kinds, size }: Inspection, width: number): string[] {
  const { usable } = size.budget;
  const most = Math.max(0, ...kinds.map((kind) => kind.tokens));
  const row = (label: string, held: number): string =>
    `  ${label.padEnd(16)}${count(held).padStart(11)}${percent(held, usable).padStart(7)}`;
  const lines = kinds.map(({ kind, tokens: held }) => {
    const line = `${row(LABELS[kind], held)}  `;
    return `${line}${pc.cyan(bar(held, most, width - line.length))}`;
  });
  const free = usable - size.tokens;
  if (free > 0) lines.push(pc.dim(row("free", free)));
  if (size.outside === 0) return lines;
  const by =
    size.source === "reported" ? "by what the provider reported" : "as --fixed-tokens says";
  const note = `  not in the file: the agent's system prompt and tools, ${by}`;
  return [...lines, pc.dim(note)];
}

/** Tools that have a line of their own. */
const SHOWN_TOOLS = 12;

function toolLines({ tools }: Inspection, width: number): string[] {
  if (tools.length === 0) return [];
  const shown = tools.slice(0, SHOWN_TOOLS);
  const name = Math.min(28, width - 46, Math.max(8, ...shown.map(({ tool }) => tool.length)));
  const most = Math.max(...shown.map(({ input, output }) => input + output));
  const shape = { widths: [7, 8, 10, 10], gap: "", most: name };
  const line = (...cells: readonly string[]): string => `  ${tableLine(cells, width, shape)}`;
  const rows = tools.map(({ tool, calls, failed, input, output }) => {
    const failures = failed > 0 ? count(failed) : "";
    const own = line(fit(tool, name), count(calls), failures, count(input), count(output));
    return `${own}  ${pc.cyan(bar(input + output, most, width - columnsOf(own) - 2))}`;
  });
  const heading = pc.dim(line("", "calls", "failed", "inputs", "outputs"));
  return [heading, ...firstOf(rows, SHOWN_TOOLS, "tool")];
}

/** Paths below the session's folder need not name it, nor need commands go there first. */
function inFolder(subject: string, cwd: string | undefined): string {
  if (!cwd || cwd === "/") return subject;
  const bare = subject.startsWith(`cd ${cwd} && `) ? subject.slice(cwd.length + 7) : subject;
  return bare.replaceAll(`${cwd}/`, "");
}

function largestLines({ largest, size, loaded }: Inspection, width: number): string[] {
  const places = largest.map(({ message }) => (message === undefined ? "" : `#${message}`));
  const wide = Math.max(0, ...places.map((place) => place.length));
  const names = largest.map((item) => fit(itemName(item), 22));
  const name = Math.max(0, ...names.map(columnsOf));
  const { cwd } = loaded.conversation;
  const shown = largest.find(({ message }) => message !== undefined)?.message;
  const lines = largest.map((item, index) => {
    const line = `  ${(places[index] ?? "").padStart(wide)}${count(item.tokens).padStart(9)}${percent(item.tokens, size.budget.usable).padStart(6)}  ${cell(names[index] ?? "", name)}  `;
    const [subject, room] = [inFolder(item.subject, cwd), Math.max(8, width - line.length)];
    const isPath = !/\s/.test(subject);
    const told = isPath ? fit(subject, room) : clipColumns(subject, room);
    return `${line}${item.kind === "tool-call" || item.kind === "tool-result" ? told : pc.dim(told)}`.trimEnd();
  });
  if (shown === undefined) return lines;
  return [...lines, pc.dim(`  #${shown} in full: the same command with --show ${shown}`)];
}

function itemName({ kind, tool }: ContentItem): string {
  if (kind === "tool-call") return `${tool} input`;
  if (kind === "tool-result") return tool === undefined ? "tool result" : `${tool} output`;
  if (kind === "file") return tool === undefined ? "file" : `${tool} file`;
  return LABELS[kind];
}

const CHART_HEIGHT = 6;
const AXIS = 8;

function growthLines(
  { growth, size: { budget }, loaded, prunedBefore }: Inspection,
  width: number,
): string[] {
  const values = growth.samples.map((sample) => sample.tokens);
  const peak = values.reduce((most, value) => Math.max(most, value), 0);
  if (values.length < 2 || peak === 0) return [];
  // The window is the scale, unless the session is so small in it that nothing could be seen.
  const isWindow = peak >= budget.window * 0.3 && peak <= budget.window;
  const top = isWindow ? budget.window : peak;
  const { rows, drops } = chart(values, { width: width - AXIS - 1, height: CHART_HEIGHT, top });
  const step = top / CHART_HEIGHT;
  const isCut = loaded.transcript.compactions + prunedBefore > 0;
  const legend = isCut ? "▾ compacted or pruned" : "▾ less than before";
  return [
    ...rows.map((row, index) => {
      const floor = (CHART_HEIGHT - 1 - index) * step;
      const hasWindow = floor < budget.window && budget.window <= floor + step;
      const label = index === 0 ? tokens(top) : hasWindow ? tokens(budget.window) : "";
      const paint = floor >= budget.window ? pc.red : pc.cyan;
      return `${label.padStart(AXIS - 1)} ${pc.dim(hasWindow ? "┤" : "│")}${paint(row)}`.trimEnd();
    }),
    `${"0".padStart(AXIS - 1)} ${pc.dim(`└${"─".repeat(width - AXIS - 1)}`)}`,
    ...(drops.trim() === "" ? [] : [`${" ".repeat(AXIS + 1)}${pc.yellow(drops)}`.trimEnd()]),
    axisLabels(growth, width),
    ...(drops.trim() === "" ? [] : [pc.dim(`${" ".repeat(AXIS + 1)}${legend}`)]),
  ];
}

/** Times where they are known, else steps or messages. */
function axisLabels({ samples, source }: Growth, width: number): string {
  const [first, last] = [samples[0], samples.at(-1)];
  const noun = source === "reported" ? "step" : "message";
  const [from, to] = [first?.time, last?.time];
  const hasTimes = from !== undefined && to !== undefined;
  const left = hasTimes ? localTime(from) : `${noun} 1`;
  const right = hasTimes ? localTime(to) : `${noun} ${count(samples.length)}`;
  const room = width - AXIS - 1 - left.length;
  return pc.dim(
    `${" ".repeat(AXIS + 1)}${left}${right.padStart(Math.max(right.length + 1, room))}`,
  );
}

const PRUNABLE: Readonly<Record<PrunableKind, string>> = {
  duplicate: "duplicate",
  superseded: "superseded read",
  "old output": "old output",
  "old input": "large old input",
};

function prunableLine({ prunable }: Inspection): string {
  if (prunable.length === 0) return "Prunable  nothing";
  const all = prunable.reduce((total, piece) => total + piece.tokens, 0);
  const pieces = prunable.map(({ kind, pieces }) => plural(pieces, PRUNABLE[kind]));
  return `Prunable  ${count(all)} tokens: ${pieces.join(", ")}`;
}
