/** Who is judged: each is given a past and a window, or a number of tokens, and says what it would send. */
import type { Message } from "../../src/core/message/index.ts";
import type { Kept } from "../../src/simulate/index.ts";
import type { Cut } from "./cuts.ts";

/** What a contestant may know by default: nothing of the future. */
export type Past = Pick<Cut, "past" | "window" | "segment" | "summary">;

export interface Contestant {
  readonly name: string;
  /** What it does, precisely, and what it cannot show here. */
  readonly does: string;
  /** It asks a model for a summary, which costs; the answer here is a stub. */
  readonly asksModel?: boolean;
  /** Its own way in this cut's window. `undefined` where it would do nothing or cannot. */
  readonly byDefault?: (past: Past) => Promise<Kept | undefined>;
  /** The most that it keeps within so many o200k tokens. */
  readonly within?: (cut: Cut, tokens: number) => Promise<Kept | undefined>;
}

/** The answer of every model that a contestant asks: no model is reachable, and none is favoured. */
export const STUB = "The conversation so far was summarized here by a model.";

/** What a model answers: where the agent compacted by itself, what its model wrote then. */
export function answerAt({ summary }: Pick<Past, "summary">): string {
  return summary ?? STUB;
}

export function userMessage(text: string): Message {
  return { role: "user", parts: [{ type: "text", text }] };
}
