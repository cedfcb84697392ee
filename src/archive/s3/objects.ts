import type {
  GetObjectCommandInput,
  GetObjectCommandOutput,
  HeadObjectCommandOutput,
  ListObjectsV2CommandInput,
  ListObjectsV2CommandOutput,
  PutObjectCommandInput,
} from "@aws-sdk/client-s3";
import { setTimeout as delay } from "node:timers/promises";
import { ContextError, isContextError } from "../../core/error.ts";
import { concurrencyLimit } from "../at-once.ts";
import { randomDigits } from "../digest.ts";
import { isConflict, isGone, isLoss, isTaken, s3Failure } from "./failure.ts";

/** The part of a client that is used: `S3Client` of `@aws-sdk/client-s3`, or another one like it. */
export interface S3Sender {
  send(command: never): Promise<unknown>;
  destroy?(): void;
}

export interface S3Place {
  readonly bucket: string;
  /** Before every key; no list and no caller sees it. */
  readonly prefix: string;
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
  readonly client?: S3Sender | undefined;
}

/** One object of a list. */
export interface S3Object {
  readonly key: string;
  readonly bytes: number;
  readonly etag: string;
  /** By the clock of the server, in ms since the epoch. */
  readonly modifiedAt: number;
}

/** The objects of one bucket. Every method rejects with `archive-failed`. */
export interface S3Objects {
  /** Settles with `false` where there is one already, which stays. */
  create(key: string, body: string): Promise<boolean>;
  write(key: string, body: string | Uint8Array): Promise<void>;
  /** The whole, or `length` bytes of it; `undefined` where there is none. */
  read(key: string, from?: number, length?: number): Promise<Buffer | undefined>;
  /** By their keys, in order; of all, or of those behind a key. */
  list(prefix: string, options?: ListOptions): Promise<readonly S3Object[]>;
  remove(keys: readonly string[]): Promise<void>;
  close(): void;
}

export interface ListOptions {
  readonly most?: number;
  readonly after?: string;
}

/** Requests that are under way at once. */
const MOST_REQUESTS = 16;
/** Requests that break off are sent again after so many milliseconds; the client itself does it, too. */
const TRY_AGAIN_MS = [50, 500, 2_000];

export function openObjects(place: S3Place): S3Objects {
  const { bucket: Bucket, prefix } = place;
  const limited = concurrencyLimit(MOST_REQUESTS);
  let own: Promise<S3> | undefined;
  const use: UseS3 = (work) =>
    limited(() =>
      again(Bucket, async () => {
        own ??= connect(place);
        return work(await own);
      }),
    );
  return {
    create: (key, body) => create(use, { Bucket, Key: prefix + key, ...bodyOf(body) }),
    write: async (key, body) => {
      const input = { Bucket, Key: prefix + key, ...bodyOf(body) };
      await use(({ sdk, send }) => send(new sdk.PutObjectCommand(input)));
    },
    read: (key, from, length = 0) => {
      const Range = from === undefined ? undefined : `bytes=${from}-${from + length - 1}`;
      return use((s3) => read(s3, { Bucket, Key: prefix + key, Range }));
    },
    async list(start, { most = Infinity, after } = {}) {
      const StartAfter = after === undefined ? undefined : prefix + after;
      const found = await list(use, { Bucket, Prefix: prefix + start, StartAfter }, most);
      return found.map((each) => ({ ...each, key: each.key.slice(prefix.length) }));
    },
    async remove(keys) {
      const gone = keys.map((key) =>
        use(({ sdk, send }) => send(new sdk.DeleteObjectCommand({ Bucket, Key: prefix + key }))),
      );
      await Promise.all(gone);
    },
    close() {
      if (place.client === undefined) void own?.then(({ destroy }) => destroy());
      own = undefined;
    },
  };
}

/** With its length, which the client does not see of an empty one, and then warns of. */
function bodyOf(body: string | Uint8Array): { Body: Uint8Array; ContentLength: number } {
  const Body = typeof body === "string" ? Buffer.from(body) : body;
  return { Body, ContentLength: Body.length };
}

