import type { Message } from "../../core/message/index.ts";
import { recogniseOverflow } from "../../core/overflow/index.ts";
import { editView } from "./edit-view.ts";
import type { Prepared } from "../prepared.ts";
import type { Session } from "../session.ts";
import { viewOf } from "../view/view.ts";

/**
 * A refused request that does not name its limit shows at least that the window is smaller than it
 * was; this share of it is taken for the window from then on.
 */
const REFUSED_SHARE = 0.9;

/**
 * T7: the view for one more try after a provider refused a request as too long, or `undefined` when
 * the error says something else or nothing is left to remove. The limit that the error names, and
 * the tokens that the provider counted, are remembered.
 */
export async function recoverFrom(
  session: Session,
  history: readonly Message[],
  error: unknown,
): Promise<Prepared | undefined> {
  const overflow = recogniseOverflow(error);
  if (overflow === undefined) return undefined;
  const view = viewOf(session, history);
  if (overflow.tokens !== undefined) session.usage.observe(view.messages, overflow.tokens);
  session.learnWindow(overflow.limit ?? Math.floor(view.measured.tokens * REFUSED_SHARE));
  const prepared = await editView(session, viewOf(session, history), { force: true });
  return prepared.report.action === "none" ? undefined : prepared;
}
