import * as fc from "fast-check";
import { memoryArchive } from "../../src/archive/index.ts";
import type { Archive } from "../../src/archive/archive.ts";
import type { Message, Part, Usage } from "../../src/core/message/index.ts";
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
  honest: (sent) => ({ input: sent + 200, output: 20 }),
  cached: (sent) => ({ input: 4, output: 20, cacheRead: sent + 196 }),
  dear: (sent) => ({ input: Math.ceil(sent * 1.4) + 500, output: 20 }),
  "without its cache": () => ({ input: 4, output: 20 }),
  stale: () => ({ input: 3_000, output: 20 }),
  huge: () => ({ input: 900_000, output: 20 }),
  senseless: () => ({ input: Number.NaN, output: -1, cacheRead: Number.POSITIVE_INFINITY }),
};

/** Reports that a provider makes which counts what it is sent. */
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
  readonly acts: readonly Act[];
}

const CHUNK: ConversationShape = { maxTurns: 2 };

export const attack: fc.Arbitrary<Attack> = fc.record({
  window: fc.constantFrom(4_000, 8_000, 12_000),
  dialect: fc.nat(4),
  requestLimits: fc.option(
    fc.constantFrom({ maxImages: 2 }, { maxBytes: 24_000 }, { maxBytes: 40_000, maxImages: 3 }),
    { nil: undefined, freq: 4 },
  ),
  unansweredMedia: fc.constantFrom("describe", "keep"),
  acts: fc.array(
    fc.record({
      act: fc.constantFrom(...ACTS),
      chunk: legalConversation(CHUNK),
      scale: fc.constantFrom(1, 1, 20, 60),
      report: fc.constantFrom("none", "honest", "honest", ...Object.keys(REPORTS)),
      at: fc.nat(1_000),
    }),
    { minLength: 2, maxLength: 7 },
  ),
});

let serial = 0;

/** A chunk as the end of a conversation: every text is another one, and every id is new. */
export function grown(
  list: readonly Message[],
  { chunk, scale, report }: Act,
  sent: number,
): Message[] {
  const mark = `#${serial++}`;
  const usage = REPORTS[report]?.(sent);
  const first = chunk.findIndex(({ role }) => role === "assistant");
  return [
    ...list,
    ...chunk.slice(list.length > 0 && chunk[0]?.role === "system" ? 1 : 0).map((message) => {
      const parts = message.parts.map((part, at) => marked(part, `${mark}.${at} `, scale));
      return { ...message, parts, ...(message === chunk[first] && usage && { usage }) };
    }),
  ];
}

function marked(part: Part, mark: string, scale: number): Part {
  const longer = (text: string): string => mark + text.repeat(text === "" ? 1 : scale);
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

/** A list that no provider would take. */
export function mutilated(list: readonly Message[], at: number): Message[] {
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
