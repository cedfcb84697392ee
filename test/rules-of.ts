import type { Context } from "../src/context/index.ts";
import { messageText } from "../src/core/message/index.ts";
import { assistant, user, words } from "./build-messages.ts";

const WORK = Array.from({ length: 6 }, (_, n) => assistant(words(9_000, `work ${n}`)));

/** The instructions in a summary of a sub-agent of this context: what its parent has to hold to. */
export async function rulesOf(context: Pick<Context, "subAgent">): Promise<string> {
  const own = context.subAgent({ window: 1_000_000, summarizer: "extractive" });
  const task = { ...user("(the sub-agent's task)"), kind: "injected" as const };
  const { messages } = await own.prepare([task, ...WORK], { force: true });
  const summary = messages.filter(({ kind }) => kind === "summary").map(messageText);
  const [, instructions = ""] = summary.join("\n").split(/^## Instructions$/m);
  return instructions.split(/^## /m)[0] ?? "";
}
