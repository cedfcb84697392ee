import type { Handle } from "../../core/message/handle.ts";
import type { Archive } from "../archive.ts";
import { OF_CONVERSATION, type Place } from "./store.ts";

/**
 * What the database can tell of a search: which rows of the conversation have the text among their
 * bytes. An original of which one row does not hold all may have it anywhere.
 */
export function holdingOf({ store, key }: Place): Required<Pick<Archive, "mayHold">> {
  const { schema, tenant, transact } = store;
  const text = `select handle from ${schema}.originals where ${OF_CONVERSATION}
    and (octet_length(start) < bytes or position($3::bytea in start) > 0)`;
  return {
    async mayHold(pattern, isRegex) {
      const literal = isRegex ? literalIn(pattern) : pattern;
      if (literal === "") return undefined;
      const values = [tenant, key, Buffer.from(literal, "utf8")];
      const rows = await transact((query) => query(text, values));
      return new Set(rows.map(({ handle }) => handle as Handle));
    },
  };
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
