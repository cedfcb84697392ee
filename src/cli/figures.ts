import pc from "picocolors";
import { oneLine } from "../core/text/clean.ts";
import { columnsOf } from "./columns.ts";

/** Figures as people read them; pure. */

/** 1234567 → 1,234,567. (`toLocaleString` would load the tables of all languages first.) */
export function count(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** Tokens, short: 950, 12.3k, 1.2M. */
export function tokens(value: number): string {
  if (value < 1_000) return String(Math.round(value));
  if (value < 1_000_000) return `${(value / 1_000).toFixed(value < 100_000 ? 1 : 0)}k`;
  return `${(value / 1_000_000).toFixed(1)}M`;
}

/** Bytes, short: 950 B, 12.3 KB, 1.2 MB. */
export function bytes(value: number): string {
  if (value < 1_000) return `${value} B`;
  if (value < 1_000_000) return `${(value / 1_000).toFixed(1)} KB`;
  if (value < 1_000_000_000) return `${(value / 1_000_000).toFixed(1)} MB`;
  return `${(value / 1_000_000_000).toFixed(1)} GB`;
}

export function percent(part: number, whole: number): string {
  return whole > 0 ? `${Math.round((part / whole) * 100)} %` : "–";
}

/** US dollars, short: $0.04, $12.30, $1,234. */
export function money(dollars: number): string {
  if (dollars > 0 && dollars < 0.01) return "<$0.01";
  if (dollars >= 1_000) return `$${count(dollars)}`;
  return `$${dollars.toFixed(2)}`;
}

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

/** One thing or several: `plural(2, "message")` → `2 messages`. */
export function plural(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
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

/** A point in time (ms since the epoch) in the local time zone: 2026-11-20 10:44. */
export function localTime(time: number): string {
  const date = new Date(time);
  const two = (value: number): string => String(value).padStart(2, "0");
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join("-");
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** Warnings that are shown; `--json` has them all. */
const SHOWN_WARNINGS = 8;

/** The first warnings, each on a line of its own. */
export function warningLines(warnings: readonly string[]): string[] {
  const shown = warnings.slice(0, SHOWN_WARNINGS);
  const more = warnings.length - shown.length;
  return [
    ...shown.map((warning) => pc.yellow(`! ${warning}`)),
    ...(more > 0 ? [pc.dim(`  … ${plural(more, "more warning")}; --json has them all`)] : []),
  ];
}
