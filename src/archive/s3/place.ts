import { randomDigits, sha256Hex } from "../digest.ts";
import type { OnLease } from "../lease.ts";
import type { S3Objects } from "./objects.ts";
import { checkConditions, type Numbered, type Sequence, sequenceIn } from "./sequence.ts";

/*
 * uses/<conversation>/<number>                       the last use: who it is, which generation
 * conversations/<conversation>/<generation>/...      its originals, journal and lease
 *
 * A conversation that comes into use while it is removed begins another generation: who uses it and
 * who removes it both make the next number of its uses, and only one of them can.
 */

/** A bucket as one archive sees it. */
export interface S3Store {
  readonly objects: S3Objects;
  readonly onLease: OnLease | undefined;
  /** Rejects where the server does not heed conditions; asked once. */
  readonly check: () => Promise<void>;
}

export interface Place {
  readonly store: S3Store;
  /** The folder of its objects; `undefined` for a conversation that nobody has used. */
  root(): Promise<string | undefined>;
  /** Does work that stores something, as a use of the conversation. */
  write<T>(work: (root: string) => Promise<T>): Promise<T>;
}

export function createS3Store(objects: S3Objects, onLease?: OnLease): S3Store {
  let checked: Promise<void> | undefined;
  return {
    objects,
    onLease,
    check: () =>
      (checked ??= checkConditions(objects, "conditional").catch((error: unknown) => {
        checked = undefined;
        throw error;
      })),
  };
}

/** The last use of a conversation. */
export interface Use {
  /** As JSON; absent of what was removed. */
  readonly id?: string;
  readonly generation?: string;
  /** The generation that is being removed. */
  readonly removing?: string;
}

export async function readUse(objects: S3Objects, { key }: Numbered): Promise<Use | undefined> {
  const bytes = await objects.read(key);
  return bytes && (JSON.parse(bytes.toString("utf8")) as Use);
}

export function rootOf(key: string, generation: string): string {
  return `conversations/${key}/${generation}/`;
}

export function usesOf({ objects }: S3Store, key: string): Sequence {
  return sequenceIn(objects, `uses/${key}/`);
}

/** A use is noted once in so long; a collection takes nothing that was used within an hour. */
const NOTED_MS = 10 * 60_000;
/** The place of a conversation that others use is looked up again after so long. */
const BELIEVED_MS = 60_000;
/** Work that took longer may have been overtaken by a collection. */
const SAFE_MS = 30 * 60_000;

interface Known {
  readonly generation: string;
  readonly at: number;
  readonly isNoted: boolean;
}

export function placeOf(store: S3Store, id: string): Place {
  const { objects } = store;
  const text = JSON.stringify(id);
  const key = sha256Hex(text).slice(0, 32);
  const uses = usesOf(store, key);
  let known: Known | undefined;
  const isYoung = (most: number): boolean =>
    known !== undefined && performance.now() - known.at < most;
  const look = async (): Promise<{ readonly last?: Numbered; readonly use?: Use }> => {
    for (;;) {
      const last = await uses.last();
      if (last === undefined) return {};
      const use = await readUse(objects, last);
      // It may have been followed by the next one in the meantime.
      if (use !== undefined) return { last, use };
    }
  };
  const note = async (): Promise<string> => {
    if (known?.isNoted === true && isYoung(NOTED_MS)) return known.generation;
    await store.check();
    for (let isFirst = true; ; isFirst = false) {
      const { last, use } = await look();
      const at = performance.now();
      const generation = use?.generation ?? randomDigits();
      // Somebody else has just noted one.
      const isNoted = !isFirst && use?.generation !== undefined;
      const next = JSON.stringify({ id: text, generation });
      if (isNoted || (await uses.succeed((last?.number ?? 0) + 1, next))) {
        known = { generation, at, isNoted: true };
        return generation;
      }
    }
  };
  return {
    store,
    async root() {
      if (!isYoung(BELIEVED_MS)) {
        const { use } = await look();
        if (use?.generation === undefined) return undefined;
        known = { generation: use.generation, at: performance.now(), isNoted: false };
      }
      return known && rootOf(key, known.generation);
    },
    async write(work) {
      for (;;) {
        const generation = await note();
        const since = performance.now();
        const result = await work(rootOf(key, generation));
        if (performance.now() - since < SAFE_MS || (await note()) === generation) return result;
      }
    },
  };
}
