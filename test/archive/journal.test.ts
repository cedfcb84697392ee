import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { directoryArchive } from "../../src/archive/directory.ts";

const newFolder = (): string => mkdtempSync(join(tmpdir(), "longhaul-journal-"));

describe("the journal of a conversation", () => {
  it("keeps large entries whole that several writers add at once", async () => {
    const folder = newFolder();
    const writers = [0, 1, 2].map(() => directoryArchive(folder, { conversation: "shared" }));
    const entries = writers.flatMap((writer, at) =>
      [0, 1, 2].map((count) => ({ writer, entry: { at, count, text: `${at}`.repeat(1_500_000) } })),
    );
    await Promise.all(entries.map(({ writer, entry }) => writer.journal!.append(entry)));
    const read = (await writers[0]!.journal!.read()) as typeof entries;
    expect(read).toHaveLength(entries.length);
    expect(new Set(read.map((each) => JSON.stringify(each)))).toEqual(
      new Set(entries.map(({ entry }) => JSON.stringify(entry))),
    );
  });

  it("leaves out a line that was torn, and does not join the next one to it", async () => {
    const folder = newFolder();
    const { journal } = directoryArchive(folder, { conversation: "torn" });
    await journal!.append({ first: 1 });
    appendFileSync(join(folder, "torn", "journal.jsonl"), '{"second":');
    await journal!.append({ third: 3 });
    expect(await journal!.read()).toEqual([{ first: 1 }, { third: 3 }]);
  });

  it("counts its entries for all who read it, those of others and of a new beginning, too", async () => {
    const folder = newFolder();
    const [one, other] = [1, 2].map(
      () => directoryArchive(folder, { conversation: "counted" }).journal!,
    );
    expect(await one!.count!()).toBe(0);
    for (const text of ["a", "\n", "é".repeat(9_000)]) {
      await one!.append({ text });
      await other!.append({ text });
      expect(await other!.count!()).toBe((await one!.read()).length);
      expect(await one!.count!()).toBe(await other!.count!());
    }
    expect(await one!.count!()).toBe(6);
    rmSync(join(folder, "counted"), { recursive: true });
    await other!.append({ anew: true });
    expect([await one!.count!(), await other!.count!()]).toEqual([1, 1]);
  });

  it("counts those of a long journal without holding it, nor anybody up", async () => {
    const folder = newFolder();
    const path = join(folder, "long", "journal.jsonl");
    mkdirSync(join(folder, "long"));
    writeFileSync(path, '{"first":1}\n');
    truncateSync(path, 64 * 2 ** 20);
    appendFileSync(path, '\n{"third":3}\n');
    const { journal } = directoryArchive(folder, { conversation: "long" });
    const held = (): number => process.memoryUsage().arrayBuffers;
    const before = held();
    const samples: number[] = [];
    let isDone = false;
    const sample = (): void => {
      samples.push(held() - before);
      if (!isDone) setImmediate(sample);
    };
    setImmediate(sample);
    expect(await journal!.count!()).toBe(3);
    isDone = true;
    expect(samples.length).toBeGreaterThan(32);
    expect(Math.max(...samples)).toBeLessThan(16 * 2 ** 20);
    rmSync(folder, { recursive: true });
  });
});
