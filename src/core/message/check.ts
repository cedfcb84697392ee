import type { Message, Part, ToolCallPart } from "./message.ts";

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

/** {@link checkMessages} of a list that grows: takes message after message. */
export interface MessageCheck {
  add(message: Message): void;
  /** The issues of the list so far; asking changes nothing. */
  issues(): MessageIssue[];
}

/**
 * Checks the rules that all providers share: every tool call has exactly one result, in the tool
 * messages directly after it (a pending one may have none yet); no result stands alone; ids are
 * there and used once; parts stand in messages of the right role; no message is empty. Returns all
 * issues, none for a legal list.
 *
 * Results that the provider itself made stay inside the assistant message and are opaque parts, so
 * they are not looked at.
 */
export function checkMessages(messages: readonly Message[]): MessageIssue[] {
  const check = createMessageCheck();
  for (const message of messages) check.add(message);
  return check.issues();
}

/** A check of a list that is empty so far. */
export function createMessageCheck(): MessageCheck {
  const issues: MessageIssue[] = [];
  const seen = new Set<string>();
  const open = new Map<string, OpenCall>();
  let next = 0;

  const add = (message: Message): void => {
    const index = next++;
    if (message.role !== "tool" && open.size > 0) {
      issues.push(...unanswered(open));
      open.clear();
    }
    if (message.parts.length === 0) issues.push(emptyMessage(index));
    for (const part of message.parts) {
      if (!isPlaced(part, message)) issues.push(misplacedPart(part, message, index));
      else if (part.type === "tool-call") openCall(part, index, { seen, open, issues });
      else if (part.type === "tool-result" && !open.delete(part.toolCallId)) {
        issues.push(unpairedResult(part.toolCallId, index));
      }
    }
  };

  return { add, issues: () => [...issues, ...unanswered(open)] };
}

/** A call without a result so far. */
interface OpenCall {
  readonly index: number;
  readonly isPending: boolean;
}

function unanswered(open: ReadonlyMap<string, OpenCall>): MessageIssue[] {
  return Array.from(open).flatMap(([id, { index, isPending }]): MessageIssue[] => {
    if (isPending) return [];
    const message = `Tool call ${id} in message ${index} has no result directly after it.`;
    return [{ rule: "unanswered-tool-call", index, message }];
  });
}

function unpairedResult(id: string, index: number): MessageIssue {
  return {
    rule: "unpaired-tool-result",
    index,
    message: `The result in message ${index} answers call ${id || "(no id)"}, which is not open there.`,
  };
}

interface PairingState {
  readonly seen: Set<string>;
  readonly open: Map<string, OpenCall>;
  readonly issues: MessageIssue[];
}

function openCall(call: ToolCallPart, index: number, { seen, open, issues }: PairingState): void {
  const id = call.toolCallId;
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
  open.set(id, { index, isPending: call.pending === true });
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
