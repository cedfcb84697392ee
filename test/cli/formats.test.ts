import { describe, expect, it } from "vitest";
import { transcriptFormats, WRITE_TARGETS } from "../../src/transcripts/index.ts";
import { runProgram } from "../../src/cli/program.ts";
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
  const commands = ["compact", "inspect", "run", "truncate", "recall", "gc", "formats"];
  const asked = [["--help"], ["formats"], ...commands.map((command) => [command, "--help"])];

  it.each(asked.map((args) => args.join(" ")))("has no longer line: %s", async (line) => {
    const io = capturedIo({ columns: 80 });
    expect(await runProgram(io, line.split(" "), "0")).toBe(0);
    expect(io.lines().filter((each) => each.length > 80)).toEqual([]);
    expect(io.lines().length).toBeGreaterThan(5);
  });
});
