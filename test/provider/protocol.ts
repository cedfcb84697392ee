import type { IncomingHttpHeaders } from "node:http";
import type { CacheUse, PromptCache } from "./cache.ts";
import type { Fault } from "./misbehave.ts";
import type { Refusal } from "./refusal.ts";
import type { ResponseStore } from "./responses/store.ts";
import type { Counter } from "./tokens.ts";
import type {
  Answer,
  Finish,
  ProtocolName,
  ReplyPart,
  RequestView,
  UpstreamOptions,
  Usage,
} from "./types.ts";

/** What all requests to one server share. */
export interface World {
  readonly options: UpstreamOptions;
  readonly counter: Counter;
  readonly cache: PromptCache;
  /** What OpenAI keeps of earlier responses. */
  readonly responses: ResponseStore;
  /** Signs thinking and seals reasoning. */
  readonly secret: string;
  /** A new id with this prefix; the same in every run. */
  newId(prefix: string): string;
  window(model: string): number;
}

export interface Received {
  readonly body: unknown;
  readonly headers: IncomingHttpHeaders;
}

/** A legal request, ready to be answered. */
export interface Exchange {
  readonly view: RequestView;
  readonly promptTokens: number;
  readonly cacheUse: CacheUse;
  /** Adds what a model behind this protocol never leaves out. */
  complete?(answer: Answer): Answer;
  /** The body of an answer that is not streamed. */
  render(answer: Finished): unknown;
  /** All events of an answer that is streamed, the last one included. */
  stream(answer: Finished): readonly SseEvent[];
  /** The events that tell an error in a stream after so many events. */
  errorEvents(refusal: Refusal, requestId: string, sent: number): readonly SseEvent[];
}

/** An answer with everything that only the server knows. */
export interface Finished {
  readonly parts: readonly ReplyPart[];
  readonly finish: Finish;
  readonly usage: Usage;
}

export interface SseEvent {
  /** OpenAI Chat does not name its events. */
  readonly event?: string;
  /** Sent as JSON, a string as it is. */
  readonly data: unknown;
}

export interface Protocol {
  readonly name: ProtocolName;
  /** The name of the header with the request's id. */
  readonly idHeader: string;
  authenticate(headers: IncomingHttpHeaders, key: string | undefined): Refusal | undefined;
  /** Everything the real server checks before it counts tokens. */
  receive(request: Received, world: World): Refusal | Exchange;
  /** What is said of a prompt that does not fit. */
  overflow(exchange: Exchange, world: World): Refusal;
  /** The words for 429, 500 and 529. */
  fault(kind: Exclude<Fault, "hang" | "disconnect">): Refusal;
  tooLarge(): Refusal;
  /** What is said of a link that cannot be loaded. */
  goneLink(link: string): Refusal;
  badJson(): Refusal;
  /** The body of an error. */
  errorBody(refusal: Refusal, requestId: string): unknown;
}

export function isRefusal(value: Refusal | object): value is Refusal {
  return "status" in value && "message" in value;
}