type UseS3 = <T>(work: (s3: S3) => Promise<T>) => Promise<T>;

async function create(use: UseS3, input: PutObjectCommandInput): Promise<boolean> {
  const { Bucket, Key } = input;
  const writer = randomDigits();
  const once = { ...input, IfNoneMatch: "*", Metadata: { writer } };
  try {
    await use(({ sdk, send }) => send(new sdk.PutObjectCommand(once)));
    return true;
  } catch (error) {
    if (!isContextError(error) || !isTaken(error.cause)) throw error;
    // An answer may be lost, and the same request sent again finds what it made itself.
    return use(async ({ sdk, send }) => {
      const head = await send(new sdk.HeadObjectCommand({ Bucket, Key })).catch(
        (reason: unknown) => {
          if (!isGone(reason)) throw reason;
        },
      );
      return (head as HeadObjectCommandOutput | undefined)?.Metadata?.["writer"] === writer;
    });
  }
}

async function read({ sdk, send }: S3, input: GetObjectCommandInput): Promise<Buffer | undefined> {
  try {
    const { Body } = (await send(new sdk.GetObjectCommand(input))) as GetObjectCommandOutput;
    return Buffer.from((await Body?.transformToByteArray()) ?? []);
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

async function list(
  use: UseS3,
  input: ListObjectsV2CommandInput,
  most: number,
): Promise<readonly S3Object[]> {
  const found: S3Object[] = [];
  for (let ContinuationToken: string | undefined; ;) {
    const page = { ...input, MaxKeys: Math.min(most, 1_000), ContinuationToken };
    const answer = await use(({ sdk, send }) => send(new sdk.ListObjectsV2Command(page)));
    const { Contents = [], NextContinuationToken } = answer as ListObjectsV2CommandOutput;
    for (const { Key: key = "", Size: bytes = 0, ETag: etag = "", LastModified } of Contents) {
      found.push({ key, bytes, etag, modifiedAt: LastModified?.getTime() ?? 0 });
    }
    ContinuationToken = NextContinuationToken;
    if (ContinuationToken === undefined || found.length >= most) return found;
  }
}

/** Does one thing, again where the connection broke off or two writers met. */
async function again<T>(bucket: string, work: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (isContextError(error)) throw error;
      const wait = isLoss(error) || isConflict(error) ? TRY_AGAIN_MS[tries] : undefined;
      if (wait === undefined) throw s3Failure(bucket, error);
      await delay(wait);
    }
  }
}

interface S3 {
  readonly sdk: typeof import("@aws-sdk/client-s3");
  readonly send: (command: object) => Promise<unknown>;
  readonly destroy: () => void;
}

async function connect({ client, endpoint, region }: S3Place): Promise<S3> {
  const sdk = await import("@aws-sdk/client-s3").catch((cause: unknown) => {
    throw new ContextError(
      "archive-failed",
      "The package `@aws-sdk/client-s3` is not installed, which talks to S3: npm install @aws-sdk/client-s3",
      { cause },
    );
  });
  const { AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, AWS_REGION, AWS_DEFAULT_REGION } = process.env;
  const isElsewhere = Boolean(endpoint ?? AWS_ENDPOINT_URL_S3 ?? AWS_ENDPOINT_URL);
  // Servers other than Amazon's have no regions, yet a signature has to name one.
  const there =
    region ?? (isElsewhere ? (AWS_REGION ?? AWS_DEFAULT_REGION ?? "us-east-1") : region);
  const sender: S3Sender =
    client ??
    new sdk.S3Client({
      ...(endpoint !== undefined && { endpoint }),
      ...(there !== undefined && { region: there }),
      forcePathStyle: isElsewhere,
      // Not every server knows Amazon's newer checksums; the signature covers what is sent.
      requestChecksumCalculation: "WHEN_REQUIRED",
      responseChecksumValidation: "WHEN_REQUIRED",
      requestHandler: { connectionTimeout: 10_000, socketTimeout: 30_000 },
    });
  return {
    sdk,
    send: (command) => sender.send(command as never),
    destroy: () => sender.destroy?.(),
  };
}
