import { isRecord } from "../../core/text/json.ts";
import { z } from "zod";
import { isSdkEvent } from "../signs.ts";

const text = z.string().optional().catch(undefined);
const record = z.record(z.string(), z.unknown()).optional().catch(undefined);

/** The fields of SDK 1.x events that say something about the conversation. */
const sdkEvent = z.looseObject({
  id: text,
  timestamp: text,
  source: text,
  kind: z.string(),
  system_prompt: record,
  llm_message: record,
  thought: z.unknown().optional(),
  reasoning_content: text,
  tool_name: text,
  tool_call_id: text,
  tool_call: record,
  action: record,
  observation: record,
  action_id: text,
  llm_response_id: text,
  error: text,
  rejection_reason: text,
});

type SdkEvent = z.infer<typeof sdkEvent>;

/** An event of SDK 1.x in the words of 0.x; any other value as it is. */
export function fromSdk(value: unknown): unknown {
  const { data } = isSdkEvent(value) ? sdkEvent.safeParse(value) : {};
  if (data === undefined) return value;
  const { id, timestamp, source } = data;
  return { id, timestamp, source, ...translated(data) };
}

function translated(event: SdkEvent): Readonly<Record<string, unknown>> {
  switch (event.kind) {
    case "SystemPromptEvent":
      return { action: "system", args: { content: event.system_prompt?.["text"] } };
    case "MessageEvent":
      return { action: "message", args: messageArgs(event.llm_message?.["content"]) };
    case "ActionEvent":
      return { action: "call", args: event.action, tool_call_metadata: callOf(event) };
    case "ObservationEvent":
      return { ...answerOf(event), ...observed(event.observation ?? {}) };
    case "AgentErrorEvent":
      return { ...answerOf(event), observation: "error", content: event.error };
    case "UserRejectObservation":
      return { ...answerOf(event), observation: "user_rejected", content: event.rejection_reason };
    case "Condensation":
      return { action: "condensation", args: event };
    default:
      // Notes on the agent's state; they are no part of the conversation.
      return { action: "null" };
  }
}

function messageArgs(content: unknown): Readonly<Record<string, unknown>> {
  const pieces = Array.isArray(content) ? content : [];
  const image_urls = pieces.flatMap((piece: unknown): unknown[] =>
    isRecord(piece) && Array.isArray(piece["image_urls"]) ? piece["image_urls"] : [],
  );
  return { content, image_urls };
}

function callOf(event: SdkEvent): Readonly<Record<string, unknown>> {
  const { tool_name, tool_call_id, tool_call, llm_response_id, action } = event;
  const made = isRecord(tool_call?.["function"]) ? tool_call["function"] : (tool_call ?? {});
  const call = {
    id: tool_call_id,
    function: { name: tool_name, arguments: made["arguments"] ?? action },
  };
  const message = {
    content: event.thought,
    reasoning_content: event.reasoning_content,
    tool_calls: [call],
  };
  return {
    function_name: tool_name,
    tool_call_id,
    model_response: { id: llm_response_id, choices: [{ message }] },
  };
}

function answerOf({
  tool_name,
  tool_call_id,
  action_id,
}: SdkEvent): Readonly<Record<string, unknown>> {
  const tool_call_metadata = { function_name: tool_name, tool_call_id };
  return { cause: action_id, extras: {}, tool_call_metadata };
}

/** What a tool answered: a list of content in newer versions, fields named by the tool in older. */
function observed(
  observation: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const content = [observation["content"], observation["output"], observation["message"]].find(
    (field) => typeof field === "string" || Array.isArray(field),
  );
  return {
    observation: observation["is_error"] === true ? "error" : "call",
    content: content ?? JSON.stringify(observation),
    extras: { exit_code: exitCodeOf(observation) },
  };
}

function exitCodeOf({ exit_code, metadata }: Readonly<Record<string, unknown>>): unknown {
  return exit_code ?? (isRecord(metadata) ? metadata["exit_code"] : undefined);
}
