import * as fc from "fast-check";
import { memoryArchive } from "../../src/archive/index.ts";
import type { Archive } from "../../src/archive/archive.ts";
import type { Message, Part, Usage } from "../../src/core/message/index.ts";
import { createMessageMeter } from "../../src/core/tokens/index.ts";
import { quarter } from "../build-messages.ts";
import type { ConversationShape } from "./arbitraries.ts";
import { legalConversation } from "./arbitraries.ts";

/** What the caller, its agent and its disk do between two requests. */
const ACTS = [
  "grow",
  "grow",
  "grow",
  "grow",
  "adopt",
  "adopt",
  "copy",
  "rewind",
  "fork",
  "change",
  "undo",
  "force",
  "recover",
  "restart",
  "forget",
  "break",
  "mend",
  "mutilate",
] as const;

/** What a provider, or the adapter in front of it, says of a request of so many tokens. */
const REPORTS: Readonly<Record<string, (sent: number) => Usage | undefined>> = {
  none: () => undefined,
  honest: (sent) => ({ input: sent + 20, output: 20 }),
  cached: (sent) => ({ input: 4, output: 20, cacheRead: sent + 16 }),
  dear: (sent) => ({ input: Math.ceil(sent * 1.4) + 50, output: 20 }),
  "without its cache": () => ({ input: 4, output: 20 }),
  stale: () => ({ input: 3_000, output: 20 }),
  huge: () => ({ input: 900_000, output: 20 }),
  senseless: () => ({ input: Number.NaN, output: -1, cacheRead: Number.POSITIVE_INFINITY }),
};

/** Reports of what was sent, of one provider or of several. */
export const SENSIBLE: ReadonlySet<string> = new Set(["none", "honest", "cached", "dear"]);

export interface Act {
  readonly act: (typeof ACTS)[number];
  /** What is said and done meanwhile. */
  readonly chunk: readonly Message[];
  /** How many times as long its texts are. */
  readonly scale: number;
  readonly report: string;
  readonly at: number;
}

/** One conversation from its first request to its last. */
export interface Attack {
  readonly window: number;
  readonly dialect: number;
  readonly requestLimits?: { readonly maxBytes?: number; readonly maxImages?: number };
  readonly unansweredMedia: "describe" | "keep";
  readonly describeMedia?: "links" | "all";
  readonly tokenFactor?: number;
  readonly acts: readonly Act[];
}

const CHUNK: ConversationShape = { maxTurns: 2, maxSteps: 2, maxCalls: 2, fewLeaves: 200 };

export const attack: fc.Arbitrary<Attack> = fc.record({
  window: fc.constantFrom(4_000, 4_000, 8_000),
  dialect: fc.nat(4),
  requestLimits: fc.option(
    fc.constantFrom({ maxImages: 2 }, { maxBytes: 16_000 }, { maxBytes: 24_000, maxImages: 3 }),
    { nil: undefined, freq: 2 },
  ),
  unansweredMedia: fc.constantFrom("describe", "keep"),
  describeMedia: fc.constantFrom(undefined, undefined, "links", "all"),
  tokenFactor: fc.constantFrom(undefined, undefined, undefined, 1.4, 2.5),
  acts: fc.array(
    fc.record({
      act: fc.constantFrom(...ACTS),
      chunk: legalConversation(CHUNK),
      scale: fc.constantFrom(1, 1, 6, 30),
      report: fc.constantFrom("none", "honest", "honest", ...Object.keys(REPORTS)),
      at: fc.nat(1_000),
    }),
    { minLength: 2, maxLength: 7 },
  ),
});

const meter = createMessageMeter(quarter);
let serial = 0;

/** The next marks are those of a new conversation, so that a case is the same whenever it runs. */
export function restartMarks(): void {
  serial = 0;
}

/**
 * A chunk as the end of a conversation: every text is another one, and every id is new. The report is
 * about what was sent and what the chunk holds before its first answer; without a request there is none.
 */
