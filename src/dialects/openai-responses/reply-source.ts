import type { Message, MessageSource, Part } from "../../core/message/index.ts";
import { OPENAI_RESPONSES, type ResponsesItem } from "./wire.ts";

/** The source of an assistant message: all the items of one reply. */
export interface ReplySource extends MessageSource {
  readonly value: readonly ResponsesItem[];
  /**
   * The items of an earlier reply, only outputs ago, whose reasoning may be this one's: some
   * clients put each output directly behind its call, in the middle of what the model said.
   */
  readonly thought?: readonly ResponsesItem[];
}

/** What the model said in a row, as one message. */
export function fromReply(
  { items, parts }: { readonly items: readonly ResponsesItem[]; readonly parts: readonly Part[] },
  thought: readonly ResponsesItem[] | undefined,
): Message {
  // The reply may still grow; a message never does.
  const own = [...parts];
  const isThoughtless = items[0]?.type !== "reasoning";
  const source: ReplySource = {
    dialect: OPENAI_RESPONSES,
    value: [...items],
    parts: own,
    ...(isThoughtless && thought !== undefined && { thought }),
  };
  return { role: "assistant", parts: own, source };
}
