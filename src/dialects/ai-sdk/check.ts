import { type CallRules, checkList, createCallRules, type Report } from "../checking.ts";
import type { DialectIssue } from "../dialect.ts";
import { isWireObject, type WireObject } from "../wire.ts";

const CONTENT: Readonly<Record<string, readonly string[]>> = {
  user: ["text", "image", "file"],
  assistant: [
    "text",
    "file",
    "reasoning",
    "reasoning-file",
    "custom",
    "tool-call",
    "tool-result",
    "tool-approval-request",
  ],
  tool: ["tool-result", "tool-approval-response"],
};
const OUTPUTS: ReadonlySet<string> = new Set([
  "text",
  "json",
  "content",
  "error-text",
  "error-json",
  "execution-denied",
]);

/** One message under check. */
interface Place {
  readonly index: number;
  readonly calls: CallRules;
  readonly report: Report;
}

/**
 * What the AI SDK or every provider behind it would reject; empty when the conversation is legal.
 * A call that waits for an approval needs no result yet.
 */
export function checkAiSdk(conversation: unknown): readonly DialectIssue[] {
  return checkList(conversation, "message", (reportAt) => {
    const calls = createCallRules(reportAt);
    let isBeforeBody = true;
    return {
      visit(native, index) {
        const report = reportAt(index);
        const role = isWireObject(native) ? native["role"] : undefined;
        if (!isWireObject(native) || !["system", ...Object.keys(CONTENT)].includes(String(role))) {
          report("unknown-role", `has the unknown role ${JSON.stringify(role)}`);
          return;
        }
        // The SDK throws `AI_MissingToolResultsError` for what is still open here.
        if (role !== "tool") calls.close();
        if (role === "system") {
          checkSystem(native, isBeforeBody, report);
        } else {
          isBeforeBody = false;
          checkContent(native, { index, calls, report });
        }
      },
      end: () => calls.close(),
    };
  });
}

function checkSystem({ content }: WireObject, isBeforeBody: boolean, report: Report): void {
  if (typeof content !== "string") {
    report("content-shape", "is a system message whose content is no string");
  }
  if (!isBeforeBody) report("system-not-leading", "is a system message behind others");
}

function checkContent({ content, role }: WireObject, place: Place): void {
  if (typeof content === "string" && role !== "tool") return;
  if (!Array.isArray(content)) {
    place.report("content-shape", "needs a string or an array as content");
    return;
  }
  const allowed = CONTENT[String(role)] ?? [];
  for (const part of content as unknown[]) {
    const type = isWireObject(part) ? String(part["type"]) : "none";
    if (!isWireObject(part) || !allowed.includes(type)) {
      const rule = role === "tool" ? "tool-message-content" : "content-part";
      place.report(rule, `may not hold a part of type ${type}`);
    } else {
      checkPart(part, place);
    }
  }
  if (role !== "assistant") return;
  for (const part of content as WireObject[]) {
    if (part["type"] === "tool-approval-request") place.calls.release(String(part["toolCallId"]));
  }
}

function checkPart(part: WireObject, { index, calls, report }: Place): void {
  const id = String(part["toolCallId"]);
  if (part["type"] === "tool-call") calls.open(id, index, part["providerExecuted"] !== true);
  if (part["type"] !== "tool-result") return;
  checkOutput(part, report);
  calls.answer(id, index);
}

function checkOutput({ output, toolCallId }: WireObject, report: Report): void {
  const type = isWireObject(output) ? String(output["type"]) : "none";
  const value = isWireObject(output) ? output["value"] : undefined;
  const isText = type === "text" || type === "error-text";
  const isLegal =
    OUTPUTS.has(type) &&
    (!isText || typeof value === "string") &&
    (type !== "content" || Array.isArray(value)) &&
    (!type.endsWith("json") || value !== undefined);
  if (isLegal) return;
  report(
    "tool-output-shape",
    `has a result of ${String(toolCallId)} with an illegal ${type} output`,
  );
}
