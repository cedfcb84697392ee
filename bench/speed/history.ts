/**
 * A synthetic history: the same content for every library, in its own format. Per ten messages
 * there is one request of the person, four pairs of a tool call and its result (2 to 4 KB of code,
 * logs, grep hits, JSON or paths) and a closing text. No randomness but a seeded generator.
 */
import type { Message } from "../../src/index.ts";

export type Entry =
  | { readonly type: "request" | "closing"; readonly text: string }
  | { readonly type: "call"; readonly id: string; readonly tool: string; readonly input: Input }
  | { readonly type: "result"; readonly id: string; readonly tool: string; readonly text: string };

type Input = Readonly<Record<string, string>>;
type Random = () => number;

const MESSAGES_PER_ROUND = 10;
const PAIRS_PER_ROUND = 4;
const MIN_RESULT_UNITS = 2_000;
const MAX_RESULT_UNITS = 4_000;

const WORDS =
  "account archive backoff batch budget buffer cache client config cursor deadline digest draft event export failure filter gateway handle header index invoice journal ledger limit lock message metric migration notice offset order payload planner policy prefix queue reader region replica request result retry router schema segment session shard signal snapshot source stream summary table tenant ticket token trace update vector window worker".split(
    " ",
  );

/** A mulberry32 generator: numbers in [0, 1) that depend on the seed alone. */
function seeded(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const pick = (random: Random): string => WORDS[Math.floor(random() * WORDS.length)] ?? "";
const below = (random: Random, limit: number): number => Math.floor(random() * limit);
const hex = (random: Random): string => below(random, 0xffffffff).toString(16).padStart(8, "0");
const path = (random: Random): string =>
  `src/${pick(random)}/${pick(random)}-${pick(random)}-${below(random, 400)}.ts`;

const codeLine = (random: Random): string => {
  const [a, b, c] = [pick(random), pick(random), pick(random)];
  const lines = [
    `export function ${a}${below(random, 99)}(${b}: string, ${c} = ${below(random, 900)}): number {`,
    `  const ${a} = await ${b}.${c}({ ${a}: true, limit: ${below(random, 5_000)} });`,
    `  if (${a}.${b} > ${below(random, 80)}) throw new Error("${c} is out of range");`,
    `  return ${a}.map((${b}) => ${b}.${c}).filter(Boolean).length;`,
    "}",
  ];
  return lines[below(random, lines.length)] ?? "";
};

const logLine = (random: Random): string =>
  `2026-03-${String(1 + below(random, 28)).padStart(2, "0")}T09:${String(below(random, 60)).padStart(2, "0")}:07.${below(random, 999)}Z ${["INFO", "WARN", "DEBUG"][below(random, 3)]} [${pick(random)}-${below(random, 32)}] ${pick(random)} ${pick(random)} id=${hex(random)} took ${below(random, 4_000)}ms`;

const hitLine = (random: Random): string =>
  `${path(random)}:${1 + below(random, 900)}:  ${codeLine(random).trim()}`;

const jsonLine = (random: Random): string =>
  `  {"id":"${hex(random)}","${pick(random)}":${below(random, 90_000)},"${pick(random)}":"${pick(random)} ${pick(random)}","ok":${random() < 0.5}},`;

interface Tool {
  readonly name: string;
  readonly input: (random: Random) => Input;
  readonly line: (random: Random) => string;
}

const TOOLS: readonly Tool[] = [
  { name: "read", input: (random) => ({ filePath: path(random) }), line: codeLine },
  {
    name: "bash",
    input: (random) => ({
      command: `npm test -- ${path(random)} && tail -n 40 ${pick(random)}.log`,
    }),
    line: logLine,
  },
  {
    name: "grep",
    input: (random) => ({ pattern: `${pick(random)}.*${pick(random)}`, path: "src" }),
    line: hitLine,
  },
  {
    name: "fetch",
    input: (random) => ({ url: `https://api.example.com/${pick(random)}/${hex(random)}` }),
    line: jsonLine,
  },
  { name: "glob", input: (random) => ({ pattern: `src/${pick(random)}/**/*.ts` }), line: path },
];

function output(random: Random, line: Tool["line"]): string {
  const units = MIN_RESULT_UNITS + below(random, MAX_RESULT_UNITS - MIN_RESULT_UNITS);
  const lines: string[] = [];
  for (let held = 0; held < units; held += (lines.at(-1) ?? "").length + 1)
    lines.push(line(random));
  return lines.join("\n");
}

/** The content of so many messages (a multiple of ten). */
export function makeEntries(messages: number): Entry[] {
  const random = seeded(7);
  const entries: Entry[] = [];
  for (let round = 0; round < messages / MESSAGES_PER_ROUND; round++) {
    const text = `Please make the ${pick(random)} ${pick(random)} in ${path(random)} handle a missing ${pick(random)}, and keep the ${pick(random)} tests green.`;
    entries.push({ type: "request", text });
    for (let pair = 0; pair < PAIRS_PER_ROUND; pair++) {
      const { name, input, line } = TOOLS[below(random, TOOLS.length)] as Tool;
      const id = `call_${round}_${pair}`;
      entries.push({ type: "call", id, tool: name, input: input(random) });
      entries.push({ type: "result", id, tool: name, text: output(random, line) });
    }
    const closing = `The ${pick(random)} now falls back to ${pick(random)}; the root cause was the ${pick(random)} ${pick(random)}. All ${below(random, 90)} tests pass.`;
    entries.push({ type: "closing", text: closing });
  }
  return entries;
}

/** The same content as messages of one format; every call makes new objects. */
export function toMessages<T>(
  entries: readonly Entry[],
  format: (entry: Entry, index: number) => T,
): T[] {
  return entries.map((entry, index) => format(entry, index));
}

/** Longhaul's own messages. */
export function neutralMessage(entry: Entry): Message {
  switch (entry.type) {
    case "request":
      return { role: "user", parts: [{ type: "text", text: entry.text }] };
    case "closing":
      return { role: "assistant", parts: [{ type: "text", text: entry.text }] };
    case "call": {
      const { id, tool, input } = entry;
      const call = { type: "tool-call" as const, toolCallId: id, toolName: tool, input };
      return { role: "assistant", parts: [call] };
    }
    case "result": {
      const { id, tool, text } = entry;
      const result = {
        type: "tool-result" as const,
        toolCallId: id,
        toolName: tool,
        output: [{ type: "text" as const, text }],
      };
      return { role: "tool", parts: [result] };
    }
  }
}
