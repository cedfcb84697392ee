import { ContextError } from "../../core/error.ts";
import type { AiSdkModel } from "../../dialects/ai-sdk/model-prompt.ts";
import { isWireObject } from "../../dialects/wire.ts";

const VERSIONS: ReadonlySet<unknown> = new Set(["v2", "v3", "v4"]);

/** Throws `ContextError` code `invalid-options` for anything but such a model. */
export function checkedModel(model: unknown): AiSdkModel {
  if (typeof model === "string") {
    throw invalid(
      `${JSON.stringify(model)} is only the id of a model; make it with its provider, e.g. anthropic("claude-haiku-4-5")`,
    );
  }
  if (!isWireObject(model) || typeof model["doGenerate"] !== "function") {
    throw invalid(
      "this is no language model of the AI SDK; pass what a provider's function returns",
    );
  }
  if (!VERSIONS.has(model["specificationVersion"])) {
    throw invalid(
      `the model speaks version ${String(model["specificationVersion"])} of the AI SDK's interface; v2, v3 and v4 are known (ai 5, 6 and 7)`,
    );
  }
  return model as unknown as AiSdkModel;
}

function invalid(problem: string): ContextError {
  return new ContextError("invalid-options", `aiSdkSummarizer needs a model: ${problem}.`);
}
