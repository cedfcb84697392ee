/** Where a context is cut, and what the agent used afterwards: the recorded future is the oracle. */
import { type Message, type ToolCallPart } from "../../src/core/message/index.ts";
import { contextBudget } from "../../src/core/overflow/index.ts";
import { type Reference, referencesOf } from "./references.ts";
import { leaves, oneSlash, type Segment, textsOf, tokensOf } from "./segments.ts";

/** Something that the agent used after the cut and that only stood before it. */
export interface Use extends Reference {
  /** How many steps of the agent after the cut, from 0. */
  readonly step: number;
  /** Index of the newest message before the cut that holds it. */
  readonly at: number;
  /** It was last seen more than 8,000 tokens before the cut. */
  readonly isFar: boolean;
  /** Other names of the line in which it stood last, and the files and commands of its call. */
  readonly companions: readonly string[];
  /** What its call named: a person who has that can look there. */
  readonly sources: readonly string[];
}

/** One of the next ten calls: the names that its arguments take from before the cut. */
export type Replay = readonly string[];

export interface Cut {
  readonly segment: Segment;
  /** `W 64k`: the first request that overflows; `M 200k`: after 60 % of the segment. */
  readonly kind: string;
  readonly window: number;
  readonly past: readonly Message[];
  readonly uses: readonly Use[];
  readonly replays: readonly Replay[];
}

const WINDOWS = [32_000, 64_000, 128_000];
const MIDDLE = 0.6;
const MIDDLE_WINDOW = 200_000;
const FAR_TOKENS = 8_000;
const REPLAYED_CALLS = 10;
/** Fewer uses than this say nothing about a policy. */
const LEAST_USES = 5;
/** A line with more names than this is a table; its neighbours bind nothing. */
const MOST_COMPANIONS = 20;

/** The cuts of a segment. `isCommon` knows names that stand in many projects. */
export function cutsOf(segment: Segment, isCommon: (name: string) => boolean): readonly Cut[] {
  const { messages } = segment;
  const sums = runningTokens(messages);
  const at = (index: number, kind: string, window: number): readonly Cut[] => {
    if (index <= 0 || index >= messages.length) return [];
    const past = messages.slice(0, index);
    const uses = usesOf(past, messages.slice(index), isCommon);
    if (uses.length < LEAST_USES) return [];
    const replays = replaysOf(messages.slice(index), past, isCommon);
    return [{ segment, kind, window, past, uses, replays }];
  };
  const isRequest = (index: number): boolean => messages[index]?.role === "assistant";
  const overflows = WINDOWS.flatMap((window) => {
    const { usable } = contextBudget({ window });
    const first = messages.findIndex((_, i) => isRequest(i) && (sums[i] ?? 0) >= usable);
    return at(first, `W ${window / 1_000}k`, window);
  });
  const middle = Math.floor(messages.length * MIDDLE);
  const asked = messages.findIndex((_, i) => i >= middle && isRequest(i));
  return [...overflows, ...at(asked, `M ${MIDDLE_WINDOW / 1_000}k`, MIDDLE_WINDOW)];
}

/** Tokens of all messages before each index. */
function runningTokens(messages: readonly Message[]): readonly number[] {
  const sums = [0];
  for (const message of messages) sums.push((sums.at(-1) ?? 0) + tokensOf([message]));
  return sums;
}

interface Place {
  readonly at: number;
  readonly line: string;
}

function usesOf(
  past: readonly Message[],
  future: readonly Message[],
  isCommon: (name: string) => boolean,
): readonly Use[] {
  const places = lastPlaces(past);
  const sums = runningTokens(past);
  const all = sums.at(-1) ?? 0;
  const seen = new Set<string>();
  const uses: Use[] = [];
  let step = -1;
  for (const message of future) {
    const names = textsOf(message).flatMap((text) => [...referencesOf(text).values()]);
    if (message.role === "assistant") {
      step += 1;
      for (const reference of names) {
        const place = places.get(reference.text);
        if (place === undefined || seen.has(reference.text) || isCommon(reference.text)) continue;
        const isFar = all - (sums[place.at + 1] ?? 0) > FAR_TOKENS;
        const bound = bindingOf(past, place, reference.text);
        uses.push({ ...reference, step, at: place.at, isFar, ...bound });
      }
    }
    // What was read or used again is no longer owed to the past.
    for (const { text } of names) seen.add(text);
  }
  return uses;
}

function lastPlaces(past: readonly Message[]): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  for (const [at, message] of past.entries()) {
    for (const line of textsOf(message).flatMap((text) => text.split("\n"))) {
      for (const name of referencesOf(line).keys()) places.set(name, { at, line });
    }
  }
  return places;
}

function bindingOf(
  past: readonly Message[],
  { at, line }: Place,
  name: string,
): Pick<Use, "companions" | "sources"> {
  const sources = sourcesOf(past, at);
  const beside = [...referencesOf(line).keys()].filter((other) => other !== name);
  const near = beside.length > MOST_COMPANIONS ? [] : beside;
  return { companions: [...near, ...sources], sources };
}

/** Files and commands that the calls of a tool message, or of an assistant's, named. */
function sourcesOf(past: readonly Message[], at: number): readonly string[] {
  const message = past[at];
  const ids = new Set(
    message?.parts.flatMap((part) => ("toolCallId" in part ? [part.toolCallId] : [])),
  );
  for (let index = at; index >= 0 && ids.size > 0; index--) {
    const calls = past[index]?.parts.filter(isCall).filter((call) => ids.has(call.toolCallId));
    if (calls !== undefined && calls.length > 0) return calls.flatMap(namesOfCall);
  }
  return [];
}

function isCall(part: { readonly type: string }): part is ToolCallPart {
  return part.type === "tool-call";
}

function inputOf(input: unknown): string {
  return oneSlash(leaves(input).join("\n"));
}

function namesOfCall({ input }: ToolCallPart): readonly string[] {
  const names = [...referencesOf(inputOf(input)).values()];
  return names.filter(({ kind }) => kind === "path" || kind === "url").map(({ text }) => text);
}

function replaysOf(
  future: readonly Message[],
  past: readonly Message[],
  isCommon: (name: string) => boolean,
): readonly Replay[] {
  const known = lastPlaces(past);
  const calls = future.flatMap(({ parts }) => parts.filter(isCall)).slice(0, REPLAYED_CALLS);
  return calls
    .map(({ input }) =>
      [...referencesOf(inputOf(input)).keys()].filter((one) => known.has(one) && !isCommon(one)),
    )
    .filter((names) => names.length > 0);
}

/** Names that stand in this many sessions or more belong to nobody's task. */
const COMMON_SESSIONS = 3;

/** Tells which names are common knowledge: they stand in three or more of the sessions. */
export function commonNames(segments: readonly Segment[]): (name: string) => boolean {
  const sessions = new Map<string, Set<string>>();
  for (const { session, messages } of segments) {
    for (const text of messages.flatMap(textsOf)) {
      for (const name of referencesOf(text).keys()) {
        const of = sessions.get(name) ?? new Set<string>();
        sessions.set(name, of.add(session));
      }
    }
  }
  return (name) => (sessions.get(name)?.size ?? 0) >= COMMON_SESSIONS;
}
