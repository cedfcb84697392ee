import { modelWindow } from "../../core/overflow/index.ts";
import { isWireObject, type WireObject } from "../../dialects/wire.ts";
import { managedSetting } from "../managed-setting.ts";

/** What is known of the chat model that an agent calls. */
export function windowOfModel(model: unknown): number | undefined {
  const fields = fieldsOf(model);
  const profile = fields["profile"];
  const stated = isWireObject(profile) ? profile["maxInputTokens"] : undefined;
  if (typeof stated === "number" && stated > 0) return stated;
  const name = fields["model"] ?? fields["modelName"];
  return typeof name === "string" ? modelWindow(name) : undefined;
}

/** Where models and calls keep what is sent beside the messages. */
const SETTINGS = ["modelKwargs", "invocationKwargs", "defaultOptions", "kwargs"] as const;

/** By which of its settings the provider manages the conversation itself, if it does. */
export function managedByModel(model: unknown, settings: unknown): string | undefined {
  const fields = fieldsOf(model);
  const places: readonly (readonly [name: string, value: unknown])[] = [
    ["modelSettings", settings],
    ["model", fields],
    ...SETTINGS.map((name) => [`model.${name}`, fields[name]] as const),
  ];
  for (const [name, value] of places) {
    if (!isWireObject(value)) continue;
    const setting = managedSetting(value, "field") ?? managedSetting(value, "option");
    if (setting !== undefined) return `${name}.${setting}`;
  }
  return undefined;
}

/** A model that is chosen at run time holds what it was chosen by. */
function fieldsOf(model: unknown): WireObject {
  if (!isWireObject(model)) return {};
  const { bound, _defaultConfig: chosen } = model;
  if (isWireObject(bound)) return fieldsOf(bound);
  return isWireObject(chosen) ? chosen : model;
}
