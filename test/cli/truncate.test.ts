import { closeSync, openSync, readFileSync } from "node:fs";
import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { truncateCommand } from "../../src/cli/truncate.ts";
import { capturedIo } from "./captured-io.ts";
import { runCli, temporaryFolder } from "./run-cli.ts";

/** The command in this process, with an output on its stdin. */
async function truncated(
  input: string,
  flags: Parameters<typeof truncateCommand>[2] = {},
  env: Readonly<Record<string, string>> = { LONGHAUL_HOME: temporaryFolder() },
): Promise<string> {
  const io = capturedIo({ env });
  await truncateCommand(io, Readable.from([Buffer.from(input)]), flags);
  return io.text();
}

const LINES = Array.from({ length: 5_000 }, (_, at) => `${at + 1}\n`).join("");

describe("longhaul truncate", () => {
  it.each(["", "short\n", "no line end", "crlf\r\nand more\r\n"])(
    "lets %j through as it is",
    async (input) => {
      expect(await truncated(input)).toBe(input);
    },
  );

  it("prints the end of a large output and where the whole is", async () => {
    const run = await runCli(["truncate"], { input: LINES });
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(run.stdout).toMatch(/^3001\n3002\n/);
    expect(run.stdout).toContain("\n5000\n<tool-output-truncated ");
    const file = /whole output is in (\S+)\. /.exec(run.stdout)![1]!;
    expect(readFileSync(file, "utf8")).toBe(LINES);
  });

  it("does not cut its own result again", async () => {
    const env = { LONGHAUL_HOME: temporaryFolder() };
    const stdout = await truncated(LINES, {}, env);
    expect(stdout.endsWith("</tool-output-truncated>\n")).toBe(true);
    expect(await truncated(stdout, {}, env)).toBe(stdout);
  });

  it("keeps both ends within limits of its own", async () => {
    const args = ["truncate", "--direction", "both", "--max-lines", "10", "--max-bytes", "1000"];
    const { stdout } = await runCli(args, { input: LINES });
    expect(stdout).toMatch(/^1\n2\n/);
    expect(stdout).toContain("\n5000\n<tool-output-truncated ");
    expect(stdout.slice(0, stdout.indexOf("<tool-output-truncated")).split("\n")).toHaveLength(11);
  });

  it("prints JSON", async () => {
    expect(JSON.parse(await truncated(LINES, { json: true }))).toMatchObject({
      version: 1,
      isTruncated: true,
      total: { lines: 5_000, bytes: LINES.length },
      kept: { lines: 2_000 },
      warnings: [],
    });
  });

  it("prints the preview also when nothing can be kept", async () => {
    const stdout = await truncated(LINES, {}, { LONGHAUL_HOME: "/dev/null" });
    expect(stdout).toMatch(/^3001\n/);
    expect(stdout).toContain("was not kept");
  });

  it("is wrong usage where nothing is piped into it", async () => {
    const run = await runCli(["truncate"], { stdin: "ignore" });
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr).toContain("There is nothing to read on stdin.");
  });

  it.each([
    ["a folder", () => openSync(temporaryFolder(), "r"), "it is a folder"],
    ["a file that cannot be read", () => openSync(`${temporaryFolder()}/log`, "w"), "EBADF"],
  ])("says so where stdin is %s", async (_, open, why) => {
    const stdin = open();
    const run = await runCli(["truncate"], { stdin });
    closeSync(stdin);
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr).toMatch(new RegExp(`^longhaul: Nothing could be read on stdin: ${why}\\.`));
  });

  it("says so where the very first read fails", async () => {
    const io = capturedIo({ env: { LONGHAUL_HOME: temporaryFolder() } });
    const broken = new Readable({
      read() {
        this.destroy(Object.assign(new Error("EIO: i/o error, read"), { code: "EIO" }));
      },
    });
    await expect(truncateCommand(io, broken, { json: true })).rejects.toMatchObject({
      code: "unreadable-file",
      details: { code: "EIO" },
    });
    expect(io.text()).toBe("");
  });

  it("prints what came before its source broke, and says so", async () => {
    const io = capturedIo({ env: { LONGHAUL_HOME: temporaryFolder() } });
    const broken = Readable.from(
      (function* () {
        yield "begun\n";
        throw new Error("gone");
      })(),
    );
    await truncateCommand(io, broken, {});
    expect(io.text()).toMatch(/^begun\n\[The output ended early \(gone\)/);
  });
});
