import type { Message } from "../core/message/index.ts";
import { createChain } from "./chain.ts";
import { createHistory, type HistoryView } from "./history.ts";
import { isJournalEntry, type JournalRecord } from "./journal.ts";

/** A list as it was sent, until the next edit. */
export interface SentList {
  readonly messages: readonly Message[];
  /** The edit that it began with; absent on the first. */
  readonly record?: JournalRecord;
}

/**
 * The lists that were sent of a whole history, by the journal of its context: the one just before
 * each edit, oldest first, and that of now. A journal about another history leaves the history as
 * it is.
 */
export async function sentLists(
  messages: readonly Message[],
  journal: readonly unknown[],
): Promise<readonly SentList[]> {
  const entries = journal.filter(isJournalEntry);
  if (entries.length === 0) return [{ messages }];
  const chain = createChain();
  // Every request ended where its answer stands; the last one is that of now.
  const ends = messages.flatMap(({ role }, at) => (role === "assistant" && at > 0 ? [at] : []));
  ends.push(messages.length);
  const views = new Map<number, HistoryView>();
  const viewAt = async (request: number): Promise<HistoryView> => {
    const known = views.get(request);
    if (known !== undefined) return known;
    const history = createHistory(entries, chain);
    await history.ready();
    const view = history.recognise(messages.slice(0, ends[request]));
    views.set(request, view);
    return view;
  };
  /** The requests between two that began with another edit than the one before them. */
  const editedBetween = async (from: number, to: number): Promise<number[]> => {
    const [one, other] = [await viewAt(from), await viewAt(to)];
    if (newest(one) === newest(other)) return [];
    if (to - from === 1) return [to];
    const middle = Math.floor((from + to) / 2);
    return [...(await editedBetween(from, middle)), ...(await editedBetween(middle, to))];
  };
  const last = ends.length - 1;
  const { records, isReturned } = await viewAt(0);
  // An edit that stood in the history from its beginning is no edit of it.
  const first = records.length > 0 && !isReturned ? [0] : [];
  const edited = [...first, ...(last > 0 ? await editedBetween(0, last) : [])];
  const lists: SentList[] = [];
  let record: JournalRecord | undefined;
  for (const request of [...edited, undefined]) {
    const before = request === undefined ? last : Math.max(0, request - 1);
    const sent = request === 0 ? messages.slice(0, ends[0]) : (await viewAt(before)).messages;
    // The messages after that request were there before the edit, too.
    const since = request === undefined ? [] : messages.slice(ends[before], ends[request]);
    lists.push({ messages: [...sent, ...since], ...(record && { record }) });
    record = request === undefined ? undefined : newest(await viewAt(request));
  }
  return lists;
}

function newest({ records }: HistoryView): JournalRecord | undefined {
  return records.at(-1);
}
