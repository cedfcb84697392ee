import { describe, expect, it } from "vitest";
import { transcriptFormats, WRITE_TARGETS } from "../../src/transcripts/index.ts";
import { allCommands, runProgram } from "../../src/cli/program.ts";
import { capturedIo } from "./captured-io.ts";
import { runCli } from "./run-cli.ts";

describe("formats", () => {
  it("lists each format once, by the title of its usual shape", async () => {
    const { code, stdout } = await runCli(["formats"]);
    expect(code).toBe(0);
    for (const { name } of transcriptFormats) {
      expect(stdout.match(new RegExp(`^  ${name} .+`, "gm"))).toHaveLength(1);
    }
    expect(stdout).not.toContain("by lines");
    expect(stdout).not.toContain("\u001b[");
  });

  it("is JSON on demand", async () => {
    const { stdout } = await runCli(["formats", "--json"]);
    const { version, read, write } = JSON.parse(stdout);
    expect(version).toBe(1);
    expect(write).toEqual(WRITE_TARGETS);
    expect(read.map((format: { name: string }) => format.name)).toContain("claude-code");
  });
});

describe("what is read on 80 columns", () => {
  it.each([80, undefined])(
    "has no longer line, on a terminal or in a pipe: %s",
    async (columns) => {
      const commands = await allCommands(capturedIo());
      const helps = commands.map((command) => [command.name(), "--help"]);
      for (const args of [["--help"], ["formats"], ...helps]) {
        const io = capturedIo({ columns });
        expect(await runProgram(io, args, "0")).toBe(0);
        const wide = io.lines().filter((each) => each.length > 80);
        expect({ args, wide }).toEqual({ args, wide: [] });
        expect(io.lines().length).toBeGreaterThan(5);
      }
    },
  );
});
