import type { Message, Part } from "./message.ts";

export type MessageRule =
  | "unanswered-tool-call"
  | "unpaired-tool-result"
  | "duplicate-tool-call-id"
  | "missing-tool-call-id"
  | "misplaced-part"
  | "empty-message";

/** One thing that makes a conversation illegal for every provider. */
export interface MessageIssue {
  readonly rule: MessageRule;
  /** Index of the message. */
  readonly index: number;
  /** One sentence. */
  readonly message: string;
}

/**
 * Checks the rules that all providers share: every tool call has exactly one result, in the tool
 * messages directly after it; no result stands alone; ids are there and used once; parts stand in
 * messages of the right role; no message is empty. Returns all issues, none for a legal list.
 *
 * Results that the provider itself made stay inside the assistant message and are opaque parts, so
 * they are not looked at.
 */
export function checkMessages(messages: readonly Message[]): MessageIssue[] {
  const issues: MessageIssue[] = [];
  const seen = new Set<string>();
  let open = new Map<string, number>();
  const closeStep = (): void => {
    for (const [id, index] of open) {
      issues.push({
        rule: "unanswered-tool-call",
        index,
        message: `Tool call ${id} in message ${index} has no result directly after it.`,
      });
    }
    open = new Map();
  };
  messages.forEach((message, index) => {
    if (message.role !== "tool") closeStep();
    if (message.parts.length === 0) issues.push(emptyMessage(index));
    for (const part of message.parts) {
      if (!isPlaced(part, message)) issues.push(misplacedPart(part, message, index));
      else if (part.type === "tool-call") openCall(part.toolCallId, index, { seen, open, issues });
      else if (part.type === "tool-result" && !open.delete(part.toolCallId)) {
        issues.push({
          rule: "unpaired-tool-result",
          index,
          message: `The result in message ${index} answers call ${part.toolCallId || "(no id)"}, which is not open there.`,
        });
      }
    }
  });
  closeStep();
  return issues;
}

interface PairingState {
  readonly seen: Set<string>;
  readonly open: Map<string, number>;
  readonly issues: MessageIssue[];
}

function openCall(id: string, index: number, { seen, open, issues }: PairingState): void {
  if (id === "") {
    issues.push({
      rule: "missing-tool-call-id",
      index,
      message: `A tool call in message ${index} has no id.`,
    });
  } else if (seen.has(id)) {
    issues.push({
      rule: "duplicate-tool-call-id",
      index,
      message: `Tool call id ${id} in message ${index} was used before.`,
    });
  }
  seen.add(id);
  open.set(id, index);
}

function isPlaced(part: Part, message: Message): boolean {
  if (part.type === "tool-call" || part.type === "reasoning") return message.role === "assistant";
  if (part.type === "tool-result") return message.role === "tool";
  return true;
}

function misplacedPart(part: Part, message: Message, index: number): MessageIssue {
  return {
    rule: "misplaced-part",
    index,
    message: `A ${part.type} part stands in message ${index}, whose role is ${message.role}.`,
  };
}

function emptyMessage(index: number): MessageIssue {
  return { rule: "empty-message", index, message: `Message ${index} has no parts.` };
}
