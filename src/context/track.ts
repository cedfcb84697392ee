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
export function sameBody(track: Track, { messages, lead }: CallersList): number {
  const length = Math.min(track.list.length - track.lead, messages.length - lead);
  let at = 0;
  while (at < length && track.list[track.lead + at] === messages[lead + at]) at++;
  return at;
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
