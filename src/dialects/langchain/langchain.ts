import type { Dialect, DialectIssue } from "../dialect.ts";
import { createLangChainDecoder } from "./decode.ts";
import { encodeLangChain } from "./encode.ts";
import { LANGCHAIN, type LangChainMessage, typeOf } from "./wire.ts";
import { listDialect } from "../decoding.ts";
import { checkSteps, type Place, type Report } from "../checking.ts";
import { isText, isWireBlock, isWireObject, type WireObject } from "../wire.ts";

/**
 * LangChain's `BaseMessage[]`. The provider behind it is not known here, so its reasoning is taken to
 * be bound to what stands before it.
 */
export const langchain: Dialect<readonly LangChainMessage[], LangChainMessage> & {
  readonly encode: typeof encodeLangChain;
} = {
  ...listDialect(LANGCHAIN, createLangChainDecoder),
  traits: { summaryRole: "user", boundReasoning: true, endsWithInput: false },
  encode: encodeLangChain,
  check: checkLangChain,
};

/** The issues for which every model behind LangChain would reject a conversation. */
export function checkLangChain(conversation: unknown): readonly DialectIssue[] {
  return checkSteps(conversation, {
    roleOf: (native) => typeOf(native).type,
    noun: "type",
    check(native, type, place) {
      checkContent(native, place.report);
      if (type === "ai") openCalls(native, place);
      if (type === "tool") checkResult(native, place);
    },
  });
}

function checkContent({ content }: WireObject, report: Report): void {
  if (typeof content === "string") return;
  if (!Array.isArray(content)) {
    report("content-shape", "needs a string or an array as content");
  } else if (!content.every((block) => typeof block === "string" || isWireBlock(block))) {
    report("content-block", "has a content block without a type");
  }
}

function openCalls(native: WireObject, { index, calls: rules, report }: Place): void {
  const calls = native["tool_calls"];
  for (const call of Array.isArray(calls) ? (calls as unknown[]) : []) {
    if (!isWireObject(call) || !isText(call["id"])) {
      report("missing-tool-call-id", "has a tool call without an id");
      continue;
    }
    const { id, args } = call;
    if (!isWireObject(args)) report("tool-call-args", `has call ${id} whose args are no object`);
    rules.open(id, index);
  }
}

function checkResult(native: WireObject, { index, calls: rules, report }: Place): void {
  const id = String(native["tool_call_id"]);
  if (rules.isLate(id)) {
    report("late-tool-result", `has a result of ${id} that does not follow its call`);
  }
  rules.answer(id, index);
}
