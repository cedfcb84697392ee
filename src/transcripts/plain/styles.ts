import { isContextError } from "../../core/error.ts";
import type { Message } from "../../core/message/index.ts";
import type { AiSdkMessage } from "../../dialects/ai-sdk/wire.ts";
import type { AnthropicConversation } from "../../dialects/anthropic/wire.ts";
import type { Decoder } from "../../dialects/dialect.ts";
import { isUiMessage } from "../signs.ts";
import type { PlainStyle } from "./plain-format.ts";
import { fromUiMessage } from "./ui-message.ts";

/** Messages as a dialect has them. Its decoder checks what it is given, whatever its type says. */
export function plainStyle(dialect: {
  readonly createDecoder: () => (native: never) => readonly Message[];
}): PlainStyle {
  return { createDecoder: dialect.createDecoder as PlainStyle["createDecoder"] };
}

/** Messages of the AI SDK; UI messages are read as the model messages that they stand for. */
export async function aiSdkStyle(): Promise<PlainStyle> {
  const { aiSdk } = await import("../../dialects/ai-sdk/ai-sdk.ts");
  return {
    createDecoder(): Decoder {
      const decode = aiSdk.createDecoder();
      return (native) =>
        isUiMessage(native)
          ? fromUiMessage(native).flatMap(decode)
          : decode(native as AiSdkMessage);
    },
  };
}

/** Anthropic messages; the `system` beside them is a message, too. */
export async function anthropicStyle(): Promise<PlainStyle> {
  const { anthropic } = await import("../../dialects/anthropic/anthropic.ts");
  const decodeSystem = (system: unknown): readonly Message[] => {
    try {
      return anthropic.decode({ system, messages: [] } as unknown as AnthropicConversation);
    } catch (error) {
      if (isContextError(error)) return [];
      throw error;
    }
  };
  return {
    ...plainStyle(anthropic),
    decodeWrapper: ({ system }) => (system === undefined ? [] : decodeSystem(system)),
  };
}
