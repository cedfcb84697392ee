import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { directoryArchive } from "../../../src/archive/directory.ts";
import { ownHolder } from "../../../src/archive/files/holder.ts";
import { removalName } from "../../../src/archive/files/layout.ts";
import { createMark } from "../../../src/archive/retention/live.ts";
import { isRemoving, whileRemoving } from "../../../src/archive/retention/removals.ts";

let scratch = "";
beforeAll(async () => {
  scratch = await fs.mkdtemp(join(tmpdir(), "longhaul-live-"));
});
afterAll(() => fs.rm(scratch, { recursive: true, force: true }));

async function newFolder(): Promise<string> {
  return fs.mkdtemp(join(scratch, "case-"));
}

async function isMarked(folder: string): Promise<boolean> {
  return (await fs.readdir(folder)).includes(`.open.${ownHolder()}`);
}

describe("the mark of a conversation that is used", () => {
  it("is there before anything is looked for, also by a second use at the same time", async () => {
    const folder = await newFolder();
    let make = (): void => undefined;
    const made = new Promise<void>((resolve) => (make = resolve));
    const mark = createMark(folder, () => made);
    const first = mark("write");
    const seen: boolean[] = [];
    const second = mark("read").then(async () => seen.push(await isMarked(folder)));
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(seen).toEqual([]);
    make();
    await Promise.all([first, second]);
    expect(seen).toEqual([true]);
  });

  it("is made by whoever writes where a reader had nothing to mark", async () => {
    const folder = join(await newFolder(), "new");
    const mark = createMark(folder, async () => void (await fs.mkdir(folder, { recursive: true })));
    await Promise.all([mark("read"), mark("write")]);
    expect(await isMarked(folder)).toBe(true);
  });

  it("is made again when somebody removed it while something was removed", async () => {
    const folder = await newFolder();
    const name = join(folder, `.open.${ownHolder()}`);
    let marked: Promise<void> | undefined;
    await whileRemoving(folder, async () => {
      marked = createMark(folder, async () => undefined)("write");
      await new Promise((resolve) => setTimeout(resolve, 10));
      await fs.unlink(name);
    });
    await marked;
    expect(await isMarked(folder)).toBe(true);
  });
});

describe("who comes while something is removed", () => {
  it("waits, and is not kept waiting by what a dead or a stopped process left", async () => {
    const folder = await newFolder();
    const dead = ownHolder().replace(/\.\d+\.\d+$/, ".4194304.7");
    const old = new Date(Date.now() - 120_000);
    const left = [dead, ownHolder(), "00000000.1.1"].map((holder, index) =>
      join(folder, removalName(holder, `${index}`.repeat(16))),
    );
    for (const path of left) await fs.writeFile(path, "");
    for (const path of left.slice(1)) await fs.utimes(path, old, old);
    expect(isRemoving(folder)).toBe(false);
    await fs.utimes(left[1]!, new Date(), new Date());
    expect(isRemoving(folder)).toBe(true);
  });

  it("goes on after a while, whatever the other one does", async () => {
    const folder = await newFolder();
    let end = (): void => undefined;
    const removing = whileRemoving(folder, () => new Promise<void>((resolve) => (end = resolve)));
    const archive = directoryArchive(folder, { retention: false });
    expect((await archive.put("out", "x")).bytes).toBe(1);
    end();
    await removing;
  });
});
