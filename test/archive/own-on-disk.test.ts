import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { COLLECTION_FOLDER } from "../../src/archive/conversation.ts";
import { collectGarbage } from "../../src/archive/retention.ts";
import { createContext } from "../../src/context/index.ts";
import { temporaryFolder } from "../cli/run-cli.ts";

const LONG = "all is well, nothing to report today\n".repeat(3_000);
const DAYS = 24 * 60 * 60 * 1_000;

/** The state folder of this test. */
function inHome(): string {
  const home = temporaryFolder();
  vi.stubEnv("LONGHAUL_HOME", home);
  return home;
}

afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

describe("a context without an archive", () => {
  it("keeps originals in a folder of its own below the state folder", async () => {
    const home = inHome();
    const [context, other] = [createContext(), createContext()];
    expect(readdirSync(home)).toEqual([]);
    const { text, entry } = await context.truncate(LONG);
    const folder = path.dirname(entry?.path ?? "");
    expect(path.dirname(folder)).toBe(path.join(home, "archive"));
    expect(path.basename(folder)).toMatch(new RegExp(`^process-${process.pid}-[0-9a-f]{16}$`));
    expect(readFileSync(entry?.path ?? "", "utf8")).toBe(LONG);
    expect(text).toContain(`read or grep a part of that file`);
    expect(await context.recall(entry?.handle ?? "")).toBe(LONG);
    expect(await other.archive.has(entry?.handle ?? "")).toBe(false);
    expect(await context.subAgent().recall(entry?.handle ?? "")).toBe(LONG);
  });

  it("keeps its folder while it is there, however long it does nothing", async () => {
    const home = inHome();
    // A collection was just made: none comes by itself between the next lines.
    mkdirSync(path.join(home, "archive", COLLECTION_FOLDER), { recursive: true });
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const context = createContext();
    const { entry } = await context.truncate(LONG);
    const stamp = path.join(path.dirname(entry?.path ?? ""), ".used");
    const collect = (): Promise<{ names: readonly string[] }> =>
      collectGarbage(path.join(home, "archive"));
    const longAgo = new Date(Date.now() - 8 * DAYS);
    utimesSync(stamp, longAgo, longAgo);
    // Two minutes on, since no use is noted within a minute of another.
    vi.spyOn(Date, "now").mockReturnValue(Date.now() + 120_000);
    await vi.advanceTimersByTimeAsync(30 * 60 * 1_000);
    vi.mocked(Date.now).mockRestore();
    expect(Date.now() - lstatSync(stamp).mtimeMs).toBeLessThan(DAYS);
    expect((await collect()).names).toEqual([]);
    expect(await context.recall(entry?.handle ?? "")).toBe(LONG);
    // Of a process that is gone, nobody renews it.
    utimesSync(stamp, longAgo, longAgo);
    expect((await collect()).names).toEqual([path.basename(path.dirname(stamp))]);
  });

  it("keeps them in memory where no folder can be made", async () => {
    const home = inHome();
    mkdirSync(home, { recursive: true });
    writeFileSync(path.join(home, "archive"), "a file in its place");
    const context = createContext();
    const { text, entry, failure } = await context.truncate(LONG);
    expect({ failure, path: entry?.path }).toEqual({ failure: undefined, path: undefined });
    expect(text).toContain(`archived as ${entry?.handle}`);
    expect(await context.recall(entry?.handle ?? "")).toBe(LONG);
    expect(await context.archive.list()).toHaveLength(1);
    const reader = await context.archive.read?.(entry?.handle ?? "");
    expect(reader?.bytes).toBe(LONG.length);
  });
});
