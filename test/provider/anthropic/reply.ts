import { pieces } from "../json.ts";
import type { Finished, SseEvent, World } from "../protocol.ts";
import type { Finish, ReplyPart, Usage } from "../types.ts";
import { after, type Place, sign } from "./thinking.ts";

type Block =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }
  | {
      readonly type: "tool_use";
      readonly id: string;
      readonly name: string;
      readonly input: unknown;
    };

const STOP_REASONS: Readonly<Record<Finish, string>> = {
  stop: "end_turn",
  "tool-calls": "tool_use",
  length: "max_tokens",
  window: "model_context_window_exceeded",
};

export interface ReplyContext {
  readonly world: World;
  readonly model: string;
  /** Where the answer begins, for the signatures of its thinking. */
  readonly place: Place;
  readonly dropped: readonly string[];
}

/** The `Message` that a request without `stream` gets. */
export function renderMessage(answer: Finished, context: ReplyContext): unknown {
  return {
    ...emptyMessage(context),
    content: blocksFor(answer.parts, context),
    stop_reason: STOP_REASONS[answer.finish],
    usage: startUsage(answer.usage, answer.usage.output),
  };
}

/** The events of a streamed answer, in the order of the real ones. */
export function messageEvents(answer: Finished, context: ReplyContext): readonly SseEvent[] {
  const start = { ...emptyMessage(context), usage: startUsage(answer.usage, 1) };
  const { usage } = answer;
  return [
    event("message_start", { message: start }),
    event("ping", {}),
    ...blocksFor(answer.parts, context).flatMap(blockEvents),
    event("message_delta", {
      delta: { stop_reason: STOP_REASONS[answer.finish], stop_sequence: null },
      usage: { ...inputUsage(usage), output_tokens: usage.output },
    }),
    event("message_stop", {}),
  ];
}

function event(type: string, rest: object): SseEvent {
  return { event: type, data: { type, ...rest } };
}

function emptyMessage({ world, model, dropped }: ReplyContext): object {
  return {
    id: world.newId("msg_"),
    type: "message",
    role: "assistant",
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    ...(dropped.length > 0 && {
      input_transformations: dropped.map((at) => ({
        type: "thinking_block_dropped",
        location: at,
      })),
    }),
  };
}

function blocksFor(parts: readonly ReplyPart[], { world, place }: ReplyContext): Block[] {
  let here = place;
  return parts.map((part): Block => {
    if (part.type === "reasoning") {
      const { signature, next } = sign(here, part.text, world.secret);
      here = next;
      return { type: "thinking", thinking: part.text, signature };
    }
    const block: Block =
      part.type === "text"
        ? { type: "text", text: part.text }
        : {
            type: "tool_use",
            id: part.id ?? world.newId("toolu_"),
            name: part.name,
            input: part.input,
          };
    here = after(here, "assistant", { ...block });
    return block;
  });
}

function blockEvents(block: Block, index: number): SseEvent[] {
  const delta = (type: string, rest: object): SseEvent =>
    event("content_block_delta", { index, delta: { type, ...rest } });
  const start = (empty: object): SseEvent =>
    event("content_block_start", { index, content_block: empty });
  const stop = event("content_block_stop", { index });
  switch (block.type) {
    case "text":
      return [
        start({ type: "text", text: "" }),
        ...pieces(block.text).map((text) => delta("text_delta", { text })),
        stop,
      ];
    case "thinking":
      return [
        start({ type: "thinking", thinking: "", signature: "" }),
        ...pieces(block.thinking).map((thinking) => delta("thinking_delta", { thinking })),
        delta("signature_delta", { signature: block.signature }),
        stop,
      ];
    case "tool_use":
      return [
        start({ ...block, input: {} }),
        delta("input_json_delta", { partial_json: "" }),
        ...pieces(JSON.stringify(block.input)).map((json) =>
          delta("input_json_delta", { partial_json: json }),
        ),
        stop,
      ];
  }
}

/** `input_tokens` leaves out what was read from or written to the cache. */
function inputUsage({ input, cacheRead, cacheWrite }: Usage): object {
  return {
    input_tokens: Math.max(0, input - cacheRead - cacheWrite),
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead,
  };
}

function startUsage(usage: Usage, output: number): object {
  return {
    ...inputUsage(usage),
    cache_creation: {
      ephemeral_5m_input_tokens: usage.cacheWrite,
      ephemeral_1h_input_tokens: 0,
    },
    output_tokens: output,
    service_tier: "standard",
  };
}
