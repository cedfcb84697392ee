import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openArchive } from "../../src/archive/open.ts";
import { type CliRun, MAIN, runCli, temporaryFolder } from "../cli/run-cli.ts";
import { type Store, STORES } from "./stores.ts";

const LINES = Array.from({ length: 300 }, (_, at) => `line ${at + 1}\n`).join("");

for (const { name, isThere, start } of STORES) {
  describe.skipIf(!isThere)(`commands on an archive in ${name}`, () => {
    let store: Store;
    let address: string;
    let handle: string;
    beforeAll(async () => {
      store = await start();
      address = store.address("commands");
      const archive = await openArchive(address);
      ({ handle } = await archive.conversation("s1").put("out", LINES));
      await archive.conversation("s2").put("msg", "a needle in hay\nand line 77");
      for (let at = 0; at < 20; at++) await archive.conversation(`more ${at}`).put("out", `${at}`);
      await archive.close();
    });
    afterAll(() => store.stop());

    const recall = (...args: string[]): Promise<CliRun> =>
      runCli(["recall", "--archive", address, ...args], { env: store.env });

    it("recall prints an original, and parts of it, byte for byte", async () => {
      expect(await recall(handle)).toMatchObject({ code: 0, stdout: LINES });
      expect((await recall(handle, "--lines", "12-13")).stdout).toBe("line 12\nline 13\n");
      expect((await recall(handle, "--bytes", "0-6")).stdout).toBe("line 1");
      const told = JSON.parse((await recall(handle, "--json")).stdout) as object;
      expect(told).toMatchObject({ handle, content: LINES });
    });

    it("recall --search finds a text in every conversation, and says of how many", async () => {
      const found = await recall("--search", "line 77");
      expect(found.stdout.match(/line 77/g)).toHaveLength(2);
      expect(found.stderr).toContain("2 hits");
      const one = await recall("--search", "n.edle", "--regex", "--json");
      expect(JSON.parse(one.stdout)).toMatchObject({ hits: [{ text: "a needle in hay" }] });
      const none = await recall("--search", "nowhere at all");
      expect([none.code, none.stdout]).toEqual([0, ""]);
      // A bucket cannot tell which conversations those are.
      const isNarrowed = address.startsWith("postgres");
      expect(none.stderr.includes("of the conversations that may hold it")).toBe(isNarrowed);
    });

    it("recall says what is wrong with a handle, and with an address, and no secret", async () => {
      const unknown = await recall("out_0123456789abcdef");
      expect(unknown.code).toBe(1);
      expect(unknown.stderr).toContain("out_0123456789abcdef");
      const wrong = address.replace(/^postgres:\/\/agent:agent@|^s3:\/\//, (start) =>
        start.startsWith("s3") ? "s3://me:secret-word@" : "postgres://agent:secret-word@",
      );
      const refused = await runCli(["recall", handle, "--archive", wrong], { env: store.env });
      expect(refused.code).toBeGreaterThan(0);
      expect(refused.stdout + refused.stderr).not.toContain("secret-word");
      expect(refused.stderr).toMatch(
        /check user and password|credentials come from the environment/,
      );
    });

    async function serve(
      ...args: string[]
    ): Promise<(name: string, input: object) => Promise<string>> {
      const home = temporaryFolder();
      const transport = new StdioClientTransport({
        command: process.execPath,
        args: [MAIN, "mcp", "--archive", address, ...args],
        env: { HOME: home, LONGHAUL_HOME: home, ...store.env },
      });
      const client = new Client({ name: "test", version: "1" });
      await client.connect(transport);
      onTestFinished(() => client.close());
      return async (tool, input) => {
        const { content } = await client.callTool({ name: tool, arguments: { ...input } });
        return content.map((piece) => (piece.type === "text" ? piece.text : "")).join("\n");
      };
    }

    it("mcp gives its session what that session archived, and nothing of another one", async () => {
      const call = await serve("--session", "s1");
      expect(await call("recall", { handle, lines: [2, 2] })).toMatch(/^line 2\n<archive-result/);
      expect(await call("search", { pattern: "line 299" })).toContain("line 299");
      expect(await call("search", { pattern: "needle" })).toContain("Nothing that was archived");
    });

    it("mcp --all gives everything", async () => {
      const call = await serve("--all");
      expect(await call("recall", { handle, lines: [2, 2] })).toContain("line 2");
      expect(await call("search", { pattern: "needle" })).toContain("a needle in hay");
    });
  });
}
