import type { Finished } from "./protocol.ts";
import type { Counter } from "./tokens.ts";
import type { Answer, Finish, ReplyPart, Usage } from "./types.ts";

export interface Limits {
  readonly counter: Counter;
  readonly promptTokens: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** The output limit of the request, in tokens. */
  readonly maxOutput: number;
  /** What is left of the window, in tokens. */
  readonly room: number;
}

/** An answer cut to the limits, with its usage, and how it ended. */
export interface Cut {
  readonly finished: Finished;
  /** What was really used, whatever is reported. */
  readonly usage: Usage;
}

/** Cuts an answer as a model does that runs into its output limit or the end of its window. */
export function finishAnswer(answer: Answer, limits: Limits): Cut {
  const { counter, maxOutput, room } = limits;
  const allowed = Math.min(maxOutput, room);
  const parts: ReplyPart[] = [];
  let output = 0;
  let reasoning = 0;
  let isCut = false;
  for (const part of answer.parts) {
    const kept = cutPart(part, allowed - output, counter);
    isCut ||= kept !== part;
    if (kept !== undefined) {
      const tokens = partTokens(kept, counter);
      output += tokens;
      if (kept.type === "reasoning") reasoning += tokens;
      parts.push(kept);
    }
    if (isCut) break;
  }
  const cutFinish: Finish = room < maxOutput ? "window" : "length";
  const finish = isCut ? cutFinish : (answer.finish ?? usualFinish(parts));
  const { promptTokens, cacheRead, cacheWrite } = limits;
  const usage: Usage = { input: promptTokens, cacheRead, cacheWrite, output, reasoning };
  return { finished: { parts, finish, usage }, usage };
}

function usualFinish(parts: readonly ReplyPart[]): Finish {
  return parts.some(({ type }) => type === "call") ? "tool-calls" : "stop";
}

function partTokens(part: ReplyPart, counter: Counter): number {
  if (part.type !== "call") return counter.text(part.text);
  return counter.text(part.name) + counter.text(JSON.stringify(part.input));
}

/** The part, the beginning of it that fits, or nothing; a call comes whole or not at all. */
function cutPart(part: ReplyPart, room: number, counter: Counter): ReplyPart | undefined {
  const tokens = partTokens(part, counter);
  if (tokens <= room) return part;
  if (part.type !== "text" || room <= 0) return undefined;
  const text = part.text.slice(0, Math.floor((part.text.length * room) / tokens)).trimEnd();
  return text === "" ? undefined : { ...part, text };
}
