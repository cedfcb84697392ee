import type { AiSdkMessage } from "../../dialects/ai-sdk/index.ts";
import { isWireObject, type WireObject } from "../../dialects/wire-value.ts";
import type { AiSdkStep } from "./sdk.ts";

/** A provider's own settings that change or keep the history, as the SDK and as the wire name them. */
const SETTINGS: readonly (readonly [option: string, field: string])[] = [
  ["contextManagement", "context_management"],
  ["compaction", "compaction"],
  ["compactionTrigger", "compaction_trigger"],
  ["previousResponseId", "previous_response_id"],
  ["conversation", "conversation"],
  ["thread", "thread"],
];

/** The setting of a call by which the provider manages the conversation itself, if there is one. */
export function managedByOptions(providerOptions: unknown): string | undefined {
  if (!isWireObject(providerOptions)) return undefined;
  for (const [provider, options] of Object.entries(providerOptions)) {
    const name = isWireObject(options) ? setting(options, 0) : undefined;
    if (name !== undefined) return `providerOptions.${provider}.${name}`;
  }
  return undefined;
}

/** The same of a step that is done, as far as it tells what was sent and what came of it. */
export function managedByStep(step: AiSdkStep | undefined): string | undefined {
  const body = step?.request?.body;
  const field = isWireObject(body) ? setting(body, 1) : undefined;
  if (field !== undefined) return `${field} in the request`;
  const metadata = step?.providerMetadata;
  const anthropic = isWireObject(metadata) ? metadata["anthropic"] : undefined;
  const applied = isWireObject(anthropic) ? anthropic["contextManagement"] : undefined;
  return isOn(applied) ? "providerMetadata.anthropic.contextManagement" : undefined;
}

/** What the provider left of a history that it compacted itself: nothing before it counts. */
export function managedByParts(messages: readonly AiSdkMessage[]): string | undefined {
  for (const { role, content } of messages) {
    if (role !== "assistant" || typeof content === "string") continue;
    if (content.some((part) => isCompaction(part))) return "a compaction part";
  }
  return undefined;
}

function setting(options: WireObject, column: 0 | 1): string | undefined {
  const found = SETTINGS.find((names) => isOn(options[names[column]]));
  if (found !== undefined) return found[column];
  return options["truncation"] === "auto" ? "truncation" : undefined;
}

/** The thinking of earlier turns is all that this edit takes; it is no part of what we edit. */
const HARMLESS = "clear_thinking_20251015";

function isOn(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (!isWireObject(value)) return value !== undefined && value !== null && value !== false;
  const edits = value["edits"] ?? value["appliedEdits"];
  if (!Array.isArray(edits)) return true;
  return edits.some((edit: unknown) => isWireObject(edit) && edit["type"] !== HARMLESS);
}

function isCompaction(part: WireObject): boolean {
  if (part["type"] === "custom") return String(part["kind"]).endsWith(".compaction");
  const options = part["providerOptions"];
  if (!isWireObject(options)) return false;
  return Object.values(options).some((own) => isWireObject(own) && own["type"] === "compaction");
}
