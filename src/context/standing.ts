import { describeCall } from "../core/calls/describe-call.ts";
import { messageText, resultText, type Message } from "../core/message/message.ts";
import { startsTurn } from "../core/message/structure.ts";
import type { ToolKinds } from "../core/calls/index.ts";
import type { NameBook } from "../core/ledger/names.ts";
import type { ContextPlan } from "../core/plan/index.ts";
import type { Standing } from "../core/summary/index.ts";
import { saidIn } from "../core/summary/typed.ts";

/** What stands beside a summary in the result of a plan, and need not be said again. */
export function standingIn(
  messages: readonly Message[],
  { compaction, edits }: ContextPlan,
  { names, toolKinds }: { readonly names: NameBook; readonly toolKinds?: ToolKinds },
): Standing {
  const { tailStart = 0, pinned = [] } = compaction ?? {};
  const tail = messages.slice(tailStart);
  // What is clipped or described does not stand as it was.
  const edited = new Set(edits.map(({ message }) => messages[message]));
  const kept = [...pinned.flatMap((at) => messages[at] ?? []), ...tail];
  const whole = kept.filter((message) => !edited.has(message) && message.kind === undefined);
  const parts = whole.flatMap((message) => message.parts);
  const calls = parts.filter((part) => part.type === "tool-call");
  const outputs = parts.filter((part) => part.type === "tool-result");
  return {
    names: new Set(names.namesIn(tail).map(({ name }) => name)),
    commands: new Set(calls.flatMap((call) => describeCall(call, toolKinds).commands)),
    typed: new Set(whole.filter(startsTurn).map((message) => saidIn(messageText(message)))),
    text: [...whole.map((message) => messageText(message)), ...outputs.map(resultText)].join("\n"),
  };
}
