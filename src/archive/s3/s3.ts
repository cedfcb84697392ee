import { ContextError } from "../../core/error.ts";
import { checkNames, type OptionNames } from "../../core/options.ts";
import type { Archive, ArchiveJournal } from "../archive.ts";
import type { Collected, CollectOptions } from "../collected.ts";
import type { OnLease } from "../lease.ts";
import { collectObjects, lastUses } from "./collect.ts";
import { s3Journal } from "./journal.ts";
import { openObjects, type S3Objects, type S3Sender } from "./objects.ts";
import { s3Originals } from "./originals.ts";
import { createS3Store, placeOf, readUse, type S3Store } from "./place.ts";

export interface S3ArchiveOptions {
  /** The bucket, which is there already. */
  readonly bucket: string;
  /**
   * The folder in the bucket: archives with different ones know nothing of each other, so whose
   * credentials reach one folder only sees that alone. @default the whole bucket
   */
  readonly prefix?: string;
  /** Of a server other than Amazon's. @default `AWS_ENDPOINT_URL_S3`, `AWS_ENDPOINT_URL` */
  readonly endpoint?: string;
  /** @default `AWS_REGION`; with an endpoint `us-east-1` */
  readonly region?: string;
  /** The conversation that the originals belong to. @default "default" */
  readonly conversation?: string;
  /** An `S3Client` of the caller's own, in place of `endpoint` and `region`. */
  readonly client?: S3Sender;
  /** Hears what becomes of the right to edit: waits, and edits that others take over. */
  readonly onLease?: OnLease;
}

export interface S3Archive extends Archive {
  readonly journal: ArchiveJournal;
  conversation(id: string): S3Archive;
  conversations(): Promise<readonly string[]>;
  /** The objects under its prefix, which hold everything; a database may keep its large originals there. */
  readonly objects: S3Objects;
  /**
   * Removes conversations that nobody has stored anything into for `maxAgeMs` (an hour at least). One
   * with a journal stays, unless `journals` says otherwise.
   */
  collect(options: CollectOptions): Promise<Collected>;
  /** Ends the connections of the client that was made here; a caller's own stays. */
  close(): Promise<void>;
}

const OPTIONS: OptionNames<S3ArchiveOptions> = {
  bucket: true,
  prefix: true,
  endpoint: true,
  region: true,
  conversation: true,
  client: true,
  onLease: true,
};

/**
 * An archive in a bucket of any S3-compatible server that heeds `If-None-Match: *`, for agents on more
 * than one machine; credentials are those that the AWS client finds (`AWS_ACCESS_KEY_ID`,
 * `AWS_SECRET_ACCESS_KEY`, profiles, roles). Needs the package `@aws-sdk/client-s3`. Any number of
 * processes may use one conversation. Rejects as every archive does: `unknown-handle`,
 * `archive-failed` (with what to do), `invalid-message` for text with half a surrogate pair.
 * @example
 * import { createContext } from "longhaul";
 * import { s3Archive } from "longhaul/archive/s3";
 *
 * const archive = s3Archive({ bucket: "agents" });
 * const context = createContext({ window: 200_000, conversation: "ticket-4711", archive });
 */
export function s3Archive(options: S3ArchiveOptions): S3Archive {
  const { bucket, prefix = "", conversation = "default" } = checked(options);
  const folder = prefix === "" || prefix.endsWith("/") ? prefix : `${prefix}/`;
  const objects = openObjects({ ...options, bucket, prefix: folder });
  return archiveOf(createS3Store(objects, options.onLease), conversation);
}

function archiveOf(store: S3Store, id: string): S3Archive {
  const place = placeOf(store, id);
  return {
    name: "s3",
    objects: store.objects,
    ...s3Originals(place),
    conversation: (other) => archiveOf(store, other),
    conversations: () => conversationsIn(store),
    journal: s3Journal(place),
    collect: (options) => collectObjects(store, options),
    close: async () => store.objects.close(),
  };
}

async function conversationsIn(store: S3Store): Promise<readonly string[]> {
  const uses = [...(await lastUses(store)).values()];
  const known = await Promise.all(
    uses.map((each) => readUse(store.objects, { ...each, number: 0 })),
  );
  return known.flatMap((use) => (use?.id === undefined ? [] : [JSON.parse(use.id) as string]));
}

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const PREFIX = /^[\w.:@=+-][\w.:@=+/-]{0,199}$/;

function checked(options: S3ArchiveOptions): S3ArchiveOptions {
  checkNames(options, OPTIONS);
  const fail = (message: string): never => {
    throw new ContextError("invalid-options", `s3Archive: ${message}`);
  };
  const { bucket, prefix, endpoint, client } = options;
  if (!BUCKET.test(bucket)) {
    fail("`bucket` must be the name of one: 3 to 63 lower case letters, digits, `.` or `-`.");
  }
  if (prefix !== undefined && prefix !== "" && !PREFIX.test(prefix)) {
    fail("`prefix` must be up to 200 letters, digits, `/`, `.`, `_`, `:`, `@`, `=`, `+` or `-`.");
  }
  if (endpoint !== undefined && !/^https?:\/\/[^/@]+/.test(endpoint)) {
    fail("`endpoint` must be the URL of a server, without user and password.");
  }
  if (client !== undefined && (endpoint !== undefined || options.region !== undefined)) {
    fail("give either `client`, or `endpoint` and `region`.");
  }
  return options;
}
