/** Uses of what stood before: the recorded future is the oracle. */
import type { Message, ToolCallPart } from "../core/message/index.ts";
import { type Reference, referencesOf } from "./references.ts";
import { leaves, oneSlash, textsOf } from "./texts.ts";

/** A name that the agent used, and where it had stood last. */
export interface Use extends Reference {
  /** Index of the newest message that held it. */
  readonly at: number;
  /** More than 8,000 tokens stood between that place and its use. */
  readonly isFar: boolean;
  /** Other names of the line in which it stood last, and the files of its call. */
  readonly companions: readonly string[];
  /** Named by its call: whoever has that can look there. */
  readonly sources: readonly string[];
}

/** Tells names that belong to nobody's task. */
export type IsCommon = (name: string) => boolean;

export const FAR_TOKENS = 8_000;
/** A line with more names than this is a table; its neighbours bind nothing. */
const MOST_COMPANIONS = 20;

export interface Place {
  readonly at: number;
  readonly line: string;
}

export type Places = ReturnType<typeof createPlaces>;

/** The last place of each name, as a conversation grows. */
export function createPlaces() {
  const places = new Map<string, Place>();
  let at = 0;
  return {
    get: (name: string): Place | undefined => places.get(name),
    add(message: Message): void {
      for (const line of textsOf(message).flatMap((text) => text.split("\n"))) {
        for (const name of referencesOf(line).keys()) places.set(name, { at, line });
      }
      at += 1;
    },
  };
}

export function bindingOf(
  past: readonly Message[],
  { at, line }: Place,
  name: string,
): Pick<Use, "companions" | "sources"> {
  const sources = sourcesOf(past, at);
  const beside = [...referencesOf(line).keys()].filter((other) => other !== name);
  const near = beside.length > MOST_COMPANIONS ? [] : beside;
  return { companions: [...near, ...sources], sources };
}

/** Files and addresses that the calls of a tool message, or of an assistant's, named. */
function sourcesOf(past: readonly Message[], at: number): readonly string[] {
  const message = past[at];
  const ids = new Set(
    message?.parts.flatMap((part) => ("toolCallId" in part ? [part.toolCallId] : [])),
  );
  for (let index = at; index >= 0 && ids.size > 0; index--) {
    const calls = past[index]?.parts.filter(isCall).filter((call) => ids.has(call.toolCallId));
    if (calls !== undefined && calls.length > 0) return calls.flatMap(filesOfCall);
  }
  return [];
}

export function isCall(part: { readonly type: string }): part is ToolCallPart {
  return part.type === "tool-call";
}

export function namesOfCall({ input }: ToolCallPart): readonly Reference[] {
  return [...referencesOf(oneSlash(leaves(input).join("\n"))).values()];
}

function filesOfCall(call: ToolCallPart): readonly string[] {
  const files = namesOfCall(call).filter(({ kind }) => kind === "path" || kind === "url");
  return files.map(({ text }) => text);
}

/** One request of a session, and what its answer used. */
export interface RecordedRequest {
  /** The number of messages of the session that it was made of. */
  readonly length: number;
  /** ms since the epoch, if recorded. */
  readonly time?: number;
  readonly uses: readonly Use[];
}

/** Every request of a session: messages of the assistant that follow each other are one answer. */
export function requestsOf(
  messages: readonly Message[],
  sizeOf: (message: Message) => number,
  isCommon: IsCommon = () => false,
): readonly RecordedRequest[] {
  const places = createPlaces();
  const sums = [0];
  const requests: RecordedRequest[] = [];
  for (let at = 0; at < messages.length;) {
    const isAnswer = messages[at]?.role === "assistant";
    const end = isAnswer ? endOfAnswer(messages, at) : at + 1;
    const turn = messages.slice(at, end);
    if (isAnswer && at > 0) {
      const uses = usesIn(turn, { past: messages.slice(0, at), places, sums, isCommon });
      requests.push({ length: at, uses, time: turn[0]?.time });
    }
    for (const message of turn) {
      places.add(message);
      sums.push((sums.at(-1) ?? 0) + sizeOf(message));
    }
    at = end;
  }
  return requests;
}

function endOfAnswer(messages: readonly Message[], from: number): number {
  const end = messages.findIndex(({ role }, at) => at > from && role !== "assistant");
  return end === -1 ? messages.length : end;
}

function usesIn(
  answer: readonly Message[],
  before: {
    readonly past: readonly Message[];
    readonly places: Places;
    readonly sums: readonly number[];
    readonly isCommon: IsCommon;
  },
): readonly Use[] {
  const { past, places, sums, isCommon } = before;
  const names = new Map(answer.flatMap(textsOf).flatMap((text) => [...referencesOf(text)]));
  return [...names.values()].flatMap((reference): readonly Use[] => {
    const place = places.get(reference.text);
    if (place === undefined || isCommon(reference.text)) return [];
    const isFar = (sums.at(-1) ?? 0) - (sums[place.at + 1] ?? 0) > FAR_TOKENS;
    return [{ ...reference, at: place.at, isFar, ...bindingOf(past, place, reference.text) }];
  });
}
