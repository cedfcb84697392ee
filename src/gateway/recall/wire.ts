import { objectsIn, textIn, type WireObject } from "../../dialects/wire.ts";

/** A call of a tool that the gateway put into a request, and answers itself. */
export interface OwnCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** The answer to it, for the model. */
export interface OwnResult {
  readonly id: string;
  readonly text: string;
}

/** The pieces of an answer: those that are said or called, and those that are thought. */
export interface Extent {
  readonly said: number;
  readonly thought: number;
}

/** An answer and what the gateway said to it, as both stand in the requests after it. */
export interface Round {
  readonly said: readonly WireObject[];
  readonly results: readonly WireObject[];
}

/**
 * An answer of several rounds as the provider saw it, for the journal: the client has one without
 * our calls.
 */
export interface Answered {
  /** The key of what the client has. */
  readonly answered: string;
  readonly rounds: readonly Round[];
  /** The part of what the client has that belongs to the rounds, and all of it. */
  readonly before: Extent;
  readonly whole: Extent;
  /** Our calls that stand beside those of the client in the rest of it, with their results. */
  readonly hidden?: Pick<Round, "results"> & { readonly calls: readonly WireObject[] };
}

/** The parts of an answer by which it is recognised when it comes back. */
export interface Spoken {
  readonly text: string;
  /** Their ids, names and inputs. */
  readonly calls: readonly unknown[];
  readonly extent: Extent;
}

export type IsOwn = (name: unknown) => boolean;

/** A tool in the words of no API. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly schema: object;
}

/** Calls of our own tools in the words of one API. */
export interface RecallWire {
  define(tool: ToolDefinition): WireObject;
  /** A request that forces a tool, or a form of answer, gets none of ours. */
  mayOffer(params: WireObject): boolean;
  /** The whole answer that a stream told. */
  assemble(events: readonly WireObject[]): WireObject;
  /** An answer as it stands in the next request. */
  said(answer: WireObject, params: WireObject): readonly WireObject[];
  spoken(said: readonly WireObject[]): Spoken;
  /** Our calls in it, as they stand there. */
  own(said: readonly WireObject[], isOwn: IsOwn): readonly WireObject[];
  callOf(own: WireObject): OwnCall;
  results(results: readonly OwnResult[]): readonly WireObject[];
  /** The answers of several rounds as one, without our calls. */
  merged(answers: readonly WireObject[], isOwn: IsOwn): WireObject;
  sieve(isOwn: IsOwn): Sieve;
  /** A refusal in the middle of a stream. */
  fault(refused: WireObject): WireObject;
  /** The number of messages from here on that are one answer of the model; 0 for none. */
  answerAt(list: readonly WireObject[], at: number): number;
  /** The answer as the provider saw it; `undefined` if the client's was changed. */
  restored(answer: readonly WireObject[], answered: Answered): readonly WireObject[] | undefined;
  /** The results of hidden calls before what the client says next; `undefined` where it must not be changed. */
  beside(results: readonly WireObject[], next: WireObject | undefined): Beside;
}

/** The messages behind an answer, and what the next message of the client becomes. */
export interface Beside {
  readonly messages: readonly WireObject[];
  readonly next: WireObject | undefined;
}

/** The event goes on as it came; or this of it goes on now, and that at the end. */
export type Verdict = "pass" | { readonly send?: WireObject; readonly hold?: WireObject };

/** Holds back our calls in the events of a stream; one for all rounds of an answer. */
export interface Sieve {
  take(event: WireObject): Verdict;
  /** Another answer follows as the same one. */
  next(): void;
  /** The client's form of an event that was held until the end. */
  finish(held: WireObject, answer: WireObject): WireObject;
}

/** The places of pieces for a client that never sees our calls, round behind round. */
export function createPlaces() {
  const hidden = new Set<number>();
  let [offset, shown, isFirst] = [0, 0, true];
  return {
    isFirst: () => isFirst,
    /** Nothing is hidden so far, so the client has everything as it came. */
    isWhole: () => isFirst && hidden.size === 0,
    begin(index: number, isOurs: boolean): void {
      if (isOurs) hidden.add(index);
      else shown += 1;
    },
    /** `undefined` for a piece of ours. */
    of(index: number): number | undefined {
      if (hidden.has(index)) return undefined;
      return offset + index - [...hidden].filter((one) => one < index).length;
    },
    next(): void {
      offset += shown;
      [shown, isFirst] = [0, false];
      hidden.clear();
    },
  };
}

/** Kinds of the pieces of an answer; an empty one counts for nothing. */
export type PieceKind = "said" | "thought" | "empty";

export function extentOf(kinds: readonly PieceKind[]): Extent {
  const count = (wanted: PieceKind): number => kinds.filter((kind) => kind === wanted).length;
  return { said: count("said"), thought: count("thought") };
}

/** The end of the rounds in what the client was given, or in that without all thoughts. */
export function cutOf(
  kinds: readonly PieceKind[],
  { before, whole }: Pick<Answered, "before" | "whole">,
): { readonly at: number; readonly hasThoughts: boolean } | undefined {
  const { said, thought } = extentOf(kinds);
  const hasThoughts = thought === whole.thought;
  if (said !== whole.said || (!hasThoughts && thought > 0)) return undefined;
  const left = { said: before.said, thought: hasThoughts ? before.thought : 0, empty: 0 };
  let at = 0;
  for (; left.said > 0 || left.thought > 0; at++) {
    const kind = kinds[at];
    if (kind === undefined) return undefined;
    left[kind] -= 1;
  }
  return { at, hasThoughts };
}

/** The text of a content, or of its parts. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return objectsIn(content)
    .map((part) => textIn(part, "text") ?? "")
    .join("");
}

/** Pieces with others before the first one that fits, or behind all. */
export function putBefore<Piece>(
  pieces: readonly Piece[],
  others: readonly Piece[],
  isPlace: (piece: Piece) => boolean,
): Piece[] {
  const found = pieces.findIndex(isPlace);
  const at = found < 0 ? pieces.length : found;
  return [...pieces.slice(0, at), ...others, ...pieces.slice(at)];
}