export function grown(
  list: readonly Message[],
  { chunk, scale, report }: Act,
  sent: readonly Message[] | undefined,
): Message[] {
  const mark = `#${serial++}`;
  const added = chunk
    .slice(list.length > 0 && chunk[0]?.role === "system" ? 1 : 0)
    .map((message) => ({
      ...message,
      parts: message.parts.map((part, at) => marked(part, `${mark}.${at} `, scale)),
    }));
  const first = added.findIndex(({ role }) => role === "assistant");
  const before = added.slice(0, Math.max(first, 0));
  const usage = sent && REPORTS[report]?.(Math.ceil(meter.total([...sent, ...before])));
  return [
    ...list,
    ...added.map((message, at) => (at === first && usage ? { ...message, usage } : message)),
  ];
}

/** About so long is the longest text: enough to be clipped in a small window. */
const MOST_UNITS = 2_000;

function marked(part: Part, mark: string, scale: number): Part {
  const longer = (text: string): string => {
    const times = Math.min(scale, Math.ceil(MOST_UNITS / Math.max(text.length, 1)));
    return mark + text.repeat(text === "" ? 1 : times);
  };
  if (part.type === "text") return { ...part, text: longer(part.text) };
  if (part.type === "reasoning") return { ...part, text: longer(part.text) };
  if (part.type === "tool-call") {
    const { input } = part;
    const isFields = typeof input === "object" && input !== null && !Array.isArray(input);
    const content = longer("content of a file, ");
    const fields = isFields && scale > 1 ? { ...input, content } : input;
    return {
      ...part,
      toolCallId: part.toolCallId + mark.slice(0, mark.indexOf(".")),
      input: fields,
    };
  }
  if (part.type !== "tool-result") return part;
  const output = part.output.map((piece, at) => marked(piece, `${mark}${at} `, scale));
  return {
    ...part,
    toolCallId: part.toolCallId + mark.slice(0, mark.indexOf(".")),
    output,
  } as Part;
}

/** A list that no provider would take, without reports: they were about another one. */
export function mutilated(reported: readonly Message[], at: number): Message[] {
  const list = reported.map((message) => {
    const { usage, ...rest } = message;
    return usage === undefined ? message : rest;
  });
  const index = at % list.length;
  const message = list[index] as Message;
  const result = {
    type: "tool-result",
    toolCallId: `stray${serial}`,
    toolName: "shot",
    output: [
      { type: "text", text: `stray output ${serial++}` },
      { type: "file", mediaType: "image/png", data: `stray${serial}` },
    ],
  } as const;
  const call = {
    type: "tool-call",
    toolCallId: "",
    toolName: "bash",
    input: { command: `stray ${serial++}` },
  } as const;
  const ways: readonly (() => Message[])[] = [
    () => list.toSpliced(index, 1),
    () => list.toSpliced(index, 0, message),
    () => list.toSpliced(index, 0, { role: "tool", parts: [result] }),
    () => list.toSpliced(index, 0, { role: "user", parts: [] }),
    () => list.with(index, list.at(-1) as Message).with(list.length - 1, message),
    () => list.with(index, { ...message, role: "user" }),
    () => list.with(index, { ...message, role: "assistant" }),
    () => list.with(index, { ...message, parts: [...message.parts, ...message.parts] }),
    () => list.toSpliced(index, 0, { role: "assistant", parts: [call, call] }),
    () => list.toSpliced(index, 0, { role: "user", parts: [call, result] }),
    () => list.toSpliced(index, 0, { role: "system", parts: [call] }),
  ];
  return ways[at % ways.length]?.() ?? [...list];
}

/** An archive whose disk may be full. */
export interface Disk {
  readonly archive: Archive;
  isFull: boolean;
}

export function createDisk(): Disk {
  const inner = memoryArchive();
  const disk: { archive: Archive; isFull: boolean } = { archive: inner, isFull: false };
  disk.archive = {
    ...inner,
    put(kind, content) {
      if (disk.isFull) return Promise.reject(new Error("No space left on the disk."));
      return inner.put(kind, content);
    },
  };
  return disk;
}
