/** Who is judged: each is given a past and a window, or a number of tokens, and says what it would send. */
import type { Message } from "../../src/core/message/index.ts";
import type { Result } from "./judge.ts";
import type { Cut } from "./cuts.ts";

export interface Contestant {
  readonly name: string;
  /** What it does, precisely, and what it cannot show here. */
  readonly does: string;
  /** Its own way in this cut's window. `undefined` where it would do nothing or cannot. */
  readonly byDefault?: (cut: Cut) => Promise<Result | undefined>;
  /** The most that it keeps within so many o200k tokens. */
  readonly within?: (cut: Cut, tokens: number) => Promise<Result | undefined>;
}

/** The answer of every model that a contestant asks: no model is reachable, and none is favoured. */
export const STUB = "The conversation so far was summarized here by a model.";

export function userMessage(text: string): Message {
  return { role: "user", parts: [{ type: "text", text }] };
}
