import { reportFailure } from "../../context/create-context.ts";
import type { Context } from "../../context/index.ts";
import { toJson } from "../../core/text/json.ts";
import { withMethods } from "../tools.ts";
import type { PreparingOptions } from "./model.ts";
import type { AgentItem, AgentSession } from "./wire.ts";

/**
 * A session whose stored history follows what is sent: after a run, the SDK asks such a session to
 * compact itself (`runCompaction`), and it stores what the edits of the run have left. Nothing is
 * replaced that is not in the archive.
 */
export function compactingSession<Session extends AgentSession>(
  session: Session,
  context: Context,
  { conversationOf, isManaged }: PreparingOptions,
): Session {
  if (isManaged("runCompaction" in session ? "a session with runCompaction" : undefined)) {
    return session;
  }
  const runCompaction = async ({ force = false }: { force?: boolean } = {}): Promise<null> => {
    const items = await session.getItems();
    if (items.length === 0 || isWaiting(items)) return null;
    const conversation = conversationOf(items);
    const sent = await conversation.prepare({ force });
    if (sent === conversation.given || !(await archived(items, context))) return null;
    await replaceItems(session, items, sent);
    return null;
  };
  return withMethods(session, { runCompaction });
}

/** A call that waits for a person gets its result in the next run; an edit would give it one of ours. */
function isWaiting(items: readonly CallItem[]): boolean {
  const newest = items.slice(items.findLastIndex(({ role }) => role === "user") + 1);
  const answered = new Set(newest.map((item) => !isCall(item) && item.callId));
  return newest.some((item) => isCall(item) && !answered.has(item.callId));
}

interface CallItem extends AgentItem {
  readonly callId?: string;
}

function isCall({ type, callId }: CallItem): boolean {
  return callId !== undefined && type?.endsWith("_call") === true;
}

/** Archives the items, whole; false when that failed. */
async function archived(items: readonly AgentItem[], context: Context): Promise<boolean> {
  try {
    await context.archive.put("head", items.map((item) => toJson(item)).join("\n"));
    return true;
  } catch (error) {
    reportFailure(context, error);
    return false;
  }
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
