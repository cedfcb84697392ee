import { describe, expect, it } from "vitest";
import {
  commandDirection,
  DEFAULT_LIMITS,
  outputLimits,
  toolLimits,
  truncateOutput,
} from "../../../src/core/truncate/index.ts";
import { checkToolLimits } from "../../../src/core/truncate/limits.ts";

describe("toolLimits", () => {
  it.each([
    ["read_file", "head"],
    ["grep", "head"],
    ["webfetch", "head"],
    ["bash", "both"],
    ["task", "both"],
    ["runTests", "both"],
    ["kubectl_logs", "both"],
    ["type-check", "tail"],
    ["typecheck", "head"],
    ["build_project", "head"],
    ["latest_weather", "tail"],
    ["anything_else", "tail"],
    ["", "tail"],
  ])("keeps of %s: %s", (tool, direction) => {
    expect(toolLimits(tool)).toEqual({ limits: DEFAULT_LIMITS, direction });
  });

  it("takes overrides by name, and by * for the others", () => {
    const overrides = {
      bash: { maxLines: 10 },
      "*": { maxBytes: 500, direction: "head" },
    } as const;
    expect(toolLimits("bash", overrides)).toEqual({
      limits: { maxLines: 10, maxBytes: 50_000 },
      direction: "both",
    });
    expect(toolLimits("mine", overrides)).toEqual({
      limits: { maxLines: 2_000, maxBytes: 500 },
      direction: "head",
    });
    expect(toolLimits("toString", {}).direction).toBe("tail");
  });

  it("asks the caller's kinds first", () => {
    expect(toolLimits("mine", {}, { toolKinds: { mine: "read" } }).direction).toBe("head");
  });

  it("refuses limits that leave nothing", () => {
    expect(() => toolLimits("bash", { bash: { maxLines: 0 } })).toThrow(/maxLines is 0/);
  });
});

describe("the direction of a shell command", () => {
  it.each([
    ["tsc --noEmit", "head"],
    ["cd app && npx tsc -p .", "head"],
    ["NODE_ENV=test npx eslint src", "head"],
    ["cargo build --release", "head"],
    ["make -j8", "head"],
    ["cd app && make -j8;\n", "head"],
    ["timeout 300 make || true", "head"],
    ["true", "both"],
    ["\n;", "both"],
    ["npm run build", "head"],
    ["make test", "both"],
    ["cargo test", "both"],
    ["npm test", "both"],
    ["tsc | tail -5", "both"],
    ["tsc && node dist/main.js", "both"],
    ["docker logs app", "both"],
    ["cat Makefile", "both"],
    ["", "both"],
  ])("%s: %s", (command, direction) => expect(commandDirection(command)).toBe(direction));

  it("is read from the call's input", () => {
    expect(toolLimits("bash", {}, { input: { command: "tsc" } }).direction).toBe("head");
    expect(toolLimits("shell", {}, { input: { command: ["tsc", "-p", "."] } }).direction).toBe(
      "head",
    );
    expect(toolLimits("bash", {}, { input: null }).direction).toBe("both");
  });

  // Anything quadratic in a megabyte would be stopped by the runner.
  it.each([
    "npx ".repeat(300_000),
    "timeout 1 ".repeat(100_000),
    `mvn ${"compil ".repeat(300_000)}`,
    "a=".repeat(500_000),
  ])("comes to an end for an odd command: %.12s…", (command) => {
    expect(["head", "tail", "both"]).toContain(commandDirection(command));
  });
});

describe("limits for a command", () => {
  const overrides = {
    bash: { maxLines: 500, maxBytes: 20_000 },
    "$ cargo": { maxLines: 3_000 },
    "$ cargo build": { maxLines: 9_000, direction: "head" as const },
    "$ make": { maxBytes: 900 },
  };
  const linesOf = (command: unknown, toolName = "bash"): number =>
    toolLimits(toolName, overrides, { input: { command } }).limits.maxLines;

  it.each([
    ["cargo build --release", 9_000],
    ["cd crates/a && RUST_LOG=1 cargo   build 2>&1", 9_000],
    [["cargo", "build"], 9_000],
    [["bash", "-lc", "cargo build"], 9_000],
    ["sudo -E timeout -k 5 60s cargo build", 9_000],
    ["nice -n 10 cargo build || true", 9_000],
    ["cargo test", 3_000],
    ["cargo build | tail -5", 500],
    ["cargo buildx", 3_000],
    ["echo cargo build", 500],
    ["", 500],
  ])("%j: %s lines", (command, lines) => expect(linesOf(command)).toBe(lines));

  it("goes before the tool's own field by field, and is for shell tools alone", () => {
    expect(toolLimits("bash", overrides, { input: { command: "make -j8" } })).toEqual({
      limits: { maxLines: 500, maxBytes: 900 },
      direction: "head",
    });
    expect(linesOf("cargo build", "read_file")).toBe(DEFAULT_LIMITS.maxLines);
    expect(
      outputLimits({ toolName: "bash", input: { command: "cargo build" } }, overrides),
    ).toEqual({ limits: { maxLines: 9_000, maxBytes: 20_000 }, direction: "head" });
  });

  it("has words and limits that make sense", () => {
    for (const name of ["$", "$ ", "$cargo build"]) {
      expect(() => checkToolLimits({ [name]: {} })).toThrow(/no command/);
    }
    expect(() => checkToolLimits({ "$ cargo build": { maxLines: 0 } })).toThrow(/maxLines/);
  });
});

describe("outputLimits", () => {
  it("puts what the call says above the overrides, field by field", () => {
    const overrides = { bash: { maxLines: 10, maxBytes: 900 } };
    expect(outputLimits({ toolName: "bash", maxBytes: 500, direction: "tail" }, overrides)).toEqual(
      {
        limits: { maxLines: 10, maxBytes: 500 },
        direction: "tail",
      },
    );
  });
});

describe("truncateOutput", () => {
  it("returns what fits as it is, and nothing to store", () => {
    expect(truncateOutput("a\nb\n")).toEqual({
      text: "a\nb\n",
      truncation: expect.objectContaining({ isTruncated: false }) as object,
    });
  });

  it("returns the kept part with its notice, and the original to store", () => {
    const output = "one\ntwo\nthree\n";
    const { text, original } = truncateOutput(output, {
      toolName: "read",
      maxLines: 2,
      target: { path: "/a/b.txt" },
    });
    expect(text).toMatch(/^one\ntwo\n<tool-output-truncated lines="3"/);
    expect(text).toContain("sed -n '3,3p' /a/b.txt");
    expect(original).toBe(output);
  });

  it("says that the rest was not kept unless it is told where", () => {
    expect(truncateOutput("one\ntwo\n", { maxLines: 1 }).text).toContain("The rest was not kept.");
  });
});
