import { withMethods } from "../with-methods.ts";
import type { PreparingOptions } from "./model.ts";
import type { AgentItem, AgentSession } from "./wire.ts";

interface CompactingOptions extends PreparingOptions {
  /** Keeps what is about to be replaced; resolves to false when it could not. */
  readonly keep: (items: readonly AgentItem[]) => Promise<boolean>;
}

/**
 * A session whose stored history follows what is sent: after a run, the SDK asks such a session to
 * compact itself (`runCompaction`), and it stores what the edits of the run have left. Nothing is
 * replaced that is not in the archive.
 */
export function compactingSession<Session extends AgentSession>(
  session: Session,
  { conversationOf, isManaged, keep }: CompactingOptions,
): Session {
  if (isManaged("runCompaction" in session ? "a session with runCompaction" : undefined)) {
    return session;
  }
  const runCompaction = async ({ force = false }: { force?: boolean } = {}): Promise<null> => {
    const items = await session.getItems();
    if (items.length === 0 || isWaiting(items)) return null;
    const conversation = conversationOf(items);
    const sent = await conversation.prepare({ force });
    if (sent === conversation.given || !(await keep(items))) return null;
    await replaceItems(session, items, sent);
    return null;
  };
  return withMethods(session, { runCompaction });
}

/** A call that waits for a person gets its result in the next run; an edit would give it one of ours. */
function isWaiting(items: readonly AgentItem[]): boolean {
  const asked = items.findLastIndex(({ role }) => role === "user");
  const newest: readonly CallItem[] = items.slice(asked + 1);
  const answered = new Set(newest.flatMap((item) => (isCall(item) ? [] : [item.callId])));
  return newest.some((item) => isCall(item) && !answered.has(item.callId));
}

interface CallItem extends AgentItem {
  readonly callId?: string;
}

function isCall({ type, callId }: CallItem): boolean {
  return callId !== undefined && type?.endsWith("_call") === true;
}

/** Stores other items; when that fails, the old ones again. */
async function replaceItems(
  session: AgentSession,
  before: readonly AgentItem[],
  after: readonly AgentItem[],
): Promise<void> {
  await session.clearSession();
  try {
    await session.addItems([...after] as never);
  } catch (error) {
    await session.clearSession();
    await session.addItems([...before] as never);
    throw error;
  }
}
