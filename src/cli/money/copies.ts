import { readTranscript } from "../../transcripts/read.ts";
import type { RequestUsage } from "../../transcripts/index.ts";
import type { KnownSession } from "../sessions/survey.ts";
import { requestKey, usesOf } from "./spent.ts";

/**
 * The sessions with each request counted once. A session that was forked, or resumed into a file of its
 * own, begins with the requests of the other one: those that begin alike are read again, the one that
 * was changed longest ago first, and each keeps what none before it has. One that cannot be read stays as
 * it is.
 */
export async function countedOnce(
  sessions: readonly KnownSession[],
): Promise<readonly KnownSession[]> {
  const alike = new Map<string, KnownSession[]>();
  for (const known of sessions) {
    const first = known.facts?.first;
    if (first !== undefined) alike.set(first, [...(alike.get(first) ?? []), known]);
  }
  const counted = new Map<KnownSession, KnownSession>();
  for (const family of [...alike.values()].filter((all) => all.length > 1)) {
    const seen = new Set<string>();
    for (const known of family.toSorted((a, b) => a.session.modifiedAt - b.session.modifiedAt)) {
      const own = (await requestsOf(known))?.filter((request) => isNew(request, seen));
      if (own !== undefined) counted.set(known, withOwn(known, own));
    }
  }
  return sessions.map((known) => counted.get(known) ?? known);
}

async function requestsOf({ session }: KnownSession): Promise<readonly RequestUsage[] | undefined> {
  try {
    const { conversations } = await readTranscript(await session.load(), { format: session.agent });
    return conversations[0]?.requests ?? [];
  } catch {
    return undefined;
  }
}

function isNew(request: RequestUsage, seen: Set<string>): boolean {
  const key = requestKey(request);
  if (key === undefined) return true;
  const isFirst = !seen.has(key);
  seen.add(key);
  return isFirst;
}

/** Uses behind the session's own are of its sub-agents. */
function withOwn(
  { session, facts, uses }: KnownSession,
  own: readonly RequestUsage[],
): KnownSession {
  return { session, facts, uses: [...usesOf(own), ...uses.slice(facts?.uses.length)] };
}
