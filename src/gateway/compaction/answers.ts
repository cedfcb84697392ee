import { sha256Hex } from "../../archive/digest.ts";
import type { WireObject } from "../../dialects/wire.ts";
import { eventBytes } from "../recall/events.ts";
import type { ProtocolName } from "../routes.ts";

/** An answer that no model gave. */
export interface ReadyAnswer {
  readonly type: string;
  readonly body: string;
}

/** One text as the answer of an API, streamed if the request wants it so. It cost nothing, and says so. */
export function answerOf(protocol: ProtocolName, params: WireObject, text: string): ReadyAnswer {
  const { model, stream } = params;
  const id = sha256Hex(text).slice(0, 24);
  const { whole, events } = ANSWERS[protocol]({ id, model, text });
  if (stream !== true) return { type: "application/json", body: JSON.stringify(whole) };
  const ends = protocol === "openai-chat" ? "data: [DONE]\n\n" : "";
  const body = Buffer.concat(events.map(eventBytes)).toString() + ends;
  return { type: "text/event-stream; charset=utf-8", body };
}

interface Said {
  readonly id: string;
  readonly model: unknown;
  readonly text: string;
}

interface Told {
  readonly whole: WireObject;
  readonly events: readonly WireObject[];
}

const ANSWERS: Readonly<Record<ProtocolName, (said: Said) => Told>> = {
  anthropic: ofMessages,
  "openai-chat": ofChat,
  "openai-responses": ofResponses,
};

function ofMessages({ id, model, text }: Said): Told {
  const usage = { input_tokens: 0, output_tokens: 0 };
  const message = { id: `msg_${id}`, type: "message", role: "assistant", model, usage };
  const end = { stop_reason: "end_turn", stop_sequence: null };
  const begun = { ...message, content: [], stop_reason: null, stop_sequence: null };
  const block = { type: "text", text: "" };
  const delta = { type: "text_delta", text };
  return {
    whole: { ...message, content: [{ ...block, text }], ...end },
    events: [
      { type: "message_start", message: begun },
      { type: "content_block_start", index: 0, content_block: block },
      { type: "content_block_delta", index: 0, delta },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: end, usage: { output_tokens: 0 } },
      { type: "message_stop" },
    ],
  };
}

function ofChat({ id, model, text }: Said): Told {
  const head = { id: `chatcmpl-${id}`, created: 0, model };
  const usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
  const message = { role: "assistant", content: text };
  const chunk = (delta: object, finish_reason: string | null): WireObject => ({
    ...head,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason }],
  });
  const choices = [{ index: 0, message, logprobs: null, finish_reason: "stop" }];
  return {
    whole: { ...head, object: "chat.completion", choices, usage },
    events: [chunk(message, null), chunk({}, "stop")],
  };
}

function ofResponses({ id, model, text }: Said): Told {
  const part = { type: "output_text", text, annotations: [] };
  const item = { id: `msg_${id}`, type: "message", role: "assistant", status: "completed" };
  const usage = {
    input_tokens: 0,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 0,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 0,
  };
  const head = { id: `resp_${id}`, object: "response", created_at: 0, model, error: null };
  const begun = { ...head, status: "in_progress", output: [] };
  const whole = { ...head, status: "completed", output: [{ ...item, content: [part] }], usage };
  const at = { item_id: item.id, output_index: 0, content_index: 0 };
  const events: readonly WireObject[] = [
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
    {
      type: "response.output_item.added",
      output_index: 0,
      item: { ...item, status: "in_progress", content: [] },
    },
    { type: "response.content_part.added", ...at, part: { ...part, text: "" } },
    { type: "response.output_text.delta", ...at, delta: text },
    { type: "response.output_text.done", ...at, text },
    { type: "response.content_part.done", ...at, part },
    { type: "response.output_item.done", output_index: 0, item: { ...item, content: [part] } },
    { type: "response.completed", response: whole },
  ];
  return { whole, events: events.map((event, number) => ({ ...event, sequence_number: number })) };
}
