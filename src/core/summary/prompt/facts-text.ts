import type { Ledger } from "../../ledger/index.ts";
import { factLists } from "../facts/fact-lists.ts";
import { listDemand, renderList } from "../facts/fact-list.ts";
import type { CountTokens } from "../index.ts";
import { ledgerFacts } from "../facts/ledger-facts.ts";
import { shareOut } from "../share.ts";

/**
 * What the ledger knows of deeds, for a prompt: files changed and read, commands with their
 * outcome, todos, unresolved errors. Under a budget in tokens, newest first; what has no room is
 * counted. What people and the agent said is left out: the conversation itself has it. Empty when
 * there is nothing to say.
 */
export function factsText(
  ledger: Ledger,
  { tokens, count }: { readonly tokens: number; readonly count: CountTokens },
): string {
  const facts = ledgerFacts({ ...ledger, instructions: [], statements: [] });
  const sections = factLists(facts, []);
  const lists = ["accomplished", "discoveries"]
    .flatMap((section) => sections.get(section) ?? [])
    .filter(({ entries }) => entries.length > 0);
  const context = { count, handles: [] };
  const wants = lists.map((list) => ({
    weight: list.weight,
    demand: (most: number) => listDemand(list, most, context),
  }));
  const shares = shareOut(tokens, wants);
  return lists
    .flatMap((list, index) => renderList(list, shares[index] ?? 0, context).lines)
    .join("\n");
}
