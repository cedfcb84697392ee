import pc from "picocolors";
import { oneLine } from "../core/text/clean.ts";
import { plural } from "../core/text/figures.ts";
import { columnsOf } from "./columns.ts";

const MINUTE_MS = 60_000;
/** Units of time in minutes, and up to which number of it each is told. */
const AGES: readonly (readonly [unit: string, minutes: number, below: number])[] = [
  ["m", 1, 60],
  ["h", 60, 24],
  ["d", 1_440, 14],
  ["w", 10_080, 104],
  ["y", 525_600, Infinity],
];

/** A time ago, short: now, 5m, 3h, 2d, 6w, 2y. */
export function age(ms: number): string {
  const minutes = ms / MINUTE_MS;
  if (minutes < 1) return "now";
  const [unit, each] = AGES.find(([, size, below]) => minutes < size * below) ?? ["y", 525_600];
  return `${Math.floor(minutes / each)}${unit}`;
}

const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/** A horizontal bar of at most `width` characters; anything above zero can be seen. */
export function bar(value: number, whole: number, width: number): string {
  if (value <= 0 || whole <= 0) return "";
  const eighths = Math.max(1, Math.round((Math.min(value, whole) / whole) * width * 8));
  return "█".repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8];
}

/** Shortens a text to so many columns, in the middle, so that both ends can be read. */
export function fit(text: string, columns: number): string {
  const line = oneLine(text);
  const units = [...line];
  for (let room = columns - 1, whole = line; ; room -= 1) {
    if (columnsOf(whole) <= columns || room < 1) return whole;
    const head = Math.ceil(room * 0.6);
    whole = `${units.slice(0, head).join("")}…${units.slice(units.length - (room - head)).join("")}`;
  }
}

/** Lines under one name: `Kept      all of it`; further ones stand below the first. */
export function field(name: string, ...lines: readonly string[]): string[] {
  return lines.map((line, at) => (at === 0 ? name : "").padEnd(FIELD_WIDTH) + line);
}

const FIELD_WIDTH = 10;

/** The command that a person goes on with, the last of all lines. */
export function nextLines(lines: readonly string[]): string[] {
  return lines.map((line, at) => pc.bold((at === 0 ? "Next: " : "      ") + line));
}

/** The first lines, and how many more there are. */
export function firstOf(
  lines: readonly string[],
  most: number,
  noun: string,
  note = "; --json has them all",
): string[] {
  const more = lines.length - most;
  if (more <= 0) return [...lines];
  return [...lines.slice(0, most), pc.dim(`… ${plural(more, `more ${noun}`)}${note}`)];
}

/** Warnings that are shown; `--json` has them all. */
const SHOWN_WARNINGS = 8;

/** The first warnings, each on a line of its own. */
export function warningLines(warnings: readonly string[]): string[] {
  const lines = warnings.map((warning) => pc.yellow(`! ${warning}`));
  return firstOf(lines, SHOWN_WARNINGS, "warning");
}
