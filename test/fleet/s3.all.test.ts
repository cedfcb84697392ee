import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { s3Archive, type S3Archive } from "../../src/entry/s3.ts";
import { describeArchive } from "../conformance/describe-archive.ts";
import { HAS_S3, type S3Server, startS3 } from "./bucket.ts";

let server: S3Server;
let prefixes = 0;

const newPrefix = (): string => `p${++prefixes}/`;

function archiveIn(prefix: string): S3Archive {
  return s3Archive({ bucket: "tests", prefix });
}

describe.skipIf(!HAS_S3)("archives in S3", () => {
  beforeAll(async () => {
    server = await startS3();
    for (const [name, value] of Object.entries(server.env)) vi.stubEnv(name, value);
    await server.bucket("tests");
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await server.stop();
  });

  describeArchive(
    "s3",
    async () => archiveIn("kit").conversation(`new ${++prefixes}`),
    async () => {
      const store = archiveIn(newPrefix());
      return (id) => store.conversation(id);
    },
  );

  it("keeps the entries of a journal whole and in order that many add at once", async () => {
    const prefix = newPrefix();
    const writers = [archiveIn(prefix), archiveIn(prefix), archiveIn(prefix)];
    const entries = writers.flatMap((writer, at) =>
      [0, 1, 2].map((count) => ({
        writer,
        entry: { at, count, text: `\u0000${at}`.repeat(100_000) },
      })),
    );
    await Promise.all(entries.map(({ writer, entry }) => writer.journal.append(entry)));
    const read = await writers[0]!.journal.read();
    expect(read).toHaveLength(entries.length);
    expect(new Set(read.map((one) => JSON.stringify(one)))).toEqual(
      new Set(entries.map(({ entry }) => JSON.stringify(entry))),
    );
    expect(await writers[2]!.journal.read()).toEqual(read);
  });
});
