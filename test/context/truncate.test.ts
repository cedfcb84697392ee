import { describe, expect, it } from "vitest";
import type { Archive } from "../../src/archive/archive.ts";
import { memoryArchive } from "../../src/archive/index.ts";
import { createContext } from "../../src/context/index.ts";
import { ContextError } from "../../src/core/error.ts";

/** An archive whose medium is full. */
function fullArchive(): Archive {
  return {
    ...memoryArchive(),
    put: () => Promise.reject(new ContextError("archive-failed", "No space left on the device.")),
  };
}

describe("truncate", () => {
  const output = "line\n".repeat(3_000);

  it("keeps the end of a large output and archives the whole", async () => {
    const context = createContext();
    const { text, entry, truncation } = await context.truncate(output);
    expect(text).toMatch(/^(?:line\n){2000}<tool-output-truncated /);
    expect(truncation.omitted).toMatchObject({ fromLine: 1, toLine: 1_000 });
    expect(await context.recall(entry?.handle ?? "")).toBe(output);
    expect(await context.truncate("short")).toMatchObject({ text: "short" });
    expect(await context.archive.list()).toHaveLength(1);
  });

  it("takes limits and direction from the tool, the options and the call", async () => {
    const context = createContext({ toolLimits: { mine: { maxLines: 3 } } });
    const mine = await context.truncate(output, { toolName: "mine", direction: "head" });
    expect(mine.truncation).toMatchObject({ direction: "head", kept: { lines: 3 } });
    const read = await context.truncate(output, { toolName: "read" });
    expect(read.truncation.direction).toBe("head");
  });

  it("leaves a small window room for other outputs, unless a limit says otherwise", async () => {
    const lines = `${"x".repeat(99)}\n`.repeat(600);
    const bytesIn = async (window: number, maxBytes?: number): Promise<number> => {
      const context = createContext({ window, toolLimits: { mine: { maxBytes } } });
      const { truncation } = await context.truncate(lines, { toolName: "mine" });
      return truncation.kept.bytes;
    };
    expect(await bytesIn(30_000)).toBeLessThanOrEqual(12_000);
    expect(await bytesIn(30_000)).toBeGreaterThan(11_000);
    expect(await bytesIn(30_000, 40_000)).toBe(40_000);
    expect(await bytesIn(200_000)).toBe(50_000);
  });

  it("says so when the archive is full, tells the listeners, and goes on", async () => {
    const context = createContext({ archive: fullArchive() });
    const failed: string[] = [];
    const truncated: string[] = [];
    context.on("failed", ({ code }) => failed.push(code));
    context.on("truncated", ({ toolName }) => truncated.push(toolName));
    const { text, entry, failure } = await context.truncate(output, { toolName: "bash" });
    expect(text).toContain("The rest was not kept (No space left on the device.)");
    expect(entry).toBeUndefined();
    expect(failure?.code).toBe("archive-failed");
    expect({ failed, truncated }).toEqual({ failed: ["archive-failed"], truncated: ["bash"] });
  });
});
