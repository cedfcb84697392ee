import { fieldsOf } from "../../core/text/json.ts";
import { numberOf, usageOf, type WireObject } from "../../dialects/wire.ts";
import type { AnswerFacts, WireApi } from "../wire-answer.ts";

/** Chat Completions, of OpenAI and of the servers that imitate it. */
export const chatAnswers: WireApi = {
  read: readCompletion,
  usageOf(reported) {
    const { prompt_tokens, completion_tokens, ...details } = fieldsOf(reported);
    const { cached_tokens } = fieldsOf(details["prompt_tokens_details"]);
    // Hidden reasoning is paid for, but it is no part of what is sent next.
    const output = Math.max(0, numberOf(completion_tokens) - hiddenTokens(details));
    return usageOf({ total: prompt_tokens, cacheRead: cached_tokens, output });
  },
};

function readCompletion(value: WireObject): AnswerFacts {
  const { choices, usage, error } = value;
  const [choice] = (Array.isArray(choices) ? choices : []) as readonly unknown[];
  const { message, delta = message, finish_reason: finish } = fieldsOf(choice);
  const fields = Object.entries(fieldsOf(delta));
  const isSaid = fields.some(([name, said]) => name !== "role" && isFilled(said));
  // Hidden thinking is an answer, too.
  const isAnswer = isSaid || hiddenTokens(fieldsOf(usage)) > 0;
  return { isAnswer, finish, usage, ...(error != null && { error: value }) };
}

function hiddenTokens(usage: WireObject): number {
  return numberOf(fieldsOf(usage["completion_tokens_details"])["reasoning_tokens"]);
}

function isFilled(value: unknown): boolean {
  return Array.isArray(value) || typeof value === "string" ? value.length > 0 : value != null;
}

export const responsesAnswers: WireApi = {
  read: readResponse,
  usageOf(reported) {
    const { input_tokens, output_tokens, input_tokens_details } = fieldsOf(reported);
    const { cached_tokens } = fieldsOf(input_tokens_details);
    return usageOf({ total: input_tokens, cacheRead: cached_tokens, output: output_tokens });
  },
};

/** Events that come before an answer or a refusal. */
const LEAD_IN: ReadonlySet<unknown> = new Set([
  "response.created",
  "response.queued",
  "response.in_progress",
]);
/** Events with which an answer ends. */
const END: ReadonlySet<unknown> = new Set(["response.completed", "response.incomplete"]);

function readResponse(value: WireObject): AnswerFacts {
  const { type } = value;
  if (LEAD_IN.has(type)) return {};
  if (type === "error" || type === "response.failed" || value["error"] != null) {
    return { error: value };
  }
  if (type !== undefined && !END.has(type)) return { isAnswer: true };
  const { output, status, incomplete_details, usage } =
    type === undefined ? value : fieldsOf(value["response"]);
  const finish = fieldsOf(incomplete_details)["reason"] ?? status ?? "completed";
  return { isAnswer: Array.isArray(output) && output.length > 0, finish, usage };
}
