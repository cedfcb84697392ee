import type { ArchiveJournal } from "../archive.ts";
import { randomDigits } from "../digest.ts";
import { type Lease, LEASE_MS, lostLease, underLease } from "../lease.ts";
import type { Place, S3Store } from "./place.ts";
import { type Numbered, sequenceIn } from "./sequence.ts";

const LOOK_EVERY_MS = 500;

interface Entry extends Numbered {
  /** Its text, once somebody wanted it. */
  text?: string;
}

/** Entries are numbered objects: one writer makes each, and none is ever another one. */
export function s3Journal(place: Place): ArchiveJournal {
  const { objects } = place.store;
  const entriesIn = (root: string): ReturnType<typeof sequenceIn> =>
    sequenceIn(objects, `${root}journal/`);
  let known: { readonly root: string | undefined; readonly entries: Entry[] } | undefined;
  /** All entries, of which only the new ones are asked for. */
  const follow = async (given?: string): Promise<readonly Entry[]> => {
    const root = given ?? (await place.root());
    if (known?.root !== root) known = { root, entries: [] };
    const { entries = [] } = known ?? {};
    const last = (): number => entries.at(-1)?.number ?? 0;
    const news = root === undefined ? [] : await entriesIn(root).after(last());
    // Another look may have come back first.
    entries.push(...news.filter(({ number }) => number > last()));
    return entries;
  };
  const textOf = async (entry: Entry): Promise<string> =>
    (entry.text ??= (await objects.read(entry.key))?.toString("utf8") ?? "");
  /** While this one edits: how many entries it has seen. */
  let seen: number | undefined;
  return {
    isRequired: true,
    async read() {
      const entries = await follow();
      const texts = await Promise.all(entries.map(textOf));
      if (seen !== undefined) seen = texts.length;
      return texts.flatMap((text): unknown[] => (text === "" ? [] : [JSON.parse(text)]));
    },
    count: async () => (await follow()).length,
    append: (entry) =>
      place.write(async (root) => {
        const entries = entriesIn(root);
        const text = JSON.stringify(entry);
        // An edit goes behind what it was made from, or nowhere.
        if (seen !== undefined) {
          if (!(await entries.add(seen + 1, text))) throw lostLease(place.store);
          seen++;
          return;
        }
        let number = (await follow(root)).length + 1;
        while (!(await entries.add(number, text))) number++;
      }),
    alone: (work, signal) =>
      place.write((root) => {
        const withEntries = async (): ReturnType<typeof work> => {
          seen = (await follow(root)).length;
          try {
            return await work();
          } finally {
            seen = undefined;
          }
        };
        return underLease(createLease(place.store, `${root}lease/`), withEntries, signal);
      }),
  };
}

/**
 * The right to edit, as the last of numbered objects, which its holder writes anew every three
 * seconds; empty, nobody holds it. One that stays the same for ten seconds, as the one who waits counts
 * them, belongs to a process that died: so no clock has to agree with another one.
 */
function createLease({ objects, onLease }: S3Store, prefix: string): Lease {
  const leases = sequenceIn(objects, prefix);
  let watched: { readonly state: string; readonly since: number } | undefined;
  let own = "";
  let renewal = Promise.resolve();
  return {
    lookEveryMs: LOOK_EVERY_MS,
    onLease,
    async take() {
      const last = await leases.last();
      if (last === undefined || last.bytes === 0) watched = undefined;
      else {
        const state = `${last.number} ${last.etag} ${last.modifiedAt}`;
        if (watched?.state !== state) watched = { state, since: performance.now() };
        if (performance.now() - watched.since < LEASE_MS) return false;
      }
      const number = (last?.number ?? 0) + 1;
      own = leases.keyOf(number);
      const isTaken = await leases.succeed(number, randomDigits());
      return isTaken && (watched === undefined ? "free" : "left");
    },
    renew: () => (renewal = objects.write(own, randomDigits())),
    async release() {
      // A renewal that is under way must not come after it.
      await renewal.catch(() => undefined);
      await objects.write(own, "");
    },
  };
}
