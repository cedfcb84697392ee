import { assertMessage } from "../core/message/shape.ts";
import { isSameMessage } from "./chain.ts";
import type { Branch } from "./journal.ts";
import type { Message } from "../core/message/index.ts";

/** The caller's newest list, and the messages in place of its first ones. */
export interface Track {
  /** Of the caller's list; a copy, because the caller may go on with the same array. */
  readonly list: Message[];
  /** Its leading system messages; all other counts begin behind them. */
  readonly lead: number;
  readonly standing: Standing;
}

/** The edits that a list has had, and what they left. */
export interface Standing {
  readonly records: Branch;
  /** Messages of the list that `base` stands for. */
  readonly taken: number;
  readonly base: readonly Message[];
  readonly consumed: number;
  readonly isReturned: boolean;
}

export const UNEDITED: Standing = {
  records: [],
  taken: 0,
  base: [],
  consumed: 0,
  isReturned: false,
};

export interface CallersList {
  readonly messages: readonly Message[];
  readonly lead: number;
}

/** A list still begins with the messages that edits stand for; the first `same` are known to. */
export function goesOn(track: Track, { messages, lead }: CallersList, same: number): boolean {
  for (let at = same; at < track.standing.taken; at++) {
    if (!isSameMessage(track.list[track.lead + at], messages[lead + at])) return false;
  }
  return true;
}

/** The edits of a track; what they left untouched are the caller's objects of now. */
export function withObjectsOfNow(
  track: Track,
  { messages, lead }: CallersList,
  same: number,
): Standing {
  const { standing } = track;
  const other = new Map<Message, Message>();
  for (let at = same; at < standing.taken; at++) {
    const [was, is] = [track.list[track.lead + at] as Message, messages[lead + at] as Message];
    if (was !== is) other.set(was, is);
  }
  if (other.size === 0) return standing;
  return { ...standing, base: standing.base.map((message) => other.get(message) ?? message) };
}

/** Objects that a list has in common with the one before, its leading system messages left out. */
export function sameBody(track: Track, { messages, lead }: CallersList): number {
  const same = sameObjects(track.list, messages, { at: track.lead, otherAt: lead });
  return same - track.lead;
}

/** Tells whether the leading system messages are the very objects of the list before. */
export function hasSameLead(track: Track, { messages, lead }: CallersList): boolean {
  return track.lead === lead && sameObjects(track.list, messages, { end: lead }) === lead;
}

/** The caller's list as a copy; where the list before goes on, only what is new is written. */
export function renewed(track: Track, { messages, lead }: CallersList, same: number): Message[] {
  if (track.lead !== lead) return [...messages];
  const { list } = track;
  list.length = lead + same;
  for (let at = 0; at < lead; at++) list[at] = messages[at] as Message;
  for (let at = lead + same; at < messages.length; at++) list.push(messages[at] as Message);
  return list;
}

/** The start of a comparison in each of two lists, and its end in the first. */
interface Bounds {
  readonly at?: number;
  readonly otherAt?: number;
  readonly end?: number;
}

/**
 * The place in the first list from which the second holds other objects. Every step compares all of
 * its list, so that no exchanged message is overlooked. `Object.is` looks at the references alone,
 * in some 3 ns for each; `===` would fetch every object, which takes up to ten times as long where
 * they lie scattered in the memory.
 */
export function sameObjects(
  one: readonly Message[],
  other: readonly Message[],
  { at: from = 0, otherAt = from, end = one.length }: Bounds = {},
): number {
  const shift = otherAt - from;
  const to = Math.min(one.length, other.length - shift, end);
  let at = from;
  while (at < to && Object.is(one[at], other[at + shift])) at++;
  return at;
}

/** The messages that are new must be messages; the first `same` behind the leading ones are known. */
export function assertShapes({ messages, lead }: CallersList, same: number): void {
  for (let at = 0; at < lead; at++) assertMessage(messages[at], at);
  for (let at = lead + same; at < messages.length; at++) assertMessage(messages[at], at);
}

/**
 * The texts of the newest messages when they came. Messages are replaced and not changed, but an
 * agent that streams an answer may write it into the last ones of its list; those are looked at
 * again.
 */
export type Watched = Map<Message, readonly unknown[]>;

/** As many as one step has with a few calls at once. */
const WATCHED = 8;

/** Those that say something else by now; they are watched no longer. */
export function changedInPlace(watched: Watched): Message[] {
  const changed: Message[] = [];
  for (const [message, before] of watched) {
    const now = textsOf(message);
    if (now.length === before.length && now.every((text, at) => text === before[at])) continue;
    changed.push(message);
    watched.delete(message);
  }
  return changed;
}

/** From now on the newest messages of this list are watched. */
export function watchNewest(watched: Watched, messages: readonly Message[]): void {
  const before = new Map(watched);
  watched.clear();
  alsoWatch(watched, messages, before);
}

/** The newest messages of a list that goes back to the caller are watched, too. */
export function alsoWatch(
  watched: Watched,
  messages: readonly Message[],
  before: Watched = watched,
): void {
  for (let at = Math.max(0, messages.length - WATCHED); at < messages.length; at++) {
    const message = messages[at] as Message;
    watched.set(message, before.get(message) ?? textsOf(message));
  }
}

function textsOf({ parts }: Message): unknown[] {
  const texts: unknown[] = [];
  for (const part of parts) {
    if (part.type === "text" || part.type === "reasoning") texts.push(part.text);
    else if (part.type === "tool-call") texts.push(part.input);
    else if (part.type === "file") texts.push(part.data ?? part.url);
    else if (part.type === "tool-result") {
      for (const piece of part.output) texts.push(piece.type === "text" ? piece.text : piece);
    }
  }
  return texts;
}

/** A list in which other messages stand for these, so that it no longer goes on with them. */
export function without(list: readonly Message[], gone: readonly Message[]): Message[] {
  return list.map((message) => (gone.includes(message) ? NONE : message));
}

const NONE: Message = { role: "tool", parts: [] };
