import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createContext, type Message } from "../../src/index.ts";
import { openArchive } from "../../src/archive/open.ts";
import { work } from "./replicas.ts";
import { editsIn, type Store, STORES } from "./stores.ts";

const AGENT = fileURLToPath(new URL("by-address.ts", import.meta.url));

interface Told {
  readonly actions: readonly string[];
  readonly failures: readonly unknown[];
  readonly messages: readonly Message[];
  readonly characters: number;
}

for (const { name, isThere, start } of STORES) {
  describe.skipIf(!isThere)(`a context by the address of an archive in ${name}`, () => {
    let store: Store;
    beforeAll(async () => void (store = await start()));
    afterAll(() => store.stop());

    it("edits once, ends with its process, and others go on with the same bytes", async () => {
      const address = store.address("by-address");
      const run = async (): Promise<Told> => {
        const args = ["--import", "tsx", AGENT, address, "shared"];
        const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 60_000 });
        return JSON.parse(stdout) as Told;
      };
      const [first, second] = [await run(), await run()];
      expect([first.actions, first.failures]).toEqual([["none", "compact", "none"], []]);
      expect([second.actions, second.failures]).toEqual([["none", "none", "none"], []]);
      expect(first.characters).toBeGreaterThan(1_000);
      expect(await editsIn(address)).toBe(1);
      const archive = await openArchive(address);
      const context = createContext({ window: 24_000, conversation: "shared", archive });
      const { messages } = await context.prepare(work(46));
      expect([first.messages, second.messages]).toEqual([messages, messages]);
      await archive.close();
    });
  });
}

describe("an address that is none", () => {
  it.each(["", "folder", "mysql://me:secret-word@host/db", "postgres://[secret-word", "s3"])(
    "%j is refused at once, without a word of its password",
    (archive) => {
      const make = (): unknown => createContext({ window: 24_000, archive });
      expect(make).toThrow(expect.objectContaining({ code: "invalid-options" }));
      expect(make).not.toThrow("secret-word");
      expect(make).toThrow("postgres://user@host/database");
    },
  );

  it("with credentials for a bucket in it is told of by the report, without them", async () => {
    const archive = "s3://me:secret-word@bucket";
    const context = createContext({ window: 24_000, conversation: "c", archive });
    const { report, messages } = await context.prepare(work(45));
    expect([report.action, messages]).toEqual(["none", work(45)]);
    expect(JSON.stringify(report.failures)).toContain("credentials come from the environment");
    expect(JSON.stringify(report.failures)).not.toContain("secret-word");
  });
});
