export { checkOpenAIResponses } from "./check.ts";
export { createOpenAIResponsesDecoder, decodeOpenAIResponses } from "./decode.ts";
export { encodeOpenAIResponses } from "./encode.ts";
export { openaiResponses } from "./openai-responses.ts";
export type {
  ResponsesCallOutput,
  ResponsesCustomToolCall,
  ResponsesFunctionCall,
  ResponsesInputFile,
  ResponsesInputImage,
  ResponsesInputPart,
  ResponsesInputText,
  ResponsesItem,
  ResponsesMessage,
} from "./wire.ts";
