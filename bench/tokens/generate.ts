/** Kinds of text that no package holds: made from a seed, so that every run makes the same. */

/** A small random generator (mulberry32): numbers in [0, 1). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

type Random = () => number;

const HEX = "0123456789abcdef";
const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const LOWER = "abcdefghijklmnopqrstuvwxyz";
const PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";

export function pick<T>(random: Random, items: readonly T[]): T {
  return items[Math.floor(random() * items.length)]!;
}

function chars(random: Random, alphabet: string, length: number): string {
  let text = "";
  for (let i = 0; i < length; i++) text += alphabet[Math.floor(random() * alphabet.length)];
  return text;
}

function lines(count: number, line: (index: number) => string): string {
  return Array.from({ length: count }, (_, i) => line(i)).join("\n");
}

function uuid(random: Random): string {
  return [8, 4, 4, 4, 12].map((length) => chars(random, HEX, length)).join("-");
}

/** Base64, hex, UUID and hash lists, tokens, hex dumps. */
export function blob(random: Random): string {
  const makers = [
    () => chars(random, BASE64, 16_000),
    () => lines(200, () => chars(random, BASE64, 76)),
    () => chars(random, HEX, 16_000),
    () => chars(random, HEX.toUpperCase(), 8_000),
    () => lines(400, () => uuid(random)),
    () => lines(200, (i) => `${chars(random, HEX, 64)}  src/part-${i}.bin`),
    () => lines(200, () => `"integrity": "sha512-${chars(random, BASE64, 86)}==",`),
    () => `eyJ${chars(random, BASE64.replace("+/", "-_"), 900)}.${chars(random, BASE64, 43)}`,
    () => lines(250, (i) => hexDump(random, i)),
    () => lines(300, () => `${chars(random, HEX, 40)} refs/tags/v${Math.floor(random() * 99)}`),
  ];
  return pick(random, makers)();
}

function hexDump(random: Random, index: number): string {
  const bytes = Array.from({ length: 8 }, () => chars(random, HEX, 4)).join(" ");
  return `${(index * 16).toString(16).padStart(8, "0")}: ${bytes}  ${chars(random, BASE64, 16)}`;
}

const RUN_UNITS = [
  ..."=-_*#.~+ \n\tax0A/|\\",
  "─",
  "═",
  "█",
  "░",
  "•",
  "…",
  "哈",
  "あ",
  "é",
  "я",
  "😀",
];

/** Long runs of one unit: rulers, progress bars, blank output, padding. */
export function runs(random: Random): string {
  const unit = pick(random, RUN_UNITS);
  if (random() < 0.4) return unit.repeat(6_000);
  const words = ["done", "ok", "step 3/7", "42%", "# Title", "total", "x"];
  return lines(120, () => {
    return (
      unit.repeat(10 + Math.floor(random() * 150)) + (random() < 0.5 ? pick(random, words) : "")
    );
  });
}

/** Random letters, punctuation, digits and odd Unicode, without any sense. */
export function noise(random: Random): string {
  const makers = [
    () => chars(random, PUNCTUATION, 8_000),
    () => chars(random, PUNCTUATION + LOWER + "  ", 8_000),
    () => chars(random, LOWER, 8_000),
    () => chars(random, LOWER + "   ", 8_000),
    () => chars(random, LOWER + LOWER.toUpperCase() + "  ", 8_000),
    () => chars(random, "0123456789", 8_000),
    () => lines(600, () => String(Math.floor(random() * 1e6) / 100)),
    () =>
      lines(600, () =>
        lines(1, () => `${random()},${Math.floor(random() * 1e9)},${random() * 100}`),
      ),
    () => codePoints(random, 0x1f300, 0x1f64f),
    () => codePoints(random, 0x4e00, 0x9fff),
    () => codePoints(random, 0x2190, 0x27bf),
    () => codePoints(random, 0x80, 0x24f),
    () => codePoints(random, 0x3041, 0x30ff),
    () => codePoints(random, 0xac00, 0xd7a3),
  ];
  return pick(random, makers)();
}

