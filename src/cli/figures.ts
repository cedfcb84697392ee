import { clipLine } from "../core/text/clip.ts";
import { oneLine } from "../core/text/clean.ts";

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

/** Shortens a text to a width, in the middle, so that both ends can be read. */
export function fit(text: string, width: number): string {
  const line = oneLine(text);
  const units = [...line];
  if (units.length <= width) return line;
  const head = Math.ceil((width - 1) * 0.6);
  return `${units.slice(0, head).join("")}…${units.slice(units.length - (width - 1 - head)).join("")}`;
}

/** Shortens a text to a width, at its end. */
export function clipEnd(text: string, width: number): string {
  return clipLine(text, width);
}

/** Breaks a line between words; further lines are indented. */
export function wrap(text: string, width: number, indent = 0): string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest.length > width && !rest.includes("\u001B")) {
    const at = rest.lastIndexOf(" ", width);
    if (at <= indent) break;
    lines.push(rest.slice(0, at));
    rest = " ".repeat(indent) + rest.slice(at + 1);
  }
  return [...lines, rest];
}

/** A size given by a person: 128000, 128k, 1m. Returns `undefined` for anything else. */
export function parseTokens(text: string): number | undefined {
  const match = /^(\d+(?:[._]\d+)*)\s*([km]?)$/i.exec(text.replaceAll(",", "_").trim());
  if (match === null) return undefined;
  const [, digits = "", unit = ""] = match;
  const value = Number(digits.replaceAll("_", ""));
  const factor = unit === "" ? 1 : unit.toLowerCase() === "k" ? 1_000 : 1_000_000;
  return value > 0 ? Math.round(value * factor) : undefined;
}

const DURATION_UNITS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** A time given by a person, in ms: 90m, 12h, 7d, 2w. Returns `undefined` for anything else. */
export function parseDuration(text: string): number | undefined {
  const [, digits = "", unit = ""] = /^(\d+(?:\.\d+)?)\s*([mhdw])$/i.exec(text.trim()) ?? [];
  const factor = DURATION_UNITS[unit.toLowerCase()];
  return factor === undefined ? undefined : Number(digits) * factor;
}

const SIZE_UNITS: Readonly<Record<string, number>> = { "": 1, k: 1e3, m: 1e6, g: 1e9, t: 1e12 };

/** A size given by a person, in bytes: 500MB, 2GB, 1.5g. Returns `undefined` for anything else. */
export function parseSize(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*([kmgt]?)b?$/i.exec(text.trim());
  const factor = SIZE_UNITS[match?.[2]?.toLowerCase() ?? "none"];
  return match === null || factor === undefined ? undefined : Math.round(Number(match[1]) * factor);
}

/** Two numbers given by a person: 10-200, or 10- for "to the end". `undefined` for anything else. */
export function parseRange(text: string): readonly [number, number] | undefined {
  const match = /^(\d+)-(\d*)$/.exec(text.trim());
  if (match === null) return undefined;
  return [Number(match[1]), match[2] === "" ? Infinity : Number(match[2])];
}

/** A point in time (ms since the epoch) in the local time zone: 2026-11-20 10:44. */
export function localTime(time: number): string {
  const date = new Date(time);
  const two = (value: number): string => String(value).padStart(2, "0");
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join("-");
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
