import { isHandle } from "../core/message/handle.ts";
import { type Message, resultText, type ToolResultPart } from "../core/message/message.ts";
import { attributeIn } from "../core/text/markup.ts";
import { findTruncation } from "../core/truncate/marker.ts";
import type { OriginalRow } from "./data.ts";

/** An archive, as far as a page needs one. */
export interface Originals {
  get(handle: string): Promise<string>;
  read?(handle: string): Promise<{ readonly bytes: number; close(): Promise<void> }>;
}

/** Nobody reads a larger text in a browser. */
const MOST_BYTES = 20_000_000;

/** An original as text; `undefined` for one that is gone or too large to show. */
export async function originalIn(
  originals: Originals | undefined,
  handle: string,
): Promise<string | undefined> {
  try {
    const reader = await originals?.read?.(handle);
    await reader?.close();
    if ((reader?.bytes ?? 0) > MOST_BYTES) return undefined;
    return await originals?.get(handle);
  } catch {
    return undefined;
  }
}

/** The handle or path of the whole of an output, where the model got less. */
export function originalOf(part: ToolResultPart): string | undefined {
  if (part.original !== undefined) return part.original;
  const text = resultText(part);
  return findTruncation(text)?.handle ?? prunedHandle(text);
}

/** The placeholder of a pruned output names its original. */
function prunedHandle(text: string): string | undefined {
  const [tag] = /^<tool-output-compacted [^>]*>/.exec(text) ?? [];
  return tag && (attributeIn(tag, "recall") ?? attributeIn(tag, "archived"));
}

/** All originals that messages name, but for those of messages that are shown themselves. */
export function originalsOf(
  messages: readonly Message[],
  isShown: (number: number) => boolean,
): OriginalRow[] {
  return messages.flatMap(({ parts }, message) =>
    isShown(message)
      ? []
      : parts.flatMap((part) => {
          const handle = part.type === "tool-result" ? originalOf(part) : undefined;
          return handle !== undefined && isHandle(handle) ? [{ handle, message }] : [];
        }),
  );
}
