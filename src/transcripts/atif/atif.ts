import type { Message, OutputPart, Part, Usage } from "../../core/message/index.ts";
import { type Fields, fieldsOf } from "../../core/text/json.ts";
import { fileAt } from "../../dialects/files.ts";
import { assembleSteps, type Piece } from "../assemble.ts";
import {
  decodeEach,
  newest,
  reasoningParts,
  reportedUsage,
  requestsOf,
  spanOf,
  textParts,
  timelineOf,
} from "../content.ts";
import { instant, list, number, records, text } from "../lenient.ts";
import { createWarnings, type DocumentReader, type RequestUsage } from "../transcript.ts";

/**
 * A trajectory in the Agent Trajectory Interchange Format, versions 1.0 to 1.7, as Harbor and
 * Terminal-Bench write it. Of sub-agents that stand in the file, what they took counts here.
 */
export const atif: DocumentReader = {
  read(document, { isTorn = false } = {}) {
    const file = fieldsOf(document);
    const { name, version, model_name: model } = fieldsOf(file["agent"]);
    const warnings = createWarnings();
    const values = list(file["steps"]);
    const steps = decodeEach(values, stepOf, { warnings, isTorn });
    const next = text(file["continued_trajectory_ref"]);
    if (next !== undefined) warnings.add(`The run goes on in another file: ${next}`);
    const conversation = {
      id: text(file["session_id"]) ?? text(file["trajectory_id"]),
      messages: assembleSteps(steps.flatMap(({ pieces }) => pieces)),
      model: newest(steps, "model") ?? text(model),
      ...spanOf(steps),
      // The sum of several requests does not tell how large one of them was.
      timeline: timelineOf(steps.filter(({ requests }) => requests === undefined)),
      requests: requestsIn(file),
    };
    return {
      version: [name, version].map(text).filter(Boolean).join(" ") || undefined,
      conversations: [conversation],
      compactions: 0,
      warnings: warnings.list(),
    };
  },
};

/** Those of the sub-agents in the file, too. */
function requestsIn(file: Fields): RequestUsage[] {
  const own = text(fieldsOf(file["agent"])["model_name"]);
  const steps = list(file["steps"]).flatMap((value) => stepOf(value) ?? []);
  return [
    ...requestsOf(steps).map((request) => ({ ...request, model: request.model ?? own })),
    ...records(file["subagent_trajectories"]).flatMap(requestsIn),
  ];
}

interface Step extends Partial<RequestUsage> {
  readonly pieces: readonly Piece[];
}

/** `undefined` for what is no step. */
function stepOf(value: unknown): Step | undefined {
  const step = fieldsOf(value);
  const { source, message, timestamp, observation } = step;
  const time = instant(timestamp);
  const results = records(fieldsOf(observation)["results"]);
  if (source === "agent") return agentStep(step, results, time);
  if (source !== "system" && source !== "user") return undefined;
  const parts = [...contentOf(message), ...results.flatMap(outputOf)];
  return { time, pieces: pieceOf({ role: source, parts, time }) };
}

/** A reply, the results of its calls, and what its surroundings said without a call. */
function agentStep(step: Fields, results: readonly Fields[], time: number | undefined): Step {
  const calls = records(step["tool_calls"]).flatMap((call): Part[] => {
    const { tool_call_id: toolCallId, function_name: toolName, arguments: input = {} } = call;
    if (typeof toolCallId !== "string" || typeof toolName !== "string") return [];
    return [{ type: "tool-call", toolCallId, toolName, input }];
  });
  const parts: Part[] = [
    ...reasoningParts(step["reasoning_content"]),
    ...contentOf(step["message"]),
    ...calls,
  ];
  const times = number(step["llm_call_count"]) ?? 1;
  const metrics = fieldsOf(step["metrics"]);
  // The file that a step was copied from counts what it took.
  const usage = step["is_copied_context"] === true ? undefined : usageOf(metrics);
  const reported = times === 1 ? usage : undefined;
  const reply: Message = { role: "assistant", parts, time, usage: reported };
  return {
    time,
    model: text(step["model_name"]),
    usage,
    cost: number(metrics["cost_usd"]),
    ...(times > 1 && { requests: times }),
    pieces: [...pieceOf(reply), ...results.flatMap((result) => answered(result, calls, time))],
  };
}

/** Nothing for a message that says nothing. */
function pieceOf(message: Message): Piece[] {
  return message.parts.length === 0 ? [] : [{ type: "other", message }];
}

function answered(result: Fields, calls: readonly Part[], time: number | undefined): Piece[] {
  const id = result["source_call_id"];
  const output = outputOf(result);
  const call = calls.find((part) => part.type === "tool-call" && part.toolCallId === id);
  if (call?.type !== "tool-call") {
    return pieceOf({ role: "user", kind: "injected", parts: output, time });
  }
  const { toolCallId, toolName } = call;
  const part: Part = { type: "tool-result", toolCallId, toolName, output };
  return [{ type: "results", message: { role: "tool", parts: [part], time } }];
}

/** The words of a result; of one that only names what a sub-agent did, that name. */
function outputOf(result: Fields): OutputPart[] {
  const content = contentOf(result["content"]);
  const named = records(result["subagent_trajectory_ref"]).flatMap((ref) => {
    const { trajectory_path: file, trajectory_id: id, session_id: session } = ref;
    return text(file) ?? text(id) ?? text(session) ?? [];
  });
  if (content.length > 0 || named.length === 0) return content;
  return textParts(`Sub-agent: ${named.join(", ")}`);
}

/** A text, or a list of texts and images. */
function contentOf(value: unknown): OutputPart[] {
  if (typeof value === "string") return textParts(value);
  return records(value).flatMap((part): OutputPart[] => {
    const { path: address, media_type: mediaType } = fieldsOf(part["source"]);
    if (typeof address === "string") return [fileAt(address, text(mediaType))];
    return textParts(part["text"]);
  });
}

/** Prompts are reported whole: what came from a cache, or went into one, is part of them. */
function usageOf(metrics: Fields): Usage | undefined {
  const { prompt_tokens: total, cached_tokens: cacheRead, completion_tokens: output } = metrics;
  const cacheWrite = fieldsOf(metrics["extra"])["cache_creation_input_tokens"];
  return reportedUsage({ total, cacheRead, cacheWrite, output });
}
