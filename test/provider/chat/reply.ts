import { pieces } from "../json.ts";
import type { Finished, SseEvent, World } from "../protocol.ts";
import type { Finish, ReplyPart, Usage } from "../types.ts";

const FINISH_REASONS: Readonly<Record<Finish, string>> = {
  stop: "stop",
  "tool-calls": "tool_calls",
  length: "length",
  window: "length",
};
/** 2026-01-01, so that every run gives the same bytes. */
const CREATED = 1_767_225_600;

export interface ReplyContext {
  readonly world: World;
  readonly model: string;
  /** The client asked for a last chunk with the usage. */
  readonly wantsUsage: boolean;
  /** OpenAI itself keeps the reasoning to itself. */
  readonly showsReasoning: boolean;
}

type Call = Extract<ReplyPart, { readonly type: "call" }>;

/** The `chat.completion` that a request without `stream` gets. */
export function renderCompletion(answer: Finished, context: ReplyContext): unknown {
  const { world, model, showsReasoning } = context;
  const content = join(answer, "text");
  const reasoning = showsReasoning ? join(answer, "reasoning") : "";
  const calls = callsOf(answer, world);
  const message = {
    role: "assistant",
    content: content === "" && calls.length > 0 ? null : content,
    refusal: null,
    ...(reasoning !== "" && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  return {
    id: world.newId("chatcmpl-"),
    object: "chat.completion",
    created: CREATED,
    model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: FINISH_REASONS[answer.finish] }],
    usage: renderUsage(answer.usage),
    system_fingerprint: null,
  };
}

/** The chunks of a streamed answer, `[DONE]` included. */
export function completionEvents(answer: Finished, context: ReplyContext): readonly SseEvent[] {
  const { world, model, wantsUsage, showsReasoning } = context;
  const reasoning = showsReasoning ? join(answer, "reasoning") : "";
  const base = {
    id: world.newId("chatcmpl-"),
    object: "chat.completion.chunk",
    created: CREATED,
    model,
    system_fingerprint: null,
  };
  const usage = wantsUsage ? { usage: null } : {};
  const chunk = (delta: object, finish: string | null = null): SseEvent => ({
    data: {
      ...base,
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
      ...usage,
    },
  });
  const last = { data: { ...base, choices: [], usage: renderUsage(answer.usage) } };
  return [
    chunk({ role: "assistant", content: "", refusal: null }),
    ...pieces(reasoning).map((piece) => chunk({ reasoning_content: piece })),
    ...pieces(join(answer, "text")).map((piece) => chunk({ content: piece })),
    ...callsOf(answer, world).flatMap((call, index) =>
      callDeltas(call, index).map((delta) => chunk(delta)),
    ),
    chunk({}, FINISH_REASONS[answer.finish]),
    ...(wantsUsage ? [last] : []),
    { data: "[DONE]" },
  ];
}

function join({ parts }: Finished, type: "text" | "reasoning"): string {
  return parts.map((part) => (part.type === type ? part.text : "")).join("");
}

interface WireCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

function callsOf({ parts }: Finished, world: World): WireCall[] {
  const calls = parts.filter((part): part is Call => part.type === "call");
  return calls.map(({ id, name, input }) => ({
    id: id ?? world.newId("call_"),
    type: "function",
    function: { name, arguments: typeof input === "string" ? input : JSON.stringify(input) },
  }));
}

function callDeltas(call: WireCall, index: number): object[] {
  const { name, arguments: json } = call.function;
  return [
    { tool_calls: [{ index, ...call, function: { name, arguments: "" } }] },
    ...pieces(json).map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
  ];
}

/** `prompt_tokens` is the whole prompt, cached tokens included. */
function renderUsage({ input, cacheRead, output, reasoning }: Usage): object {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cacheRead, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}
