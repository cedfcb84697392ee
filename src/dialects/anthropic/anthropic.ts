import type { Dialect } from "../dialect.ts";
import { checkAnthropic } from "./check.ts";
import { createAnthropicDecoder, decodeAnthropic } from "./decode.ts";
import { encodeAnthropic } from "./encode.ts";
import { ANTHROPIC, type AnthropicConversation, type AnthropicMessage } from "./wire.ts";

/** Anthropic Messages: `system` and `messages` of a request. */
export const anthropic: Dialect<AnthropicConversation, AnthropicMessage> & {
  readonly encode: typeof encodeAnthropic;
} = {
  name: ANTHROPIC,
  traits: { summaryRole: "user", boundReasoning: true, endsWithInput: true },
  decode: decodeAnthropic,
  createDecoder: createAnthropicDecoder,
  encode: encodeAnthropic,
  check: checkAnthropic,
};
