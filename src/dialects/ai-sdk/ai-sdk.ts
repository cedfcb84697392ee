import type { Dialect } from "../dialect.ts";
import { checkAiSdk } from "./check.ts";
import { createAiSdkDecoder, decodeAiSdk } from "./decode.ts";
import { encodeAiSdk } from "./encode.ts";
import { AI_SDK, type AiSdkMessage } from "./wire.ts";

/**
 * The AI SDK's `ModelMessage[]`, versions 6 and 7. The provider behind it is not known here, so its
 * reasoning is taken to be bound to what stands before it.
 */
export const aiSdk: Dialect<readonly AiSdkMessage[], AiSdkMessage> & {
  readonly encode: typeof encodeAiSdk;
} = {
  name: AI_SDK,
  traits: { summaryRole: "user", boundReasoning: true, endsWithInput: false },
  decode: decodeAiSdk,
  createDecoder: createAiSdkDecoder,
  encode: encodeAiSdk,
  check: checkAiSdk,
};
