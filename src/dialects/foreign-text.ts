import { waitingCalls } from "../core/message/structure.ts";
import type {
  FilePart,
  Message,
  OpaquePart,
  OutputPart,
  ToolCallPart,
  ToolResultPart,
} from "../core/message/index.ts";

/** The short text that stands for a part which the dialect at hand has no place for. */
export function foreignText(part: FilePart | OpaquePart): string {
  if (part.type === "opaque") return `[${part.kind} of ${part.source.dialect}, not shown here]`;
  const name = part.filename === undefined ? "" : ` ${part.filename}`;
  const address = part.url === undefined ? "" : `: ${part.url}`;
  return `[file${name} (${part.mediaType}), not shown here${address}]`;
}

/** A tool's output as one text; whatever is no text is named. */
export function outputAsText(output: readonly OutputPart[]): string {
  return output.map((part) => (part.type === "text" ? part.text : foreignText(part))).join("\n");
}

/** The result of a call that waits for an approval, for providers that know none. */
export const WAITING_TEXT = "[This call waits for an approval; it was not carried out.]";

/**
 * Gives every call that waits for an approval a result that says so; the very list where none
 * waits.
 */
export function answerPending(messages: readonly Message[]): readonly Message[] {
  const waiting = waitingCalls(messages);
  if (waiting.size === 0) return messages;
  const answered: Message[] = [];
  let open: ToolResultPart[] = [];
  const close = (): void => {
    if (open.length > 0) answered.push({ role: "tool", parts: open });
    open = [];
  };
  for (const message of messages) {
    if (message.role !== "tool") close();
    answered.push(message);
    for (const part of message.parts) {
      if (part.type === "tool-call" && waiting.has(part)) open.push(waitingResult(part));
    }
  }
  close();
  return answered;
}

function waitingResult({ toolCallId, toolName }: ToolCallPart): ToolResultPart {
  const output = [{ type: "text" as const, text: WAITING_TEXT }];
  return { type: "tool-result", toolCallId, toolName, output, isError: true };
}

export function isLeading(message: Message | undefined): boolean {
  return message?.role === "system" && message.kind !== "summary";
}
