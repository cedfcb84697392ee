import { reportFailure } from "../context/create-context.ts";
import { ContextError } from "../core/error.ts";
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
 * The setting by which the provider manages the conversation itself, in the names of an SDK or of
 * the wire.
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

/** The value of such a setting, or of what was applied because of it, does something. */
export function isManaging(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (!isWireObject(value)) return value !== undefined && value !== null && value !== false;
  const edits = value["edits"] ?? value["appliedEdits"];
  if (!Array.isArray(edits)) return true;
  return edits.some((edit: unknown) => isWireObject(edit) && edit["type"] !== HARMLESS);
}

/** A history that lies on a server cannot be edited here. */
function adviceOf(by: string): string {
  return /previous_?response_?id|conversation/i.test(by)
    ? "send the history itself instead (push each response's output into your own input), with store: false if nothing shall be kept there"
    : "switch one of the two off";
}

/**
 * A check whether the provider manages a conversation itself, so that everything is left as it is.
 * `by` is the sign of it in the words of the SDK, e.g. `providerOptions.openai.contextManagement`;
 * listeners hear of each once.
 */
export function createManagedCheck(context: object): (by: string | undefined) => boolean {
  const told = new Set<string>();
  return (by) => {
    if (by === undefined) return false;
    if (!told.has(by)) {
      told.add(by);
      reportFailure(
        context,
        new ContextError(
          "managed-elsewhere",
          `The provider manages this conversation itself (${by}), so Longhaul leaves it as it is; ${adviceOf(by)}.`,
          { details: { by } },
        ),
      );
    }
    return true;
  };
}
