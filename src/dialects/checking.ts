import type { DialectIssue } from "./dialect.ts";

/** Notes a broken rule; `problem` goes on from "Message 3 …". */
export type Report = (rule: string, problem: string) => void;

/** The rules of one dialect, for one walk over a conversation. */
interface Rules {
  visit(native: unknown, index: number): void;
  /** The last message was seen. */
  end?(): void;
}

/** The rules that a list of native messages (or items) breaks. */
export function checkList(
  conversation: unknown,
  noun: "message" | "item",
  start: (reportAt: (index: number) => Report) => Rules,
): readonly DialectIssue[] {
  if (!Array.isArray(conversation) || conversation.length === 0) {
    return [{ rule: "empty-conversation", message: `There must be at least one ${noun}.` }];
  }
  const issues: DialectIssue[] = [];
  const subject = noun === "item" ? "Item" : "Message";
  const rules = start((index) => (rule, problem) => {
    issues.push({ rule, index, message: `${subject} ${index} ${problem}.` });
  });
  conversation.forEach((native: unknown, index) => rules.visit(native, index));
  rules.end?.();
  return issues;
}

/** The calls of a conversation whose results must follow directly. */
export interface CallRules {
  /** Notes a call; `isOurs` when a result of ours must follow. */
  open(id: string, index: number, isOurs?: boolean): void;
  /** Notes a result. */
  answer(id: string, index: number): void;
  /** No result must follow the call any more. */
  release(id: string): void;
  /** A known call without a result, whose results may not stand here any more. */
  isLate(id: string): boolean;
  /** Something other than results follows. */
  close(): void;
}

export function createCallRules(reportAt: (index: number) => Report): CallRules {
  const calls = new Set<string>();
  const answered = new Set<string>();
  const open = new Map<string, number>();
  return {
    open(id, index, isOurs = true) {
      if (open.has(id)) reportAt(index)("duplicate-tool-call-id", `uses call id ${id} again`);
      // Once it is answered, a provider may use an id again.
      calls.add(id);
      answered.delete(id);
      if (isOurs) open.set(id, index);
    },
    answer(id, index) {
      const report = reportAt(index);
      if (!calls.has(id)) {
        report("unpaired-tool-result", `has a result of ${id}, which no call before has`);
      } else if (answered.has(id)) {
        report("duplicate-tool-result", `has a second result of ${id}`);
      }
      answered.add(id);
      open.delete(id);
    },
    release: (id) => void open.delete(id),
    isLate: (id) => calls.has(id) && !answered.has(id) && !open.has(id),
    close() {
      for (const [id, index] of open) {
        reportAt(index)("unanswered-tool-call", `calls ${id}, and no result follows directly`);
      }
      open.clear();
    },
  };
}
