import { resolve } from "node:path";
import { ContextError } from "../core/error.ts";
import type { Archive, ArchiveJournal, Sought } from "./archive.ts";
import type { DirectoryArchiveOptions } from "./directory.ts";
import type { OnLease } from "./lease.ts";
import type { S3Archive } from "./s3/s3.ts";

/** An archive of many conversations, each of which has a journal. */
export interface OpenArchive extends Archive {
  readonly journal: ArchiveJournal;
  conversation(id: string): Archive;
  conversations(holding?: Sought): Promise<readonly string[]>;
  /** Ends its connections. */
  close(): Promise<void>;
}

export interface OpenOptions extends DirectoryArchiveOptions {
  /** A listener to the right to edit, where many machines have it: waits, and edits that others take over. */
  readonly onLease?: OnLease;
}

/**
 * The archive at an address. Nothing is connected before the first use. Rejects with `invalid-options`
 * for a text that is no address.
 * @param address The path of a folder; `postgres://user@host/database?schema=…&tenant=…&large=s3://…`,
 * of which everything may be left out that PGHOST, PGUSER, PGPASSWORD and PGDATABASE say; or
 * `s3://bucket/prefix?endpoint=…&region=…`.
 * @param cwd The folder that a relative path starts from.
 * @param options The use of a folder, and a listener to leases.
 */
export async function openArchive(
  address: string,
  cwd = ".",
  { onLease, ...options }: OpenOptions = {},
): Promise<OpenArchive> {
  const scheme = schemeOf(address);
  if (scheme === undefined) {
    if (address === "") throw badAddress(address, "it is empty");
    const { directoryArchive } = await import("./directory.ts");
    const archive = directoryArchive(resolve(cwd, address), options) as Omit<OpenArchive, "close">;
    return { ...archive, close: async () => undefined };
  }
  if (scheme === "postgres" || scheme === "postgresql") return openPostgres(address, onLease);
  if (scheme === "s3") return openBucket(address, onLease);
  throw badAddress(address, `there is no archive for ${scheme}`);
}

function schemeOf(address: string): string | undefined {
  return /^([a-z][a-z0-9+.-]+):\/\//i.exec(address)?.[1]?.toLowerCase();
}

/** Whether an address is the path of a folder. */
export function isFolder(address: string): boolean {
  return schemeOf(address) === undefined;
}

async function openPostgres(address: string, onLease?: OnLease): Promise<OpenArchive> {
  const { url, options } = split(address, ["schema", "tenant", "large", "largerThan"]);
  const { large, largerThan, ...names } = options;
  const { postgresArchive } = await import("./postgres/postgres.ts");
  const isOfEnvironment = url.host === "" && url.pathname.length < 2 && url.search === "";
  const bucket = large === undefined ? undefined : await openBucket(large);
  const archive = postgresArchive({
    ...names,
    ...(onLease && { onLease }),
    ...(bucket && { large: bucket }),
    ...(largerThan !== undefined && { largerThan: Number(largerThan) }),
    ...(!isOfEnvironment && { connectionString: url.href }),
  });
  const close = async (): Promise<void> => {
    await archive.close();
    await bucket?.close();
  };
  return { ...archive, close };
}

async function openBucket(address: string, onLease?: OnLease): Promise<S3Archive> {
  const { url, options } = split(address, ["endpoint", "region"]);
  if (url.username + url.password + url.search !== "") {
    const problem = "it has more than a bucket, a prefix, `endpoint` and `region`";
    throw badAddress(address, `${problem}; credentials come from the environment`);
  }
  const { s3Archive } = await import("./s3/s3.ts");
  const prefix = decodeURIComponent(url.pathname.slice(1));
  return s3Archive({ ...options, ...(onLease && { onLease }), bucket: url.host, prefix });
}

/** A URL, and the part of it that is ours. */
function split(
  address: string,
  names: readonly string[],
): { readonly url: URL; readonly options: Readonly<Record<string, string>> } {
  if (!URL.canParse(address)) throw badAddress(address, "it is no URL");
  const url = new URL(address);
  const given = names.filter((name) => url.searchParams.has(name));
  const options = Object.fromEntries(given.map((name) => [name, url.searchParams.get(name) ?? ""]));
  for (const name of given) url.searchParams.delete(name);
  return { url, options };
}

function badAddress(address: string, problem: string): ContextError {
  return new ContextError(
    "invalid-options",
    `${JSON.stringify(shownAddress(address))} is no address of an archive: ${problem}. Give the path of a folder, postgres://user@host/database, or s3://bucket/prefix.`,
  );
}

/** An address without what is secret in it, for people and logs. */
export function shownAddress(address: string): string {
  const [, scheme, rest = ""] = /^([a-z][a-z0-9+.-]+:\/\/)(.*)$/is.exec(address) ?? [];
  if (scheme === undefined) return address;
  // A password may have any character in it, as whoever forgot to encode it will find.
  const at = rest.lastIndexOf("@");
  const user = at < 0 ? "" : `${rest.slice(0, at).replace(/:.*$/s, ":***")}@`;
  return scheme + user + rest.slice(at + 1).replace(/(password|secret|key)=[^&]*/gi, "$1=***");
}
