import type { AiSdkModel } from "../../dialects/ai-sdk/model-prompt.ts";
import { isWireObject, type WireObject } from "../../dialects/wire.ts";
import type { SummaryAnswer, SummaryFinish, SummaryUsage } from "../summarizer.ts";

const FINISHES: Readonly<Record<string, SummaryFinish>> = {
  stop: "stop",
  length: "length",
  "tool-calls": "tool-calls",
  "content-filter": "content-filter",
  error: "error",
  interrupted: "error",
};

/** What a model generated; its reasoning and its sources are left out. */
export function aiSdkAnswer(result: unknown, model: AiSdkModel): SummaryAnswer {
  const made = isWireObject(result) ? result : {};
  const content: readonly unknown[] = Array.isArray(made["content"]) ? made["content"] : [];
  const parts = content.filter((part) => isWireObject(part));
  const usage = normalUsage(made, model);
  return {
    text: parts.map((part) => textOf(part)).join(""),
    finish: finishOf(made["finishReason"]),
    toolCalls: parts.filter((part) => part["type"] === "tool-call").length,
    ...(usage !== undefined && { usage }),
  };
}

function textOf({ type, text }: WireObject): string {
  return type === "text" && typeof text === "string" ? text : "";
}

/** A word up to version 2, an object since. */
function finishOf(reason: unknown): SummaryFinish {
  const word = isWireObject(reason) ? reason["unified"] : reason;
  return typeof word === "string" ? (FINISHES[word] ?? "other") : "other";
}

/** Usage in the shape of any version; `undefined` when the input is not known. */
function normalUsage({ usage, providerMetadata }: WireObject, model: AiSdkModel) {
  if (!isWireObject(usage)) return undefined;
  const { inputTokens, outputTokens } = usage;
  if (isWireObject(inputTokens)) return detailedUsage(inputTokens, outputTokens);
  if (typeof inputTokens !== "number") return undefined;
  const cached = numberOf(usage["cachedInputTokens"]);
  // Anthropic's provider did not count the cache as input then.
  const isBeside = model.provider.includes("anthropic") || cached > inputTokens;
  const beside = isBeside ? cached + writtenTokens(providerMetadata) : 0;
  return { input: inputTokens + beside, cached, output: numberOf(outputTokens) };
}

function writtenTokens(metadata: unknown): number {
  const anthropic = isWireObject(metadata) ? metadata["anthropic"] : undefined;
  return isWireObject(anthropic) ? numberOf(anthropic["cacheCreationInputTokens"]) : 0;
}

function detailedUsage(input: WireObject, output: unknown): SummaryUsage | undefined {
  const cached = numberOf(input["cacheRead"]);
  const parts = numberOf(input["noCache"]) + cached + numberOf(input["cacheWrite"]);
  const total = typeof input["total"] === "number" ? input["total"] : parts;
  if (total === 0) return undefined;
  return { input: total, cached, output: isWireObject(output) ? numberOf(output["total"]) : 0 };
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}
