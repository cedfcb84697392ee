import { type JsonObject, pieces } from "../json.ts";
import type { Finished, SseEvent, World } from "../protocol.ts";
import type { Refusal } from "../refusal.ts";
import type { ReplyPart, Usage } from "../types.ts";
import { seal } from "./seal.ts";

/** 2026-01-01, so that every run gives the same bytes. */
const CREATED = 1_767_225_600;

export interface ReplyContext {
  readonly world: World;
  readonly body: JsonObject;
  /** Everything that the model was shown. */
  readonly items: readonly JsonObject[];
}

/** The `response` that a request without `stream` gets. */
export function renderResponse(answer: Finished, context: ReplyContext): unknown {
  const { id, output } = makeOutput(answer, context);
  return finalResponse(answer, context, { id, output });
}

/** The events of a streamed answer. */
export function responseEvents(answer: Finished, context: ReplyContext): readonly SseEvent[] {
  const { id, output } = makeOutput(answer, context);
  const response = finalResponse(answer, context, { id, output });
  const started = {
    ...response,
    status: "in_progress",
    output: [],
    usage: null,
    incomplete_details: null,
  };
  return numbered([
    { type: "response.created", response: started },
    { type: "response.in_progress", response: started },
    ...output.flatMap(itemEvents),
    { type: `response.${String(response["status"])}`, response },
  ]);
}

/** An error as the stream tells it. */
export function failureEvents(
  { type, message, param, code }: Refusal,
  { world, body }: ReplyContext,
  sent: number,
): readonly SseEvent[] {
  const base = baseResponse(world.newId("resp_"), body);
  const error = { type, code: code ?? null, message, param: param ?? null };
  const failed = {
    ...base,
    status: "failed",
    error: { code: code ?? "server_error", message },
    output: [],
    usage: null,
  };
  const started = { ...failed, status: "in_progress", error: null };
  return numbered(
    [
      ...(sent === 0
        ? [
            { type: "response.created", response: started },
            { type: "response.in_progress", response: started },
          ]
        : []),
      { type: "error", error },
      { type: "response.failed", response: failed },
    ],
    sent,
  );
}

function numbered(events: readonly JsonObject[], sent = 0): SseEvent[] {
  return events.map((event, index) => ({
    event: String(event["type"]),
    data: { ...event, sequence_number: sent + index },
  }));
}

/** The output items; the server remembers them, and keeps them unless the client forbids it. */
function makeOutput(
  { parts }: Finished,
  { world, body, items }: ReplyContext,
): { readonly id: string; readonly output: readonly JsonObject[] } {
  const id = world.newId("resp_");
  const include = Array.isArray(body["include"]) ? (body["include"] as readonly unknown[]) : [];
  const isSealed = include.includes("reasoning.encrypted_content");
  const output = parts.map((part) => itemOf(part, world, isSealed));
  world.responses.remember(output);
  if (body["store"] !== false) world.responses.keep(id, [...items, ...output]);
  return { id, output };
}

function itemOf(part: ReplyPart, world: World, isSealed: boolean): JsonObject {
  switch (part.type) {
    case "reasoning":
      return {
        id: world.newId("rs_"),
        type: "reasoning",
        summary: [{ type: "summary_text", text: part.text }],
        ...(isSealed && { encrypted_content: seal(part.text, world.secret) }),
      };
    case "text":
      return {
        id: world.newId("msg_"),
        type: "message",
        status: "completed",
        role: "assistant",
        content: [{ type: "output_text", text: part.text, annotations: [], logprobs: [] }],
      };
    case "call":
      return {
        id: world.newId("fc_"),
        type: "function_call",
        status: "completed",
        call_id: part.id ?? world.newId("call_"),
        name: part.name,
        ...(part.namespace !== undefined && { namespace: part.namespace }),
        arguments: typeof part.input === "string" ? part.input : JSON.stringify(part.input),
      };
  }
}

function finalResponse(
  { finish, usage }: Finished,
  { body }: ReplyContext,
  { id, output }: { readonly id: string; readonly output: readonly JsonObject[] },
): JsonObject {
  const reasons: Readonly<Record<string, string>> = {
    length: "max_output_tokens",
    window: "max_output_tokens",
  };
  const reason = reasons[finish];
  return {
    ...baseResponse(id, body),
    status: reason === undefined ? "completed" : "incomplete",
    incomplete_details: reason === undefined ? null : { reason },
    output,
    usage: renderUsage(usage),
  };
}

function baseResponse(id: string, body: JsonObject): JsonObject {
  return {
    id,
    object: "response",
    created_at: CREATED,
    background: false,
    error: null,
    incomplete_details: null,
    instructions: body["instructions"] ?? null,
    max_output_tokens: body["max_output_tokens"] ?? null,
    metadata: body["metadata"] ?? {},
    model: body["model"],
    parallel_tool_calls: body["parallel_tool_calls"] ?? true,
    previous_response_id: body["previous_response_id"] ?? null,
    reasoning: { effort: null, summary: null },
    service_tier: "default",
    store: body["store"] !== false,
    temperature: 1,
    text: { format: { type: "text" } },
    tool_choice: body["tool_choice"] ?? "auto",
    tools: body["tools"] ?? [],
    top_p: 1,
    truncation: "disabled",
    user: null,
  };
}

/** `input_tokens` is the whole prompt, cached tokens included. */
function renderUsage({ input, cacheRead, output, reasoning }: Usage): object {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cacheRead },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}

function itemEvents(item: JsonObject, index: number): JsonObject[] {
  const place = { output_index: index, item_id: item["id"] };
  const frameItem = (empty: JsonObject, inner: readonly JsonObject[]): JsonObject[] => [
    { type: "response.output_item.added", output_index: index, item: { ...item, ...empty } },
    ...inner,
    { type: "response.output_item.done", output_index: index, item },
  ];
  switch (item["type"]) {
    case "reasoning":
      return frameItem({ summary: [] }, summaryEvents(item, place));
    case "message":
      return frameItem({ status: "in_progress", content: [] }, textEvents(item, place));
    default: {
      const json = String(item["arguments"]);
      const type = "response.function_call_arguments";
      return frameItem({ status: "in_progress", arguments: "" }, [
        ...pieces(json).map((delta) => ({ type: `${type}.delta`, ...place, delta })),
        { type: `${type}.done`, ...place, name: item["name"], arguments: json },
      ]);
    }
  }
}

function summaryEvents({ summary }: JsonObject, at: JsonObject): JsonObject[] {
  const parts = summary as readonly { readonly text: string }[];
  return parts.flatMap((part, index): JsonObject[] => {
    const place = { ...at, summary_index: index };
    const type = "response.reasoning_summary_text";
    const empty = { type: "summary_text", text: "" };
    return [
      { type: "response.reasoning_summary_part.added", ...place, part: empty },
      ...pieces(part.text).map((delta) => ({ type: `${type}.delta`, ...place, delta })),
      { type: `${type}.done`, ...place, text: part.text },
      { type: "response.reasoning_summary_part.done", ...place, part },
    ];
  });
}

function textEvents({ content }: JsonObject, at: JsonObject): JsonObject[] {
  const [part] = content as readonly { readonly text: string }[];
  const place = { ...at, content_index: 0 };
  const type = "response.output_text";
  const whole = part?.text ?? "";
  return [
    { type: "response.content_part.added", ...place, part: { ...part, text: "" } },
    ...pieces(whole).map((delta) => ({ type: `${type}.delta`, ...place, delta, logprobs: [] })),
    { type: `${type}.done`, ...place, text: whole, logprobs: [] },
    { type: "response.content_part.done", ...place, part },
  ];
}
