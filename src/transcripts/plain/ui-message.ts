import { isRecord } from "../../core/text/json.ts";
import type { AiSdkMessage } from "../../dialects/ai-sdk/wire.ts";
import type { WireBlock } from "../../dialects/wire.ts";

type Json = Readonly<Record<string, unknown>>;
type Block = WireBlock & Json;

/**
 * The model messages that a `UIMessage` of the AI SDK stands for. An assistant's UI message holds
 * whole runs: each step gives one assistant message and, after it, the results of its tools. Calls
 * whose input was still streaming and parts that are for the screen (`data-*`, `source-*`) give
 * nothing.
 */
export function fromUiMessage(message: Json): readonly AiSdkMessage[] {
  const parts = (Array.isArray(message["parts"]) ? message["parts"] : []).filter(isRecord);
  const role = message["role"];
  if (role === "assistant") return splitSteps(parts).flatMap(stepMessages);
  const content = parts.flatMap(contentPart);
  if (role !== "system") return [{ role: "user", content }];
  const text = content.map(({ text: said }) => (typeof said === "string" ? said : "")).join("");
  return [{ role: "system", content: text }];
}

function splitSteps(parts: readonly Json[]): readonly (readonly Json[])[] {
  const steps: Json[][] = [[]];
  for (const part of parts) {
    if (part["type"] === "step-start") steps.push([]);
    else steps.at(-1)?.push(part);
  }
  return steps.filter((step) => step.length > 0);
}

function stepMessages(parts: readonly Json[]): AiSdkMessage[] {
  const content = parts.flatMap((part) => (isTool(part) ? toolCall(part) : contentPart(part)));
  const results = parts.filter(isTool).flatMap(toolResult);
  const said = { role: "assistant", content } as const;
  const answered = { role: "tool", content: results } as const;
  return [...(content.length === 0 ? [] : [said]), ...(results.length === 0 ? [] : [answered])];
}

function contentPart(part: Json): Block[] {
  const { type, text, mediaType, filename, url, providerMetadata } = part;
  const options = providerMetadata === undefined ? {} : { providerOptions: providerMetadata };
  if (type === "text" || type === "reasoning") {
    return typeof text === "string" ? [{ type, text, ...options }] : [];
  }
  if (type !== "file" || typeof url !== "string") return [];
  const name = typeof filename === "string" ? { filename } : {};
  return [{ type, mediaType, data: url, ...name, ...options }];
}

function isTool({ type }: Json): boolean {
  return type === "dynamic-tool" || (typeof type === "string" && type.startsWith("tool-"));
}

function toolName({ type, toolName: name }: Json): string {
  return typeof name === "string" ? name : String(type).slice("tool-".length);
}

function toolCall(part: Json): Block[] {
  const { toolCallId, state, input } = part;
  if (typeof toolCallId !== "string" || state === "input-streaming") return [];
  return [{ type: "tool-call", toolCallId, toolName: toolName(part), input: input ?? {} }];
}

function toolResult(part: Json): Block[] {
  const { toolCallId } = part;
  const output = toolOutput(part);
  if (typeof toolCallId !== "string" || output === undefined) return [];
  return [{ type: "tool-result", toolCallId, toolName: toolName(part), output }];
}

function toolOutput({ state, output, errorText, approval }: Json): Json | undefined {
  switch (state) {
    case "output-available":
      return typeof output === "string"
        ? { type: "text", value: output }
        : { type: "json", value: output ?? null };
    case "output-error":
      return { type: "error-text", value: typeof errorText === "string" ? errorText : "" };
    case "output-denied":
      return {
        type: "execution-denied",
        reason: isRecord(approval) ? approval["reason"] : undefined,
      };
    default:
      return undefined;
  }
}
