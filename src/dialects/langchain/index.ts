export { checkLangChain } from "./check.ts";
export { createLangChainDecoder, decodeLangChain } from "./decode.ts";
export { encodeLangChain } from "./encode.ts";
export { langchain } from "./langchain.ts";
export { langchainUsage } from "./usage.ts";
export { withMessageFields } from "./message-object.ts";
export type { LangChainBlock, LangChainMessage, LangChainToolCall, LangChainType } from "./wire.ts";
