import { isWireObject, type WireObject } from "../dialects/wire.ts";

/** A provider's own settings that change or keep the history, as SDKs and as the wire name them. */
const SETTINGS = [
  { option: "contextManagement", field: "context_management" },
  { option: "compaction", field: "compaction" },
  { option: "compactionTrigger", field: "compaction_trigger" },
  { option: "previousResponseId", field: "previous_response_id" },
  { option: "conversation", field: "conversation" },
  { option: "thread", field: "thread" },
] as const;

/**
 * The setting by which the provider manages the conversation itself, if one of these is switched
 * on. `naming`: whether they are named as an SDK's options are, or as the wire's fields.
 */
export function managedSetting(
  settings: WireObject,
  naming: "option" | "field",
): string | undefined {
  const found = SETTINGS.find((names) => isManaging(settings[names[naming]]));
  if (found !== undefined) return found[naming];
  return settings["truncation"] === "auto" ? "truncation" : undefined;
}

/** The thinking of earlier turns is all that this edit takes; it is no part of what we edit. */
const HARMLESS = "clear_thinking_20251015";

/** Whether the value of such a setting, or of what was applied because of it, does anything. */
export function isManaging(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (!isWireObject(value)) return value !== undefined && value !== null && value !== false;
  const edits = value["edits"] ?? value["appliedEdits"];
  if (!Array.isArray(edits)) return true;
  return edits.some((edit: unknown) => isWireObject(edit) && edit["type"] !== HARMLESS);
}
