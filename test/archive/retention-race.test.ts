import { AsyncLocalStorage } from "node:async_hooks";
import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  collectGarbage,
  type GarbageReport,
  type RetentionOptions,
} from "../../src/archive/retention.ts";
import { directoryArchive } from "../../src/archive/directory.ts";
import type { Archive } from "../../src/archive/index.ts";

/** What a collection is to do before one of its calls to the file system. */
interface Gate {
  calls: number;
  before(call: number, path: unknown): Promise<void>;
}

const gates = vi.hoisted(() => ({
  current: undefined as { getStore(): Gate | undefined } | undefined,
}));

vi.mock("node:fs/promises", async (importOriginal) => {
  const real = await importOriginal<Record<string, unknown>>();
  const gated = (name: string, call: (...args: unknown[]) => unknown): unknown =>
    name === "constants"
      ? call
      : async (...args: unknown[]) => {
          const gate = gates.current?.getStore();
          if (gate !== undefined) await gate.before(gate.calls++, args[0]);
          return call(...args);
        };
  const entries = Object.entries(real).map(([name, value]) => [
    name,
    typeof value === "function" ? gated(name, value as (...args: unknown[]) => unknown) : value,
  ]);
  return Object.fromEntries(entries) as object;
});

const HOUR = 60 * 60 * 1000;
const OLD = 8 * 24 * HOUR;
const CONVERSATION = "paused";

const collecting = new AsyncLocalStorage<Gate>();
let scratch = "";
beforeAll(async () => {
  gates.current = collecting;
  scratch = await fs.mkdtemp(join(tmpdir(), "longhaul-race-"));
});
afterAll(() => fs.rm(scratch, { recursive: true, force: true }));

interface Case {
  readonly folder: string;
  readonly handle: string;
}

/** An archive with one conversation that nobody has used for 8 days. */
async function paused(): Promise<Case> {
  const folder = await fs.mkdtemp(join(scratch, "case-"));
  const archive = directoryArchive(folder, { conversation: CONVERSATION, retention: false });
  const { handle } = await archive.put("out", "old");
  await archive.put("out", "older");
  const then = new Date(Date.now() - OLD);
  await fs.utimes(join(folder, CONVERSATION, ".used"), then, then);
  return { folder, handle };
}

function resumed(folder: string): Archive {
  return directoryArchive(folder, { conversation: CONVERSATION, retention: false });
}

interface Coming {
  readonly at: number;
  readonly come: () => Promise<void>;
  readonly limits?: RetentionOptions;
}

/** Collects, and lets somebody come before the given call to the file system. */
async function collectWith(
  folder: string,
  { at, come, limits }: Coming,
): Promise<{ report: GarbageReport; calls: number }> {
  let coming: Promise<void> | undefined;
  const gate: Gate = {
    calls: 0,
    async before(call) {
      if (call !== at) return;
      coming = collecting.exit(come);
      // Whoever has to wait until the collection is over waits no longer than this.
      await Promise.race([coming, new Promise((resolve) => setTimeout(resolve, 40))]);
    },
  };
  const report = await collecting.run(gate, () => collectGarbage(folder, limits));
  await coming;
  return { report, calls: gate.calls };
}

/** Runs a case for every moment of a collection at which somebody can come. */
async function atEveryMoment(run: (found: Case, at: number) => Promise<number>): Promise<void> {
  let moments = 1;
  for (let at = 0; at < moments; at++) moments = await run(await paused(), at);
  expect(moments).toBeGreaterThan(10);
}

describe("a conversation that becomes live while garbage is collected", () => {
  it("keeps what it stores, at whatever moment", async () => {
    await atEveryMoment(async ({ folder, handle }, at) => {
      const { calls } = await collectWith(folder, {
        at,
        come: async () => void (await resumed(folder).put("out", "old")),
      });
      expect(await resumed(folder).get(handle), `at call ${at}`).toBe("old");
      return calls;
    });
  });

  it("is told that an original is gone only when it is", async () => {
    await atEveryMoment(async ({ folder, handle }, at) => {
      let isFound = false;
      const come = async (): Promise<void> => {
        const archive = resumed(folder);
        await archive.list();
        isFound = await archive.get(handle).then(
          () => true,
          () => false,
        );
      };
      const { calls } = await collectWith(folder, { at, come });
      expect(await resumed(folder).has(handle), `at call ${at}`).toBe(isFound);
      return calls;
    });
  });
});

it("is given its journal, or learns that there is none any more", async () => {
  await atEveryMoment(async ({ folder }, at) => {
    const journal = resumed(folder).journal!;
    await journal.append({ first: 1 });
    const then = new Date(Date.now() - OLD);
    await fs.utimes(join(folder, CONVERSATION, ".used"), then, then);
    let found: readonly unknown[] = [];
    const limits = { maxAgeMs: 7 * 24 * HOUR };
    const come = async (): Promise<void> => {
      found = await resumed(folder).journal!.read();
      await resumed(folder).journal!.append({ second: 2 });
    };
    const { calls } = await collectWith(folder, { at, come, limits });
    const left = await resumed(folder).journal!.read();
    expect(left, `at call ${at}`).toEqual([...found, { second: 2 }]);
    return calls;
  });
});

it("leaves a conversation that cannot be read alone, says so, and collects the others", async () => {
  const { folder } = await paused();
  const theirs = join(folder, "theirs");
  await directoryArchive(folder, { conversation: "theirs", retention: false }).put("out", "x");
  const gate: Gate = {
    calls: 0,
    async before(_, path) {
      if (path === theirs) throw Object.assign(new Error("EACCES"), { code: "EACCES" });
    },
  };
  const report = await collecting.run(gate, () => collectGarbage(folder));
  expect(report.removed.originals).toBe(2);
  expect(report.warnings).toEqual([expect.stringContaining("could not be read")]);
  expect(report.warnings[0]).toContain("theirs");
});

it("says what could not be removed, and leaves it where it can be found", async () => {
  const { folder, handle } = await paused();
  const gate: Gate = {
    calls: 0,
    async before(_, path) {
      const isOne = typeof path === "string" && path.endsWith(`${handle}.txt`);
      if (isOne) throw Object.assign(new Error("EPERM"), { code: "EPERM" });
    },
  };
  const report = await collecting.run(gate, () => collectGarbage(folder));
  expect(report.removed.conversations).toBe(0);
  expect(report.warnings).toEqual([expect.stringContaining("EPERM")]);
  expect(await resumed(folder).get(handle)).toBe("old");
});
