import type { Message, Part, Role } from "./message.ts";

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

export type MessageCheck = ReturnType<typeof createMessageCheck>;

/** {@link checkMessages} of a list that grows, and is empty so far. */
export function createMessageCheck() {
  const issues: MessageIssue[] = [];
  const seen = new Set<string>();
  const open = new Map<string, OpenCall>();
  let next = 0;

  const checkPart = (part: Part, { role }: Message, index: number): void => {
    const note = (rule: MessageRule, message: string): void =>
      void issues.push({ rule, index, message });
    if (!isPlaced(part, role)) {
      const problem = `A ${part.type} part stands in message ${index}, whose role is ${role}.`;
      note("misplaced-part", problem);
    } else if (part.type === "tool-call") {
      const { toolCallId: id, pending } = part;
      if (id === "") note("missing-tool-call-id", `A tool call in message ${index} has no id.`);
      else if (seen.has(id)) {
        const problem = `Tool call id ${id} in message ${index} was used before.`;
        note("duplicate-tool-call-id", problem);
      }
      seen.add(id);
      open.set(id, { index, isPending: pending === true });
    } else if (part.type === "tool-result" && !open.delete(part.toolCallId)) {
      const id = part.toolCallId || "(no id)";
      const problem = `The result in message ${index} answers call ${id}, which is not open there.`;
      note("unpaired-tool-result", problem);
    }
  };

  return {
    add(message: Message): void {
      const index = next++;
      if (message.role !== "tool" && open.size > 0) {
        issues.push(...unanswered(open));
        open.clear();
      }
      if (message.parts.length === 0) {
        issues.push({ rule: "empty-message", index, message: `Message ${index} has no parts.` });
      }
      for (const part of message.parts) checkPart(part, message, index);
    },
    /** The issues of the list so far; asking changes nothing. */
    issues: (): MessageIssue[] => [...issues, ...unanswered(open)],
  };
}

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

function isPlaced({ type }: Part, role: Role): boolean {
  if (type === "tool-call" || type === "reasoning") return role === "assistant";
  return type !== "tool-result" || role === "tool";
}
