import { vi } from "vitest";
import { openArchive } from "../../src/archive/open.ts";
import { postgresArchive } from "../../src/entry/postgres.ts";
import { HAS_S3, startS3 } from "./bucket.ts";
import { startDatabase } from "./database.ts";

/** A server that archives are in, one for each name. */
export interface Store {
  /** The address of the archive of this name. */
  address(name: string): string;
  /** The environment that lets a process in. */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** The two kinds; what is true of a fleet is true of each. */
export const STORES: readonly {
  readonly name: string;
  readonly isThere: boolean;
  readonly start: () => Promise<Store>;
}[] = [
  { name: "PostgreSQL", isThere: true, start: startPostgres },
  { name: "S3", isThere: HAS_S3, start: startBucket },
];

async function startPostgres(): Promise<Store> {
  const database = await startDatabase();
  const archive = postgresArchive({ connectionString: database.url });
  await archive.migrate();
  await archive.close();
  return {
    address: (name) => `${database.url}?tenant=${name}`,
    env: {},
    stop: () => database.stop(),
  };
}

/** In the environment of this process, too. */
async function startBucket(): Promise<Store> {
  const server = await startS3();
  for (const [name, value] of Object.entries(server.env)) vi.stubEnv(name, value);
  await server.bucket("tests");
  return {
    address: (name) => `s3://tests/${name}`,
    env: server.env,
    async stop() {
      vi.unstubAllEnvs();
      await server.stop();
    },
  };
}

/** The number of edits that the journals of an archive hold. */
export async function editsIn(address: string): Promise<number> {
  const archive = await openArchive(address);
  const ids = await archive.conversations();
  const journals = await Promise.all(
    ids.map(async (id) => (await archive.conversation(id).journal?.read()) ?? []),
  );
  await archive.close();
  return journals.flat().filter((entry) => "consumed" in (entry as object)).length;
}
