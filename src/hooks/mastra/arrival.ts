import type { Context } from "../../context/index.ts";
import type { AiSdkMessage } from "../../dialects/ai-sdk/wire.ts";
import { isWireBlock } from "../../dialects/wire.ts";
import { truncateValue } from "../../tools/index.ts";
import { managedByParts } from "../ai-sdk/managed.ts";
import { keepObjects } from "../same-values.ts";

type Natives = readonly AiSdkMessage[];

/** What is seen of a prompt's messages when they arrive. */
export interface Arrived {
  /**
   * Those that say the same as known ones are those, because Mastra makes them anew in every step;
   * long tool outputs are truncated (T15).
   */
  readonly messages: Natives;
  /** Whether they say what came, so that nothing was truncated. */
  readonly isWhole: boolean;
  /** What the provider left of a history that it manages itself. */
  readonly managedBy: string | undefined;
}

/** Looks at each message of a growing list once. */
export function createArrival(context: Context): (messages: Natives) => Promise<Arrived> {
  const cut = new WeakMap<AiSdkMessage, AiSdkMessage>();
  let known: Natives = [];
  let hasCut = false;
  let managedBy: string | undefined;
  return async (messages) => {
    const same = keepObjects(messages, known);
    const fresh = same.slice(goesOn(same, known));
    known = same;
    managedBy = (fresh.length < same.length ? managedBy : undefined) ?? managedByParts(fresh);
    for (const message of fresh) {
      const kept = message.role === "tool" ? await truncatedMessage(message, context) : message;
      if (kept === message) continue;
      cut.set(message, kept);
      hasCut = true;
    }
    const kept = hasCut ? same.map((message) => cut.get(message) ?? message) : same;
    return { messages: kept, isWhole: !hasCut, managedBy };
  };
}

/** How many messages of the list are those of the one before it. */
function goesOn(list: Natives, before: Natives): number {
  const end = Math.min(list.length, before.length);
  let at = 0;
  while (at < end && list[at] === before[at]) at += 1;
  return at;
}

async function truncatedMessage(message: AiSdkMessage, context: Context): Promise<AiSdkMessage> {
  const { content } = message;
  if (typeof content === "string") return message;
  const parts = await Promise.all(
    content.map(async (part) => {
      if (!isWireBlock(part) || part.type !== "tool-result") return part;
      const { toolName, input, output } = part;
      const meta = { toolName: typeof toolName === "string" ? toolName : "", input };
      const kept = await truncateValue(output, meta, context.truncation);
      return kept === output ? part : { ...part, output: kept };
    }),
  );
  const isSame = parts.every((part, at) => part === content[at]);
  return isSame ? message : { ...message, content: parts as AiSdkMessage["content"] };
}
