import { type SentList, sentLists } from "../../context/sent-lists.ts";
import { messageText, type Message } from "../../core/message/message.ts";
import { fieldsOf } from "../../core/text/json.ts";
import { hasSeam, SEAM } from "./seam.ts";

type List = readonly Message[];
type Taking = (message: Message) => List;

/** The part of a message in the agent's session file that its plugin takes, by the agent. */
const TAKEN: Readonly<Record<string, () => Promise<Taking>>> = {
  opencode: async () => {
    const { withSignatures } = await import("../opencode/format.ts");
    return (message) => [withSignatures(message)];
  },
  pi: async () => {
    const { isUnsent } = await import("../pi/format.ts");
    return (message) => (isUnsent(fieldsOf(message.source?.value)) ? [] : [message]);
  },
};

/** Whether an agent's plugin edits what is sent, of which the session file says nothing. */
export function editsInside(agent: string): boolean {
  return Object.hasOwn(TAKEN, agent);
}

/**
 * The lists that an agent with the plugin sent: from the lists that it had before each of its own edits
 * and has now, oldest first, and the plugin's journal. Each edit of the plugin stands at one list.
 */
export async function sentByAgent(
  agent: string,
  lists: readonly List[],
  journal: readonly unknown[],
): Promise<readonly SentList[]> {
  const taken = await TAKEN[agent]?.();
  if (taken === undefined || journal.length === 0) return lists.map((messages) => ({ messages }));
  const openings = lists.map(([first]) => (hasSeam(first) ? messageText(first as Message) : ""));
  const known = new Set<string>();
  const all: SentList[] = [];
  for (const [at, list] of lists.entries()) {
    // A summary that the agent asked for stands in the next list, and edited none before it.
    const later = new Set<unknown>(openings.slice(at + 1));
    const own = journal.filter((entry) => !later.has(fieldsOf(entry)["summary"]));
    const sent = await sentOf(list.flatMap(taken), own);
    sent.forEach(({ messages, record }, place) => {
      // An edit of the list before stands at the beginning of this one, too.
      const next = sent[place + 1]?.record?.after.key;
      if (next !== undefined && known.has(next)) return;
      const isNew = record !== undefined && !known.has(record.after.key);
      if (record !== undefined) known.add(record.after.key);
      all.push({ messages, ...(isNew && { record }) });
    });
  }
  return all;
}

async function sentOf(given: List, journal: readonly unknown[]): Promise<readonly SentList[]> {
  if (!hasSeam(given[0])) return sentLists(given, journal);
  const seam: Message = { role: "user", parts: [{ type: "text", text: SEAM }] };
  const list = given.toSpliced(1, 0, seam);
  const sent = await sentLists(list, journal);
  // A list that nothing was done to was sent as the agent had it.
  return sent.map((one) => {
    const isGiven = one.messages.every((message, at) => message === list[at]);
    return isGiven ? { ...one, messages: one.messages.filter((each) => each !== seam) } : one;
  });
}
