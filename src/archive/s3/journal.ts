import { setTimeout as delay } from "node:timers/promises";
import { ContextError } from "../../core/error.ts";
import type { ArchiveJournal } from "../archive.ts";
import { randomDigits } from "../digest.ts";
import type { Objects } from "./objects.ts";
import type { Place } from "./place.ts";
import { sequenceIn } from "./sequence.ts";

/** A process of which nothing was heard for so long edits no more. */
const LEASE_MS = 10_000;
const RENEW_EVERY_MS = 3_000;
const LOOK_EVERY_MS = 500;

/** Entries are numbered objects: one writer makes each. */
export function s3Journal(place: Place): ArchiveJournal {
  const { objects } = place.store;
  const entriesIn = (root: string): ReturnType<typeof sequenceIn> =>
    sequenceIn(objects, `${root}journal/`);
  /** While this one edits: how many entries it has seen. */
  let seen: number | undefined;
  return {
    isRequired: true,
    async read() {
      const root = await place.root();
      const entries = root === undefined ? [] : await entriesIn(root).all();
      const texts = await Promise.all(entries.map(({ key }) => objects.read(key)));
      if (seen !== undefined) seen = entries.length;
      return texts.flatMap((text): unknown[] => (text ? [JSON.parse(text.toString("utf8"))] : []));
    },
    append: (entry) =>
      place.write(async (root) => {
        const entries = entriesIn(root);
        const text = JSON.stringify(entry);
        // An edit goes behind what it was made from, or nowhere.
        if (seen !== undefined) {
          if (!(await entries.add(seen + 1, text))) throw lostLease();
          seen++;
          return;
        }
        let number = ((await entries.last())?.number ?? 0) + 1;
        while (!(await entries.add(number, text))) number++;
      }),
    alone: (work) =>
      place.write((root) =>
        underLease(objects, `${root}lease/`, async () => {
          seen = (await entriesIn(root).last())?.number ?? 0;
          try {
            return await work();
          } finally {
            seen = undefined;
          }
        }),
      ),
  };
}

/**
 * The right to edit, as the last of numbered objects, which its holder writes anew every three
 * seconds; empty, nobody holds it. One that stays the same for ten seconds, as the one who waits counts
 * them, belongs to a process that died: so no clock has to agree with another one.
 */
async function underLease<T>(objects: Objects, prefix: string, work: () => Promise<T>): Promise<T> {
  const leases = sequenceIn(objects, prefix);
  let watched: { readonly state: string; readonly since: number } | undefined;
  const taken = async (): Promise<number | undefined> => {
    const last = await leases.last();
    if (last !== undefined && last.bytes > 0) {
      const state = `${last.number} ${last.etag} ${last.modifiedAt}`;
      if (watched?.state !== state) watched = { state, since: performance.now() };
      if (performance.now() - watched.since < LEASE_MS) return undefined;
    }
    const number = (last?.number ?? 0) + 1;
    return (await leases.succeed(number, randomDigits())) ? number : undefined;
  };
  let number = await taken();
  while (number === undefined) {
    await delay(LOOK_EVERY_MS);
    number = await taken();
  }
  const key = leases.keyOf(number);
  const renew = (): void => void objects.write(key, randomDigits()).catch(() => undefined);
  const renewal = setInterval(renew, RENEW_EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(renewal);
    await objects.write(key, "").catch(() => undefined);
  }
}

function lostLease(): ContextError {
  return new ContextError(
    "archive-failed",
    "Another process has taken over the edit of this conversation, because this one was not heard of for some seconds. The next step goes on from what it made.",
  );
}
