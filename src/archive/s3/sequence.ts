import { ContextError } from "../../core/error.ts";
import type { S3Object, S3Objects } from "./objects.ts";

/** An object with a number. */
export interface Numbered extends S3Object {
  readonly number: number;
}

/**
 * Objects numbered from 1 on, each of which is made by one writer only, because a server makes an
 * object once for all who say `If-None-Match: *`. Everything that writers agree on in a bucket is one.
 */
export interface Sequence {
  /** Those behind a number: one request, however many there are before. */
  after(number: number): Promise<readonly Numbered[]>;
  last(): Promise<Numbered | undefined>;
  /** Settles with `false` where another one has that number. */
  add(number: number, body: string): Promise<boolean>;
  /** As `add`; then it is the last one, and all before it are removed. */
  succeed(number: number, body: string): Promise<boolean>;
  keyOf(number: number): string;
}

const DIGITS = 10;

export function sequenceIn(objects: S3Objects, prefix: string): Sequence {
  const keyOf = (number: number): string => prefix + String(number).padStart(DIGITS, "0");
  const after: Sequence["after"] = async (before) =>
    (await objects.list(prefix, { after: keyOf(before) })).flatMap((each) => {
      const number = Number(each.key.slice(prefix.length));
      return Number.isSafeInteger(number) && keyOf(number) === each.key
        ? [{ ...each, number }]
        : [];
    });
  const add: Sequence["add"] = (number, body) => objects.create(keyOf(number), body);
  return {
    after,
    last: async () => (await after(0)).at(-1),
    add,
    async succeed(number, body) {
      if (!(await add(number, body))) return false;
      const there = await after(0);
      const own = [keyOf(number)];
      // A writer who was slow may take a number that was removed long ago.
      const isLast = there.at(-1)?.number === number;
      const before = there.filter((each) => each.number < number).map(({ key }) => key);
      await objects.remove(isLast ? before : own);
      return isLast;
    },
    keyOf,
  };
}

/**
 * Makes sure that a server heeds the condition on which everything else depends: of two requests to
 * make the same object the second must be refused.
 */
export async function checkConditions(objects: S3Objects, key: string): Promise<void> {
  for (let tries = 0; tries < 2; tries++) if (!(await objects.create(key, "{}"))) return;
  throw new ContextError(
    "archive-failed",
    "The server overwrote an object in spite of `If-None-Match: *`, so that writers could not agree on anything. Use postgresArchive with it, in place of S3 alone, or another server.",
  );
}
