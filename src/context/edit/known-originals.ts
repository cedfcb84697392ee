import {
  earlierOriginal,
  isPruned,
  type Message,
  type Part,
  type ToolCallPart,
  type ToolResultPart,
  withParts,
} from "../../core/message/index.ts";
import { wholeOfExcerpt } from "../../tools/index.ts";
import type { Session } from "../session.ts";

/**
 * The messages as a plan is to see them: an output that is proven to be an excerpt of an original in
 * the archive names that original. A placeholder then leads to the whole at once, and the excerpt
 * is not archived as well. The same list where there is none.
 */
export async function withKnownOriginals(
  { archive, options }: Pick<Session, "archive" | "options">,
  messages: readonly Message[],
): Promise<readonly Message[]> {
  const { toolLimits, toolKinds } = options;
  const excerpts = excerptsIn(messages);
  if (excerpts.length === 0) return messages;
  const calls = callsIn(messages);
  const known = new Map<Part, Part>();
  for (const { part, text } of excerpts) {
    const { toolName = part.toolName, input } = calls.get(part.toolCallId) ?? {};
    const source = { archive, toolLimits, toolKinds };
    const original = await wholeOfExcerpt(text, { toolName, input }, source);
    if (original !== undefined) known.set(part, { ...part, original });
  }
  return messages.map((message) => {
    const parts = message.parts.map((part) => known.get(part) ?? part);
    return parts.some((part, at) => part !== message.parts[at])
      ? withParts(message, parts)
      : message;
  });
}

interface Excerpt {
  readonly part: ToolResultPart;
  readonly text: string;
}

/** The outputs that may be excerpts; how they end tells at once. */
function excerptsIn(messages: readonly Message[]): readonly Excerpt[] {
  const excerpts: Excerpt[] = [];
  for (const { parts } of messages) {
    for (const part of parts) {
      if (part.type !== "tool-result" || part.output.length !== 1) continue;
      const [only] = part.output;
      if (only?.type !== "text" || !/>\n?$/.test(only.text.slice(-2))) continue;
      if (isPruned(part) || earlierOriginal(part) !== undefined) continue;
      excerpts.push({ part, text: only.text });
    }
  }
  return excerpts;
}

function callsIn(messages: readonly Message[]): ReadonlyMap<string, ToolCallPart> {
  const calls = messages.flatMap(({ parts }) => parts.filter((part) => part.type === "tool-call"));
  return new Map(calls.map((call) => [call.toolCallId, call]));
}
