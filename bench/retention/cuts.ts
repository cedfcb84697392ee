/** Where a context is cut, and what the agent used afterwards: the recorded future is the oracle. */
import type { Message } from "../../src/core/message/index.ts";
import { contextBudget } from "../../src/core/overflow/index.ts";
import {
  bindingOf,
  createPlaces,
  FAR_TOKENS,
  type IsCommon,
  isCall,
  namesOfCall,
  type Places,
  referencesOf,
  textsOf,
  type Use,
} from "../../src/simulate/index.ts";
import { type Segment, tokensOf } from "./segments.ts";

/** Something that the agent used after the cut and that only stood before it. */
export interface LaterUse extends Use {
  /** How many steps of the agent after the cut, from 0. */
  readonly step: number;
}

/** One of the next ten calls: the names that its arguments take from before the cut. */
export type Replay = readonly string[];

export interface Cut {
  readonly segment: Segment;
  /** `W 64k`: the first request that overflows; `M 200k`: after 60 % of the segment. */
  readonly kind: string;
  readonly window: number;
  readonly past: readonly Message[];
  readonly uses: readonly LaterUse[];
  readonly replays: readonly Replay[];
  /** What the agent's own model wrote there, if that can be read. */
  readonly summary?: string;
}

const WINDOWS = [32_000, 64_000, 128_000];
const MIDDLE = 0.6;
const MIDDLE_WINDOW = 200_000;
const REPLAYED_CALLS = 10;
/** Fewer uses than this say nothing about a policy. */
const LEAST_USES = 5;

/** The cuts of a segment. `isCommon` knows names that stand in many projects. */
export function cutsOf(segment: Segment, isCommon: IsCommon): readonly Cut[] {
  const { messages } = segment;
  const sums = runningTokens(messages);
  const isRequest = (index: number): boolean => messages[index]?.role === "assistant";
  const overflows = WINDOWS.flatMap((window) => {
    const { usable } = contextBudget({ window });
    const first = messages.findIndex((_, i) => isRequest(i) && (sums[i] ?? 0) >= usable);
    return cutAt(segment, first, { kind: `W ${window / 1_000}k`, window, isCommon });
  });
  const middle = Math.floor(messages.length * MIDDLE);
  const asked = messages.findIndex((_, i) => i >= middle && isRequest(i));
  const kind = `M ${MIDDLE_WINDOW / 1_000}k`;
  return [...overflows, ...cutAt(segment, asked, { kind, window: MIDDLE_WINDOW, isCommon })];
}

type About = Pick<Cut, "kind" | "window" | "summary"> & { readonly isCommon: IsCommon };

/** One cut, if what comes after it uses enough of what stood before. */
export function cutAt(segment: Segment, index: number, about: About): readonly Cut[] {
  const { messages } = segment;
  if (index <= 0 || index >= messages.length) return [];
  return cutBetween(segment, messages.slice(0, index), messages.slice(index), about);
}

/** The same where the future is another segment's. */
export function cutBetween(
  segment: Segment,
  past: readonly Message[],
  future: readonly Message[],
  { isCommon, ...about }: About,
): readonly Cut[] {
  const uses = usesOf(past, future, isCommon);
  if (uses.length < LEAST_USES) return [];
  return [{ segment, ...about, past, uses, replays: replaysOf(future, past, isCommon) }];
}

/** Tokens of all messages before each index. */
function runningTokens(messages: readonly Message[]): readonly number[] {
  const sums = [0];
  for (const message of messages) sums.push((sums.at(-1) ?? 0) + tokensOf([message]));
  return sums;
}

function usesOf(
  past: readonly Message[],
  future: readonly Message[],
  isCommon: IsCommon,
): readonly LaterUse[] {
  const places = lastPlaces(past);
  const sums = runningTokens(past);
  const all = sums.at(-1) ?? 0;
  const seen = new Set<string>();
  const uses: LaterUse[] = [];
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

function lastPlaces(past: readonly Message[]): Places {
  const places = createPlaces();
  for (const message of past) places.add(message);
  return places;
}

function replaysOf(
  future: readonly Message[],
  past: readonly Message[],
  isCommon: IsCommon,
): readonly Replay[] {
  const known = lastPlaces(past);
  const calls = future.flatMap(({ parts }) => parts.filter(isCall)).slice(0, REPLAYED_CALLS);
  return calls
    .map((call) => {
      const names = namesOfCall(call).map(({ text }) => text);
      return names.filter((one) => known.get(one) !== undefined && !isCommon(one));
    })
    .filter((names) => names.length > 0);
}

/** Names that stand in this many sessions or more belong to nobody's task. */
const COMMON_SESSIONS = 3;

/** Tells which names are common knowledge: they stand in three or more of the sessions. */
export function commonNames(segments: readonly Segment[]): IsCommon {
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
