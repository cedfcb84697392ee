import type { IncomingHttpHeaders } from "node:http";
import type { Misbehaviour } from "./misbehave.ts";

/** The three protocols that the server speaks. */
export type ProtocolName = "anthropic" | "openai-chat" | "openai-responses";

/** One request as a script sees it: the same view whatever protocol it came by. */
export interface RequestView {
  readonly protocol: ProtocolName;
  readonly model: string;
  /** All instructions that stand outside the conversation, joined by blank lines. */
  readonly system: string;
  readonly messages: readonly ViewMessage[];
  readonly tools: readonly ViewTool[];
  /** The text of the newest message of the user; empty if there is none. */
  readonly lastUserText: string;
  /** The output limit in tokens that the client asks for. */
  readonly maxOutput: number | undefined;
  readonly stream: boolean;
}

/** Results always stand in a message of their own with the role `tool`. */
export interface ViewMessage {
  readonly role: "user" | "assistant" | "tool";
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly ViewCall[];
  readonly results: readonly ViewResult[];
}

export interface ViewCall {
  readonly id: string;
  readonly name: string;
  /** The parsed input; the text itself where it is no JSON. */
  readonly input: unknown;
}

export interface ViewResult {
  readonly id: string;
  /** The name of the tool that was called. */
  readonly name: string;
  readonly output: string;
  readonly isError: boolean;
}

export interface ViewTool {
  readonly name: string;
  readonly description: string;
  readonly schema: unknown;
}

/** What the server knows about the request besides its content. */
export interface ScriptContext {
  /** How many requests reached the script before this one. */
  readonly turn: number;
  /** Tokens of the whole request, counted exactly. */
  readonly promptTokens: number;
  /** The context window of the model, in tokens. */
  readonly window: number;
  /** Aborted when the client goes away before the answer is complete. */
  readonly signal: AbortSignal;
}

/**
 * Answers a request. What it throws becomes a 500 that no SDK retries, and an entry of the log with
 * the outcome `failed`. A promise lets a test hold an answer back.
 */
export type Script = (request: RequestView, context: ScriptContext) => Reply | Promise<Reply>;

/** A text, a whole answer, or something that goes wrong. */
export type Reply = string | Answer | Misbehave;

export interface Answer {
  readonly parts: readonly ReplyPart[];
  /** Default: `tool-calls` if there is a call, else `stop`. */
  readonly finish?: Finish;
}

export type Finish = "stop" | "tool-calls" | "length" | "window";

export type ReplyPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  /** The server makes an id of the protocol's form unless there is one. */
  | {
      readonly type: "call";
      readonly name: string;
      readonly input: unknown;
      readonly id?: string;
      /** Responses only: of a tool in a namespace. */
      readonly namespace?: string;
    };

/** Something that goes wrong on purpose. */
export interface Misbehave {
  readonly misbehave: Misbehaviour;
  /** The right answer, which kinds such as `too-long` or `cut-off` spoil; default a summary. */
  readonly text?: string;
  /** Seconds in the `retry-after` header of `rate-limit` and `overloaded`; default 1. */
  readonly retryAfter?: number;
  /**
   * When errors, `hang` and `disconnect` happen: `start` before anything is sent (the default, but
   * for `disconnect`), `middle` after half of the answer.
   */
  readonly at?: "start" | "middle";
}

/** Tokens of one request and its answer, in the same terms for all protocols. */
export interface Usage {
  /** The whole prompt, cached or not. */
  readonly input: number;
  /** The part of it that was read from the cache. */
  readonly cacheRead: number;
  /** The part of it that was written to the cache (Anthropic only). */
  readonly cacheWrite: number;
  readonly output: number;
  /** The part of the output that is reasoning. */
  readonly reasoning: number;
}

export interface UpstreamOptions {
  readonly script: Script;
  /** Context window in tokens, for all models or by model; default 200,000. */
  readonly window?: number | ((model: string) => number);
  /** Size of a body in bytes from which on the server answers 413; default 32 MiB. */
  readonly maxBytes?: number;
  /**
   * Who answers at the Chat endpoint; default `openai`. `deepseek` shows its reasoning as
   * `reasoning_content`, and wants it back with every call.
   */
  readonly server?: "openai" | "deepseek";
  /** Links that lead nowhere: a request that holds one is refused in the provider's words. */
  readonly goneLinks?: readonly string[];
  /** The only key that is accepted; without it, any. */
  readonly apiKey?: string;
  /** `false`: as older models do, only forged signatures are refused, not a changed prefix. */
  readonly prefixCheck?: boolean;
}

export type Outcome =
  /** The script's answer went out. */
  | "answered"
  /** The request broke a rule of the provider. */
  | "refused"
  /** It asked for a thread, which no one here keeps; the SDK sends the whole history instead. */
  | "unsupported"
  /** The request did not fit the window or the byte limit. */
  | "overflow"
  /** The script wanted something to go wrong. */
  | "misbehaved"
  /** The client went away first. */
  | "aborted"
  /** The script threw. */
  | "failed";

export interface LoggedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The parsed JSON, or the text if it is none. */
  readonly body: unknown;
  /** Absent if the request never was understood. */
  readonly view?: RequestView;
  readonly promptTokens?: number;
  readonly usage?: Usage;
  readonly outcome: Outcome;
  /** 0 if no status was sent. */
  readonly status: number;
  /** Why it was refused, or what the script threw. */
  readonly error?: string;
}

/** A running server. */
export interface Upstream {
  /** `http://127.0.0.1:PORT`; OpenAI clients take it with `/v1` behind it. */
  readonly url: string;
  /** Every request, in the order in which they ended. */
  readonly requests: readonly LoggedRequest[];
  /** The sum over all answers; `requests` counts them. */
  readonly totals: Usage & { readonly requests: number };
  /** How many requests broke a rule or overflowed: what an agent must keep at 0. */
  readonly rejected: number;
  /** The reasons, e.g. `400 messages.1: …`. */
  readonly refusals: readonly string[];
  close(): Promise<void>;
}
