import type { Dialect } from "../dialect.ts";
import { checkLangChain } from "./check.ts";
import { createLangChainDecoder, decodeLangChain } from "./decode.ts";
import { encodeLangChain } from "./encode.ts";
import { LANGCHAIN, type LangChainMessage } from "./wire.ts";

/**
 * LangChain's `BaseMessage[]`. The provider behind it is not known here, so its reasoning is taken to
 * be bound to what stands before it.
 */
export const langchain: Dialect<readonly LangChainMessage[], LangChainMessage> & {
  readonly encode: typeof encodeLangChain;
} = {
  name: LANGCHAIN,
  traits: { summaryRole: "user", boundReasoning: true, endsWithInput: false },
  decode: decodeLangChain,
  createDecoder: createLangChainDecoder,
  encode: encodeLangChain,
  check: checkLangChain,
};
