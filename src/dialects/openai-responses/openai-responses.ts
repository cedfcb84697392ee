import type { Dialect } from "../dialect.ts";
import { checkOpenAIResponses } from "./check.ts";
import { createOpenAIResponsesDecoder, decodeOpenAIResponses } from "./decode.ts";
import { encodeOpenAIResponses } from "./encode.ts";
import { OPENAI_RESPONSES, type ResponsesItem } from "./wire.ts";

/** OpenAI Responses: the `input` array, and what came as `output`. */
export const openaiResponses: Dialect<readonly ResponsesItem[], ResponsesItem> & {
  readonly encode: typeof encodeOpenAIResponses;
} = {
  name: OPENAI_RESPONSES,
  traits: { summaryRole: "system", boundReasoning: false, endsWithInput: false },
  decode: decodeOpenAIResponses,
  createDecoder: createOpenAIResponsesDecoder,
  encode: encodeOpenAIResponses,
  check: checkOpenAIResponses,
};