function codePoints(random: Random, from: number, to: number): string {
  let text = "";
  for (let i = 0; i < 4_000; i++) {
    text += String.fromCodePoint(from + Math.floor(random() * (to - from + 1)));
    if (random() < 0.1) text += " ";
  }
  return text;
}

const LEVELS = ["INFO", "WARN", "ERROR", "DEBUG", "info", "error", "trace"];
const MODULES = ["http.server", "db.pool", "auth", "scheduler", "worker-3", "cache", "net::dns"];
const EVENTS = [
  "request completed",
  "connection reset by peer",
  "retrying in",
  "cache miss for key",
  "slow query took",
  "user session expired",
  "failed to open file",
  "listening on",
];

/** Log lines of services: timestamps, levels, addresses, ids, durations. */
export function serviceLog(random: Random): string {
  const style = Math.floor(random() * 5);
  return lines(250, (i) =>
    logLine(random, style, 1_700_000_000_000 + i * 137 + Math.floor(random() * 99)),
  );
}

function logLine(random: Random, style: number, at: number): string {
  const time = new Date(at).toISOString();
  const address = Array.from({ length: 4 }, () => Math.floor(random() * 256)).join(".");
  const path = `/api/v1/${pick(random, ["users", "orders", "items"])}/${Math.floor(random() * 1e5)}`;
  const ms = Math.floor(random() * 5_000);
  const event = pick(random, EVENTS);
  if (style === 0)
    return `${time} [${pick(random, LEVELS)}] ${pick(random, MODULES)}: ${event} ${path} (${ms}ms)`;
  if (style === 1) {
    return `${address} - - [${time}] "GET ${path} HTTP/1.1" 200 ${ms * 7} "-" "Mozilla/5.0 (X11; Linux x86_64)"`;
  }
  if (style === 2) {
    return JSON.stringify({
      ts: at,
      level: pick(random, LEVELS),
      msg: event,
      req: uuid(random),
      ms,
    });
  }
  if (style === 3)
    return `[${time.slice(11, 23)}] ✓ test/unit/${pick(random, MODULES)}.test.ts > ${event} ${ms}ms`;
  return `Nov ${1 + (ms % 28)} ${time.slice(11, 19)} host-${ms % 9} kernel: [${at % 1e6}.${ms}] ${event} pid=${ms} addr=0x${chars(random, HEX, 12)}`;
}

const NUMBERED: readonly ((line: string, n: number) => string)[] = [
  (line, n) => `${String(n).padStart(6)}→${line}`,
  (line, n) => `${String(n).padStart(6)}\t${line}`,
  (line, n) => `${String(n).padStart(5, "0")}| ${line}`,
  (line, n) => `${n}: ${line}`,
  (line, n) => `${n}:${line}`,
  (line, n) => `${n} | ${line}`,
  (line, n) => `src/lib/file-${n % 7}.ts:${n}:${line}`,
  (line, n) => `${String(n).padStart(5)} | ${line}`,
  (line, n) => `${String(n).padStart(4)}  ${line}`,
];

/** The same code, indented by tabs. */
export function tabbed(text: string): string {
  const width = /^ {4}(?! )/m.test(text) && !/^ {2}(?! )/m.test(text) ? 4 : 2;
  return text.replaceAll(/^ +/gm, (indent) => "\t".repeat(Math.ceil(indent.length / width)));
}

/** A file as the read and grep tools of agents print it: with line numbers. */
export function numbered(random: Random, text: string): string {
  const format = pick(random, NUMBERED);
  const first = 1 + Math.floor(random() * (random() < 0.5 ? 20 : 3_000));
  return text
    .split("\n")
    .map((line, i) => format(line, first + i))
    .join("\n");
}

/** A file as a unified diff: hunks, and lines that came, went or stayed. */
export function diff(random: Random, text: string): string {
  let mode = " ";
  return text
    .split("\n")
    .flatMap((line, i) => {
      if (random() < 0.25) mode = pick(random, ["+", "-", " ", "+"]);
      const hunk = i % 40 === 0 ? [`@@ -${i + 1},40 +${i + 3},41 @@ ${line.trim()}`] : [];
      return [...hunk, mode + line];
    })
    .join("\n");
}
