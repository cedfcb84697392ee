import type { AiSdkMessage } from "../../dialects/ai-sdk/wire.ts";
import { isWireObject } from "../../dialects/wire.ts";
import { managedByOptions, thinkingOf } from "./model.ts";
import type { CallOptions } from "./sdk.ts";
import { countedTools } from "./tools.ts";

/** What is sent beside the messages of a conversation, as far as anybody said. */
export interface Surroundings {
  readonly instructions: string | undefined;
  readonly tools: unknown;
  /** By which of its settings the provider manages the conversation itself, if it does. */
  readonly managedBy: string | undefined;
  /** How the agent thinks. */
  readonly thinking: unknown;
  /** Notes a set of tools that the agent will have, and gives it back. */
  given<Tools extends object>(tools: Tools): Tools;
  /** Notes what a call really sends; `system` is what stands in its prompt before the messages. */
  called(params: CallOptions, system: readonly AiSdkMessage[]): void;
}

export function createSurroundings(): Surroundings {
  let instructions: string | undefined;
  let tools: unknown;
  let managedBy: string | undefined;
  let thinking: unknown;
  let sent: unknown;
  return {
    get instructions() {
      return instructions;
    },
    get tools() {
      return tools;
    },
    get thinking() {
      return thinking;
    },
    get managedBy() {
      return managedBy;
    },
    given(set) {
      tools ??= countedTools(set);
      return set;
    },
    called(params, system) {
      if (!areSameTools(params.tools, sent)) sent = params.tools ?? [];
      tools = sent;
      managedBy = managedByOptions(params.providerOptions);
      thinking = thinkingOf(params.providerOptions);
      instructions = instructionText(system) ?? "";
    },
  };
}

/** The SDK makes the list, and most schemas in it, anew for every call. */
function areSameTools(one: unknown, other: unknown): boolean {
  if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
  return one.every((tool: unknown, at) => {
    const known: unknown = other[at];
    if (!isWireObject(tool) || !isWireObject(known)) return tool === known;
    return ["name", "id", "description"].every((field) => tool[field] === known[field]);
  });
}

/** Instructions in any form that the SDK takes: a text, a system message, or several of them. */
export function instructionText(instructions: unknown): string | undefined {
  if (typeof instructions === "string") return instructions;
  if (Array.isArray(instructions)) return instructions.map(instructionText).join("\n");
  const content = isWireObject(instructions) ? instructions["content"] : undefined;
  return typeof content === "string" ? content : undefined;
}
