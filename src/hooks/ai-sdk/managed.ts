import type { AiSdkMessage } from "../../dialects/ai-sdk/wire.ts";
import { isWireObject, type WireObject } from "../../dialects/wire.ts";
import { isManaging, managedSetting } from "../managed-setting.ts";
import type { AiSdkStep } from "./sdk.ts";

/** The setting of a call by which the provider manages the conversation itself, if there is one. */
export function managedByOptions(providerOptions: unknown): string | undefined {
  if (!isWireObject(providerOptions)) return undefined;
  for (const [provider, options] of Object.entries(providerOptions)) {
    const name = isWireObject(options) ? managedSetting(options, "option") : undefined;
    if (name !== undefined) return `providerOptions.${provider}.${name}`;
  }
  return undefined;
}

/** The same of a step that is done, as far as it tells what was sent and what came of it. */
export function managedByStep(step: AiSdkStep | undefined): string | undefined {
  const body = step?.request?.body;
  const field = isWireObject(body) ? managedSetting(body, "field") : undefined;
  if (field !== undefined) return `${field} in the request`;
  const metadata = step?.providerMetadata;
  const anthropic = isWireObject(metadata) ? metadata["anthropic"] : undefined;
  const applied = isWireObject(anthropic) ? anthropic["contextManagement"] : undefined;
  return isManaging(applied) ? "providerMetadata.anthropic.contextManagement" : undefined;
}

/** What the provider left of a history that it compacted itself: nothing before it counts. */
export function managedByParts(messages: readonly AiSdkMessage[]): string | undefined {
  for (const { role, content } of messages) {
    if (role !== "assistant" || typeof content === "string") continue;
    if (content.some((part) => isCompaction(part))) return "a compaction part";
  }
  return undefined;
}

function isCompaction(part: WireObject): boolean {
  if (part["type"] === "custom") return String(part["kind"]).endsWith(".compaction");
  const options = part["providerOptions"];
  if (!isWireObject(options)) return false;
  return Object.values(options).some((own) => isWireObject(own) && own["type"] === "compaction");
}
