import type { Message } from "../core/message/index.ts";
import { plainMessage } from "../core/message/original.ts";
import { toJson } from "../core/text/json.ts";
import type { PageEdit, PageView } from "./data.ts";

export interface Window {
  /** All of that time, the newest last. */
  readonly messages: readonly Message[];
  /** The edit that it began with; an edit of the agent's own without it. */
  readonly made?: EditNote;
}

export type EditNote = Pick<PageEdit, "by" | "usage">;

export interface Pool {
  readonly messages: readonly Message[];
  readonly views: readonly PoolView[];
  /** By the number of a message, the one that it stands for. */
  readonly instead: ReadonlyMap<number, number>;
}

export interface PoolView extends PageView {
  readonly list: readonly number[];
  readonly made?: EditNote;
}

/**
 * Numbers every message of the windows. A placeholder has a number of its own, and is known by its
 * ids.
 */
export function poolOf(windows: readonly Window[]): Pool {
  const [only, ...others] = windows;
  if (only !== undefined && others.length === 0) return wholePool(only.messages);
  const messages: Message[] = [];
  const instead = new Map<number, number>();
  const keys = new Map<string, number>();
  const names = new Map<string, number>();
  const textOf = createTexts();
  const numberOf = (message: Message, times: Map<string, number>): number => {
    const text = textOf(message);
    // A text that is said twice is two messages.
    const time = (times.get(text) ?? 0) + 1;
    times.set(text, time);
    const key = `${time} ${text}`;
    const number = keys.get(key) ?? messages.push(message) - 1;
    keys.set(key, number);
    return number;
  };
  let before = 0;
  const views: PoolView[] = [];
  for (const { messages: window, made } of windows) {
    const times = new Map<string, number>();
    const list = window.map((message) => numberOf(message, times));
    // A list that goes on from the one before it was not edited.
    const isSame = views.at(-1)?.list.every((number, at) => number === list[at]) === true;
    const last = isSame ? views.pop() : undefined;
    const isFirst = before === 0 || isSame;
    const start = isFirst ? (last?.start ?? 0) : startOf(list, { before, messages, names });
    for (const number of isFirst ? [] : list.slice(0, start)) {
      const earlier = number < before ? undefined : earlierOf(messages[number], names);
      if (earlier !== undefined) instead.set(number, earlier);
    }
    for (let number = before; number < messages.length; number += 1) {
      if (instead.has(number)) continue;
      // A name that several messages have stands for none of them.
      for (const name of namesOf(messages[number]))
        names.set(name, names.has(name) ? NONE : number);
    }
    before = messages.length;
    const note = last === undefined ? made : last.made;
    views.push({ list, start, ranges: rangesOf(list), ...(note && { made: note }) });
  }
  return { messages, views, instead };
}

/** Without an edit nothing stands for anything, and no message has to be told from another one. */
function wholePool(messages: readonly Message[]): Pool {
  const { length } = messages;
  const ranges = length > 0 ? [0, length] : [];
  const view = { list: messages.map((_, number) => number), ranges, start: 0 };
  return { messages, views: [view], instead: new Map() };
}

const NONE = -1;

/** Messages by their content: a session that is read again has other objects. */
function createTexts(): (message: Message) => string {
  const known = new Map<Message, string>();
  return (message) => {
    const text = known.get(message) ?? toJson(plainMessage(message));
    known.set(message, text);
    return text;
  };
}

interface Known {
  /** The number of messages in all windows before. */
  readonly before: number;
  readonly messages: readonly Message[];
  readonly names: ReadonlyMap<string, number>;
}

/** The messages of a window that an edit left, or made: the others are new. */
function startOf(list: readonly number[], { before, messages, names }: Known): number {
  const isOld = (number: number): boolean => {
    const message = messages[number];
    if (number < before || message?.kind === "summary") return true;
    return message?.kind === "continuation" || earlierOf(message, names) !== undefined;
  };
  return list.findLastIndex(isOld) + 1;
}

function earlierOf(
  message: Message | undefined,
  names: ReadonlyMap<string, number>,
): number | undefined {
  if (message?.kind === "summary") return undefined;
  for (const name of namesOf(message)) {
    const earlier = names.get(name);
    if (earlier !== undefined && earlier !== NONE) return earlier;
  }
  return undefined;
}

/** The ids that a message keeps when it is edited. */
function namesOf(message: Message | undefined): string[] {
  if (message === undefined) return [];
  const parts = message.parts.flatMap((part) => {
    const isNamed = part.type === "tool-call" || part.type === "tool-result";
    return isNamed ? [`${part.type} ${part.toolCallId}`] : [];
  });
  return message.id === undefined ? parts : [`id ${message.id}`, ...parts];
}

function rangesOf(list: readonly number[]): number[] {
  const ranges: number[] = [];
  for (const number of list) {
    if (ranges.length > 0 && ranges.at(-1) === number) ranges[ranges.length - 1] = number + 1;
    else ranges.push(number, number + 1);
  }
  return ranges;
}
