import { assertMessage } from "../core/message/shape.ts";
import { isSameMessage } from "./chain.ts";
import type { Branch } from "./journal.ts";
import type { Message } from "../core/message/index.ts";

/** A list that the caller may pass again, and what stands for the first messages of it. */
export interface Track {
  /** Of the caller's list; a copy, because the caller may go on with the same array. */
  readonly list: Message[];
  /** Where its leading system messages end; whatever else is counted here is counted from there. */
  readonly lead: number;
  readonly standing: Standing;
}

/** The edits that a list has had, and what they left. */
export interface Standing {
  readonly records: Branch;
  /** How many messages of the list `base` stands for. */
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

/** What the caller passed, and how many leading system messages it has. */
export interface CallersList {
  readonly messages: readonly Message[];
  readonly lead: number;
}

/** Whether a list still begins with the messages that edits stand for; the first `same` are known to. */
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

/** How many objects a list has in common with the one before, its leading system messages left out. */
export function sameBody(track: Track, list: CallersList): number {
  return sameUpTo(track, list, { from: 0, to: commonLength(track, list) });
}

/**
 * So many messages at the end are looked at in every step, and so many of those before them. Up to
 * twice as many, a look is as good as reading the whole list.
 */
const LOOK = 512;

/**
 * The same at a glance, so that a step of a long conversation costs what a step of a short one does:
 * whatever a request holds after edits, the newest messages, and of the older ones another
 * slice each `turn`. A message among those that was exchanged is seen some steps later.
 */
export function sameAtAGlance(track: Track, list: CallersList, turn: number): number {
  const { taken, base } = track.standing;
  const length = commonLength(track, list);
  const sent = taken === 0 ? length : taken - base.length;
  const newest = Math.max(0, Math.min(length - LOOK, sent));
  const from = (turn % Math.max(1, Math.ceil(newest / LOOK))) * LOOK;
  const slice = { from, to: Math.min(newest, from + LOOK) };
  const isSame =
    sameUpTo(track, list, { from: newest, to: length }) === length &&
    sameUpTo(track, list, slice) === slice.to;
  return isSame ? length : sameBody(track, list);
}

function commonLength(track: Track, { messages, lead }: CallersList): number {
  return Math.min(track.list.length - track.lead, messages.length - lead);
}

/** Where two lists begin to differ between two places, or the second of these. */
function sameUpTo(
  track: Track,
  { messages, lead }: CallersList,
  { from, to }: { readonly from: number; readonly to: number },
): number {
  const { list } = track;
  const shift = lead - track.lead;
  const end = track.lead + to;
  let at = track.lead + from;
  while (at < end && list[at] === messages[at + shift]) at++;
  return at - track.lead;
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

/** How many objects two lists begin with in common, of at most so many. */
export function sameObjects(
  one: readonly Message[],
  other: readonly Message[],
  most: number = Infinity,
): number {
  const length = Math.min(one.length, other.length, most);
  let at = 0;
  while (at < length && one[at] === other[at]) at++;
  return at;
}

/** The messages that are new must be messages; the first `same` behind the leading ones are known. */
export function assertShapes({ messages, lead }: CallersList, same: number): void {
  for (let at = 0; at < lead; at++) assertMessage(messages[at], at);
  for (let at = lead + same; at < messages.length; at++) assertMessage(messages[at], at);
}
