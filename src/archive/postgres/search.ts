import type { Handle } from "../../core/message/handle.ts";
import type { Archive, Sought } from "../archive.ts";
import { OF_CONVERSATION, type Place, type Store } from "./store.ts";

/**
 * The condition on rows that may hold a text: they have it among their bytes, or are not all of their
 * original, which may then have it anywhere.
 */
const holds = (value: string): string =>
  `(octet_length(start) < bytes or position(${value}::bytea in start) > 0)`;

/** The originals of a conversation that may hold a text. */
export function holdingOf({ store, key }: Place): Required<Pick<Archive, "mayHold">> {
  const { schema, tenant, transact } = store;
  const text = `select handle from ${schema}.originals where ${OF_CONVERSATION} and ${holds("$3")}`;
  return {
    async mayHold(pattern, isRegex) {
      const sought = bytesOf({ pattern, isRegex });
      if (sought === undefined) return undefined;
      const rows = await transact((query) => query(text, [tenant, key, sought]));
      return new Set(rows.map(({ handle }) => handle as Handle));
    },
  };
}

/** The ids of the tenant's conversations; with a text, of those that may hold it, by one look at all rows. */
export async function conversationsIn(
  { schema, tenant, transact }: Store,
  holding?: Sought,
): Promise<readonly string[]> {
  const sought = holding && bytesOf(holding);
  const all = `select id from ${schema}.conversations where tenant = $1`;
  // As an array it is one walk through the table, where a join would be one for each conversation.
  const own = `select distinct conversation from ${schema}.originals where tenant = $1 and ${holds("$2")}`;
  const rows = await transact((query) =>
    sought === undefined
      ? query(all, [tenant])
      : query(`${all} and key = any(array(${own}))`, [tenant, sought]),
  );
  return rows.map(({ id }) => JSON.parse(id as string) as string);
}

function bytesOf({ pattern, isRegex }: Sought): Buffer | undefined {
  const literal = isRegex ? literalIn(pattern) : pattern;
  return literal === "" ? undefined : Buffer.from(literal, "utf8");
}

/** The longest text that stands in whatever an expression matches; empty where none is certain. */
export function literalIn(pattern: string): string {
  if (/[\\()[\]{}|\ufffd]/.test(pattern)) return "";
  const runs = [""];
  for (const [, character = "", times = ""] of pattern.matchAll(/(.)([*+?]*)/gsu)) {
    const isCertain = !/^[*?]/.test(times) && !/[.^$]/.test(character);
    if (isCertain) runs.push(`${runs.pop() ?? ""}${character}`);
    if (!isCertain || times !== "") runs.push("");
  }
  return runs.reduce((longest, run) => (run.length > longest.length ? run : longest));
}
