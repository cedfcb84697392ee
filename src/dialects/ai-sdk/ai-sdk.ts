import type { Dialect, DialectIssue } from "../dialect.ts";
import { createAiSdkDecoder } from "./decode.ts";
import { encodeAiSdk } from "./encode.ts";
import { AI_SDK, type AiSdkMessage } from "./wire.ts";
import { fieldsOf } from "../../core/text/json.ts";
import { listDialect } from "../decoding.ts";
import { checkSteps, type Place, type Report } from "../checking.ts";
import { isWireObject, type WireObject } from "../wire.ts";
import { words } from "../../core/text/words.ts";

/**
 * The AI SDK's `ModelMessage[]`, versions 6 and 7. The provider behind it is not known here, so its
 * reasoning is taken to be bound to what stands before it.
 */
export const aiSdk: Dialect<readonly AiSdkMessage[], AiSdkMessage> & {
  readonly encode: typeof encodeAiSdk;
} = {
  ...listDialect(AI_SDK, createAiSdkDecoder),
  traits: { summaryRole: "user", boundReasoning: true, endsWithInput: false },
  encode: encodeAiSdk,
  check: checkAiSdk,
};

const CONTENT: Readonly<Record<string, readonly string[]>> = {
  user: ["text", "image", "file"],
  assistant: words(
    `text file reasoning reasoning-file custom tool-call tool-result tool-approval-request`,
  ),
  tool: ["tool-result", "tool-approval-response"],
};
const OUTPUTS: ReadonlySet<string> = new Set(
  words("text json content error-text error-json execution-denied"),
);

/**
 * The issues for which the AI SDK or every provider behind it would reject a conversation.
 * A call that waits for an approval needs no result yet.
 */
export function checkAiSdk(conversation: unknown): readonly DialectIssue[] {
  let isBeforeBody = true;
  return checkSteps(conversation, {
    roleOf: ({ role }) =>
      role === "system" || (typeof role === "string" && Object.hasOwn(CONTENT, role))
        ? role
        : undefined,
    check(native, role, place) {
      if (role === "system") return checkSystem(native, isBeforeBody, place.report);
      isBeforeBody = false;
      checkContent(native, place);
    },
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
    return place.report("content-shape", "needs a string or an array as content");
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
  const { type: given = "none", value } = fieldsOf(output);
  const type = String(given);
  const isText = type === "text" || type === "error-text";
  const isLegal =
    OUTPUTS.has(type) &&
    (!isText || typeof value === "string") &&
    (type !== "content" || Array.isArray(value)) &&
    (!type.endsWith("json") || value !== undefined);
  const problem = `has a result of ${String(toolCallId)} with an illegal ${type} output`;
  if (!isLegal) report("tool-output-shape", problem);
}
