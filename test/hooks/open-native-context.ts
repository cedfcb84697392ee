import { type ContextOptions, createContext } from "../../src/context/index.ts";
import {
  type NativeContext,
  type NativeFormat,
  nativeContextOn,
} from "../../src/hooks/native-context.ts";

/** A native context on a context of its own. */
export function createNativeContext<Conversation, Native extends object>(
  format: NativeFormat<Conversation, Native>,
  options: ContextOptions,
): NativeContext<Conversation> {
  return nativeContextOn(createContext({ traits: format.dialect.traits, ...options }), format);
}
