import { extractLedger } from "../../../src/core/ledger/index.ts";
import type { Message } from "../../../src/core/message/index.ts";
import type { PromptBudget, SummaryTask } from "../../../src/core/summary/prompt.ts";
import { DEFAULT_COMPACTION_TEMPLATE } from "../../../src/core/summary/index.ts";
import { assistant, quarter, step, user, words } from "../../build-messages.ts";

/** Four characters are one token. */
export const count = (text: string): number => quarter.count(text);

/** The room that a window leaves for a prompt, much as whoever asks would have it. */
export function budget(window: number, cap = 800): PromptBudget {
  return { room: Math.floor(window * 0.92 - cap * 1.2), count };
}

/** An input for a head, with the ledger of its messages. */
export function inputOf(
  head: readonly Message[],
  rest: Partial<Omit<SummaryTask, "head">> = {},
): SummaryTask {
  const template = DEFAULT_COMPACTION_TEMPLATE;
  return { head, ledger: extractLedger(head), template, cap: 800, ...rest };
}

/** A session of so many steps; every output has so many tokens, and every message a mark. */
export function session(steps: number, outputTokens: number): Message[] {
  const done = Array.from({ length: steps }, (_, index) => [
    ...step(
      `c${index}`,
      index % 3 === 0 ? "edit" : "bash",
      index % 3 === 0 ? { path: `src/file-${index}.ts` } : { command: `npm run task-${index}` },
      `out-${index} ${words(outputTokens, `seed-${index}`)}`,
    ),
    ...(index % 10 === 9 ? [assistant(`mark-${index}: done.`), user(`Go on with ${index}.`)] : []),
  ]);
  return [user("Make it work. Never touch the lock file."), ...done.flat()];
}
