import type { Context } from "../../context/index.ts";
import { withMessageFields } from "../../dialects/langchain/message-object.ts";
import type { LangChainMessage } from "../../dialects/langchain/wire.ts";
import { isWireBlock, isWireObject, type WireObject } from "../../dialects/wire.ts";
import { truncateValue } from "../../tools/index.ts";

type Natives = readonly LangChainMessage[];

/** What is seen of a list when it arrives. */
export interface Arrived {
  /** With long tool outputs truncated (T15); the very list if there are none. */
  readonly messages: Natives;
  /** Whether the provider compacted the conversation: what stands before that block counts no more. */
  readonly isCompacted: boolean;
}

/** Looks at each message of a growing list once. */
export function createArrival(context: Context): (messages: Natives) => Promise<Arrived> {
  const cut = new WeakMap<LangChainMessage, LangChainMessage>();
  let hasCut = false;
  let isCompacted = false;
  let seen = 0;
  let last: LangChainMessage | undefined;
  return async (messages) => {
    const goesOn = seen > 0 && messages[seen - 1] === last;
    const from = goesOn ? seen : 0;
    isCompacted = (goesOn && isCompacted) || messages.slice(from).some(holdsCompaction);
    for (let at = from; at < messages.length; at++) {
      const message = messages[at] as LangChainMessage;
      if (message.type !== "tool" || cut.has(message)) continue;
      const kept = await truncatedMessage(message, callOf(messages, at), context);
      if (kept === message) continue;
      cut.set(message, kept);
      hasCut = true;
    }
    seen = messages.length;
    last = messages.at(-1);
    const kept = hasCut ? messages.map((message) => cut.get(message) ?? message) : messages;
    return { messages: kept, isCompacted };
  };
}

/** A tool message whose content is within the limits of T15; `call` is what it answers. */
export async function truncatedMessage(
  message: LangChainMessage,
  call: WireObject | undefined,
  context: Context,
): Promise<LangChainMessage> {
  const { content, name } = message;
  const { name: called, args: input } = call ?? {};
  const toolName = name ?? (typeof called === "string" ? called : "");
  const kept = await truncateValue(content, { toolName, input }, context.truncation);
  return withMessageFields(message, { content: kept });
}

function holdsCompaction({ type, content }: LangChainMessage): boolean {
  if (type !== "ai" || !Array.isArray(content)) return false;
  return content.some((block) => isWireBlock(block) && block.type === "compaction");
}

/** How many results of one answer are looked over to find it. */
const MOST_RESULTS = 128;

/** The call that a tool message answers: it stands in the answer before it. */
function callOf(messages: Natives, at: number): WireObject | undefined {
  const { tool_call_id: id } = messages[at] as { readonly tool_call_id?: unknown };
  const before = messages.slice(Math.max(0, at - MOST_RESULTS), at);
  const answer = before.findLast(({ type }) => type === "ai") as
    | { readonly tool_calls?: unknown }
    | undefined;
  const calls = Array.isArray(answer?.tool_calls) ? (answer.tool_calls as unknown[]) : [];
  return calls.filter(isWireObject).find((call) => call["id"] === id);
}
