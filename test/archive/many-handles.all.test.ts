import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { collectGarbage } from "../../src/archive/retention.ts";
import { directoryArchive } from "../../src/archive/directory.ts";
import { everyConversation } from "../../src/archive/every-conversation.ts";
import { searchArchive } from "../../src/archive/index.ts";

const COUNT = 100_000;

let folder = "";
beforeAll(() => {
  // In memory where the system has such a place: so many files take minutes on a busy disk.
  const place = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
  folder = mkdtempSync(join(place, "longhaul-many-"));
  const own = join(folder, "default");
  mkdirSync(own);
  writeFileSync(join(own, ".used"), "");
  for (let index = 0; index < COUNT; index++) {
    const handle = handleOf(index);
    writeFileSync(join(own, `${handle}.txt`), `original ${index}`);
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function handleOf(index: number): string {
  return `out_${createHash("sha256").update(`original ${index}`).digest("hex").slice(0, 16)}`;
}

it("lists, finds, searches and collects 100,000 originals, and lets others have their turn", async () => {
  const archive = directoryArchive(folder, { retention: false });
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  const entries = await archive.list();
  clearInterval(timer);
  expect(entries).toHaveLength(COUNT);
  expect(turns).toBeGreaterThan(10);
  expect(await archive.get(handleOf(77_777))).toBe("original 77777");
  const { hits, searched } = await searchArchive(everyConversation(folder), "original 99999", {
    timeoutMs: 1e9,
  });
  expect(hits.map(({ handle }) => handle)).toEqual([handleOf(99_999)]);
  expect(searched.originals).toBe(COUNT);
  expect(await collectGarbage(folder)).toMatchObject({
    removed: { originals: 0 },
    kept: { originals: COUNT },
  });
});
