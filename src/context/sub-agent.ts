import type { ContextOptions } from "./options.ts";
import type { Session } from "./session.ts";

/** What a conversation holds to, word for word, oldest first and each once. */
export function constraintsOf({ options, tracker, groundwork }: Session): readonly string[] {
  const ledgers = [...tracker.records.map(({ facts }) => facts), groundwork.facts()];
  const typed = ledgers.flatMap(({ instructions }) => instructions.map(({ text }) => text));
  return [...new Set([...(options.constraints ?? []), ...typed])];
}

/** The settings of a sub-agent's context: those of its parent, but nothing of its conversation. */
export function subAgentOptions(session: Session, own: ContextOptions): ContextOptions {
  const { archive, counter } = session;
  const settings = withoutConversation(session.options);
  const rules = [...constraintsOf(session), ...(own.constraints ?? [])];
  return { ...settings, archive, counter, ...own, constraints: [...new Set(rules)] };
}

/** The settings that hold for another conversation, too. */
export function withoutConversation({
  conversation: _c,
  journal: _j,
  instructions: _i,
  tools: _t,
  fixedTokens: _f,
  ...settings
}: ContextOptions): ContextOptions {
  return settings;
}
