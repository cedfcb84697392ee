import type { Usage } from "../core/message/index.ts";
import type { AnswerEnd } from "../core/overflow/provider-error.ts";
import { isWireObject, parseInput, type WireObject } from "../dialects/wire.ts";
import { recoveringStream } from "./recovering-stream.ts";

/** The facts of a whole answer, or of one event of a stream. */
export interface AnswerFacts {
  /** The model says, thinks or calls something in it. */
  readonly isAnswer?: boolean;
  /** It says that the request was refused, and with what. */
  readonly error?: unknown;
  /** The end of the answer, in the API's own word. */
  readonly finish?: unknown;
  /** The report, as far as it is known by now. */
  readonly usage?: unknown;
}

export interface WireApi {
  /** Of the whole answer, in JSON, or of one event of a stream. */
  readonly read: (value: WireObject) => AnswerFacts;
  /** Of all that was reported; `undefined` where that is no usage. */
  readonly usageOf: (reported: unknown) => Usage | undefined;
}

export interface AnswerWatch {
  readonly api: WireApi;
  /** Hears what the answer reports. */
  readonly learn: (usage: Usage) => void;
  /** Another answer, if this refusal is one that a shorter request does not have. */
  readonly again?: (refused: unknown) => Promise<Response | undefined>;
}

/**
 * The answer, or another one in its place, once, where it is a refusal or has nothing in it for
 * want of room.
 */
export async function watchedAnswer(first: Response, watch: AnswerWatch): Promise<Response> {
  if (first.ok) return watchAnswer(first, watch);
  const { answer, error } = await refusalOf(first);
  const second = error === undefined ? undefined : await watch.again?.(error);
  if (second === undefined) return answer;
  return second.ok ? watchAnswer(second, { ...watch, again: undefined }) : second;
}

/** Larger answers are no errors that name a limit. */
const MAX_ERROR = 64 * 1024;

/** A refused request, and why. The body is read, so the answer is a copy. */
async function refusalOf(
  response: Response,
): Promise<{ readonly answer: Response; readonly error?: unknown }> {
  const length = Number(response.headers.get("content-length") ?? 0);
  if (length > MAX_ERROR) return { answer: response };
  const text = await response.text();
  const answer = withBody(response, text === "" ? null : text);
  return { answer, error: { status: response.status, body: parseInput(text) } };
}

function withBody(
  { status, statusText, headers, url }: Response,
  body: Bytes | string | null,
): Response {
  return Object.defineProperty(new Response(body, { status, statusText, headers }), "url", {
    value: url,
  });
}

/** The same answer, byte for byte; nothing is read before the caller reads it. */
export function watchAnswer(response: Response, watch: AnswerWatch): Response {
  const { body } = response;
  if (body === null || typeof body.getReader !== "function") return response;
  return withBody(response, watchBody(body, valuesOf(response), watch));
}

type Bytes = ReadableStream<Uint8Array<ArrayBuffer>>;

function watchBody(body: Bytes, values: Values, { api, learn, again }: AnswerWatch): Bytes {
  const seen: Seen = { hasOpened: false };
  let isReplaced = false;
  const take = (all: readonly WireObject[]): void => {
    for (const value of all) note(seen, api.read(value));
  };
  const tell = (): void => {
    const usage = isReplaced ? undefined : api.usageOf(seen.usage);
    seen.news = undefined;
    if (usage !== undefined) learn(usage);
  };
  return recoveringStream(body, {
    sign(piece) {
      take(values.push(piece, seen));
      // The caller may have the whole answer with this, and hang up.
      if (seen.hasOpened && seen.finish !== undefined && seen.news !== undefined) tell();
      if (again === undefined || (seen.hasOpened && seen.error === undefined)) return "answer";
      return seen.hasOpened ? { refused: seen.error } : "lead";
    },
    end() {
      take(values.rest());
      if (seen.error !== undefined) return seen.error;
      const { finish } = seen;
      return seen.hasOpened || typeof finish !== "string"
        ? undefined
        : ({ usage: api.usageOf(seen.usage), finish } satisfies AnswerEnd);
    },
    async again(refused) {
      const other = await again?.(refused);
      if (other?.ok !== true || other.body === null) return undefined;
      isReplaced = true;
      return watchBody(other.body, valuesOf(other), { api, learn });
    },
    onEnd() {
      take(values.rest());
      if (seen.news !== undefined) tell();
    },
  });
}

interface Seen {
  /** It is clear that there is an answer, or that there is none. */
  hasOpened: boolean;
  error?: unknown;
  finish?: unknown;
  usage?: WireObject;
  /** A report that nobody was told of. */
  news?: unknown;
}

function note(seen: Seen, { isAnswer = false, error, finish, usage }: AnswerFacts): void {
  if (!seen.hasOpened && error !== undefined) seen.error = error;
  seen.hasOpened ||= isAnswer || error !== undefined;
  seen.finish ??= finish ?? undefined;
  if (!isWireObject(usage)) return;
  seen.usage = { ...seen.usage, ...usage };
  seen.news = usage;
}

type Values = ReturnType<typeof valuesOf>;

/** The JSON values in a body that comes in pieces. */
function valuesOf({ headers }: Response) {
  const isStream = headers.get("content-type")?.includes("text/event-stream") === true;
  const decoder = new TextDecoder();
  let left = "";
  const take = (): string => {
    const text = left;
    left = "";
    return text;
  };
  if (!isStream) {
    return {
      push(piece: Uint8Array): WireObject[] {
        left += decoder.decode(piece, { stream: true });
        return [];
      },
      rest: () => objectsIn([take() + decoder.decode()]),
    };
  }
  return {
    /** Those that a piece brings; once an answer has begun, only those that may tell how it ends. */
    push(piece: Uint8Array, { hasOpened }: Seen): WireObject[] {
      const lines = (take() + decoder.decode(piece, { stream: true })).split(/\r\n|\n|\r(?!$)/);
      left = lines.pop() ?? "";
      return eventsIn(hasOpened ? lines.filter((line) => TELLS_END.test(line)) : lines);
    },
    /** Those that are left at its end, once. */
    rest: () => eventsIn([take()]),
  };
}

/** Fields of an event that tells how an answer ended, or its cost. */
const TELLS_END = /"usage"\s*:\s*\{|_reason"\s*:\s*"/;

function eventsIn(lines: readonly string[]): WireObject[] {
  const data = lines.filter((line) => line.startsWith("data:"));
  return objectsIn(data.map((line) => line.slice("data:".length)));
}

/** `[DONE]`, and what is for the client to complain about, is left out. */
function objectsIn(texts: readonly string[]): WireObject[] {
  return texts.map(parseInput).filter(isWireObject);
}
