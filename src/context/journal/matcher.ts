import { type Digest, leadingSystemCount, type Message } from "../../core/message/index.ts";
import { fingerprint, isSameMessage, listDigest } from "./fingerprint.ts";
import { type Branch, isWhole } from "./journal-branches.ts";
import type { JournalRecord, Projection } from "./journal.ts";

/** Tells what a list has to do with a record. */
export interface Matcher {
  /** Whether a history begins with what the newest record of a branch consumed. */
  fits(input: readonly Message[], branch: Branch): boolean;
  /** The records of a branch that consumed what a history begins with. */
  fitting(input: readonly Message[], branch: Branch): Branch;
  /** The list that the record left, passed by a caller who kept nothing else. */
  returned(input: readonly Message[], record: JournalRecord | undefined): Projection | undefined;
  /** What a list that goes on from `origin` holds beyond what is consumed by now, if it does. */
  fresh(input: readonly Message[], since: Since): readonly Message[] | undefined;
}

export interface Since {
  readonly origin: Projection;
  readonly projection: Projection;
  readonly record: JournalRecord | undefined;
}

export function createMatcher(digest: Digest): Matcher {
  // The caller that passes the whole history passes the same two messages in every step.
  const prints = new WeakMap<Message, string>();
  const printOf = (message: Message): string => {
    const known = prints.get(message) ?? fingerprint(message, digest);
    prints.set(message, known);
    return known;
  };
  const consumed = (input: readonly Message[], record: JournalRecord): boolean => {
    const first = firstSaid(input);
    const last = input[record.consumed - 1];
    if (first === undefined || last === undefined) return false;
    return printOf(first) === record.first && printOf(last) === record.last;
  };
  return {
    fits(input, branch) {
      const newest = branch.at(-1);
      return newest !== undefined && isWhole(branch) && consumed(input, newest);
    },
    fitting(input, branch) {
      if (!isWhole(branch)) return [];
      const newest = branch.findLastIndex((record) => consumed(input, record));
      return branch.slice(0, newest + 1);
    },
    returned(input, record) {
      if (record === undefined || input.length < record.after.length) return undefined;
      const base = input.slice(0, record.after.length);
      const { digest: left, restored } = record.after;
      const said = listDigest(base, digest);
      if (said !== left && said !== restored) return undefined;
      return { base, consumed: record.consumed };
    },
    fresh(input, { origin, projection, record }) {
      const count = projection.consumed - origin.consumed;
      if (count <= 0 || !startsWith(input, origin.base)) return undefined;
      const at = origin.base.length + count;
      const last = input[at - 1];
      if (last === undefined || printOf(last) !== record?.last) return undefined;
      return input.slice(at);
    },
  };
}

/** What tells a conversation: a system prompt may change with every request. */
export function firstSaid(messages: readonly Message[]): Message | undefined {
  return messages[leadingSystemCount(messages)];
}

/** Whether a list begins with the messages of another; one object each in the common case. */
export function startsWith(list: readonly Message[], start: readonly Message[]): boolean {
  if (start.length === 0 || list.length < start.length) return false;
  return start.every((message, index) => isSameMessage(message, list[index]));
}
