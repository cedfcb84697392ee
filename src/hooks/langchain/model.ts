import { modelWindow } from "../../core/overflow/budget.ts";
import { isWireObject, type WireObject } from "../../dialects/wire.ts";
import { BINDING_BETA, bindsReasoning, canDropBlocks, droppingBlocks } from "../anthropic/wire.ts";
import { managedSetting } from "../managed.ts";

/** The window of a chat model, or of an id. */
export function windowOfModel(model: unknown): number | undefined {
  if (typeof model === "string") return modelWindow(model);
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

/** What a chat model's thinking means for edits. */
interface Thinking {
  /** Whether the thinking of kept answers must go; `undefined` where that is not known. */
  readonly boundReasoning: boolean | undefined;
  /**
   * The model to call once something was edited: Claude models whose thinking is bound to what stood
   * before it are asked to leave out what no longer fits, because with thinking on they refuse an
   * answer that has lost it.
   */
  afterEdits(): Promise<unknown>;
}

export function createThinkingOf(): (model: unknown) => Thinking {
  const made = new WeakMap<object, unknown>();
  return (model) => {
    const body = isWireObject(model) ? anthropicBody(model) : undefined;
    if (body === undefined || !isWireObject(model)) return unknownThinking(model);
    const isBound = bindsReasoning(body);
    const canDrop = canDropBlocks(body);
    return {
      boundReasoning: isBound && !canDrop,
      async afterEdits() {
        if (!isBound || !canDrop) return model;
        const known = made.get(model) ?? (await droppingModel(model));
        made.set(model, known);
        return known;
      },
    };
  };
}

function unknownThinking(model: unknown): Thinking {
  return { boundReasoning: undefined, afterEdits: async () => model };
}

/** What a `ChatAnthropic`, or a model that becomes one when it is called, sends beside the messages. */
function anthropicBody(model: WireObject): Parameters<typeof bindsReasoning>[0] | undefined {
  const { _llmType: ask, _defaultConfig: chosen, bound } = model;
  if (isWireObject(bound)) return anthropicBody(bound);
  if (isWireObject(chosen)) {
    const { modelProvider, model: name, thinking } = chosen;
    return modelProvider === "anthropic" ? { model: name, thinking, messages: [] } : undefined;
  }
  const kind: unknown = typeof ask === "function" ? Reflect.apply(ask, model, []) : undefined;
  const { model: name, thinking } = model;
  return kind === "anthropic" ? { model: name, thinking, messages: [] } : undefined;
}

type ModelClass = new (fields: WireObject) => object;

/** The same model with the provider's option to drop what no longer fits; made from its own fields. */
async function droppingModel(model: WireObject): Promise<unknown> {
  const { _getModelInstance: choose, bound, constructor } = model;
  if (isWireObject(bound)) {
    const parts = { ...(model["lc_kwargs"] as WireObject), bound: await droppingModel(bound) };
    return new (constructor as ModelClass)(parts);
  }
  const chosen: unknown =
    typeof choose === "function" ? await Reflect.apply(choose, model, []) : model;
  if (!isWireObject(chosen) || !isWireObject(chosen["lc_kwargs"])) return model;
  const { lc_kwargs: fields, betas, thinking } = chosen;
  const dropping = droppingBlocks({ thinking, messages: [] })["thinking"];
  if (dropping === thinking) return model;
  const known: readonly unknown[] = Array.isArray(betas) ? betas : [];
  return new (chosen.constructor as ModelClass)({
    ...fields,
    thinking: dropping,
    betas: known.includes(BINDING_BETA) ? known : [...known, BINDING_BETA],
  });
}
