import type { DialectIssue } from "./dialect.ts";
import { isWireObject, type WireObject } from "./wire.ts";

/** Notes a broken rule; `problem` goes on from "Message 3 …". */
export type Report = (rule: string, problem: string) => void;

/** The rules that a list of native messages (or items) breaks. */
export function checkList(
  conversation: unknown,
  noun: "message" | "item",
  start: (reportAt: (index: number) => Report) => {
    visit(native: unknown, index: number): void;
    end?(): void;
  },
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

export interface Place {
  readonly index: number;
  readonly calls: ReturnType<typeof createCallRules>;
  readonly report: Report;
}

interface MessageRules {
  /** The role of a message; `undefined` for one that the dialect does not know. */
  readonly roleOf: (native: WireObject) => string | undefined;
  readonly check: (native: WireObject, role: string, place: Place) => void;
  /** The field that tells messages apart. @default "role" */
  readonly noun?: "role" | "type";
  /** Results may answer the calls of the last step alone. */
  readonly isForgetful?: boolean;
}

/** The rules that a list of messages breaks whose results follow their calls directly. */
export function checkSteps(
  conversation: unknown,
  { roleOf, check, noun = "role", isForgetful = false }: MessageRules,
): readonly DialectIssue[] {
  return checkList(conversation, "message", (reportAt) => {
    const calls = createCallRules(reportAt, isForgetful);
    return {
      visit(native, index) {
        const report = reportAt(index);
        const role = isWireObject(native) ? roleOf(native) : undefined;
        if (!isWireObject(native) || role === undefined) {
          const named = isWireObject(native) ? native[noun] : native;
          return report(`unknown-${noun}`, `has the unknown ${noun} ${JSON.stringify(named)}`);
        }
        if (role !== "tool") calls.close();
        check(native, role, { index, calls, report });
      },
      end: () => calls.close(),
    };
  });
}

/** The calls of a conversation whose results must follow directly. */
function createCallRules(reportAt: (index: number) => Report, isForgetful: boolean) {
  const calls = new Set<string>();
  const answered = new Set<string>();
  const open = new Map<string, number>();
  return {
    /** Notes a call; `isOurs` when a result of ours must follow. */
    open(id: string, index: number, isOurs = true): void {
      if (open.has(id)) reportAt(index)("duplicate-tool-call-id", `uses call id ${id} again`);
      // Once it is answered, a provider may use an id again.
      calls.add(id);
      answered.delete(id);
      if (isOurs) open.set(id, index);
    },
    answer(id: string, index: number): void {
      const report = reportAt(index);
      if (!calls.has(id)) {
        report("unpaired-tool-result", `has a result of ${id}, which no call before has`);
      } else if (answered.has(id)) {
        report("duplicate-tool-result", `has a second result of ${id}`);
      }
      answered.add(id);
      open.delete(id);
    },
    /** No result must follow the call any more. */
    release: (id: string) => void open.delete(id),
    /** A known call without a result, whose results may not stand here any more. */
    isLate: (id: string) => calls.has(id) && !answered.has(id) && !open.has(id),
    /** Something other than results follows. */
    close(): void {
      for (const [id, index] of open) {
        reportAt(index)("unanswered-tool-call", `calls ${id}, and no result follows directly`);
      }
      open.clear();
      if (isForgetful) calls.clear();
    },
  };
}
