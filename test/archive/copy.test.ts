import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { copyArchive, type CopyReport } from "../../src/archive/copy.ts";
import { openArchive } from "../../src/archive/open.ts";
import { sha256OfBytes } from "../../src/archive/digest.ts";
import { runHere } from "../cli/run-cli.ts";

const IDS = ["plain", "Upper Case/..", "日本", "x".repeat(200), "default"];

function newFolder(): string {
  return mkdtempSync(join(tmpdir(), "longhaul-copy-"));
}

/** An archive with a few conversations. */
async function filled(): Promise<string> {
  const folder = newFolder();
  const archive = await openArchive(folder);
  for (const id of IDS) {
    const own = archive.conversation(id);
    await own.put("out", `the output of ${id}`);
    await own.put("head", "shared\n");
    await own.journal?.append({ version: 1, id });
    await own.journal?.append({ version: 1, second: "\u0000" });
  }
  // A spill may hold bytes that are no text.
  const spill = await archive.conversation("plain").open?.("out");
  writeFileSync(spill?.fd ?? -1, Buffer.from([0xff, 0xfe, 0, 10]));
  await spill?.commit();
  return folder;
}

async function copy(from: string, to: string, ...ids: string[]): Promise<CopyReport> {
  const conversations = ids.length > 0 ? ids : undefined;
  return copyArchive(await openArchive(from), await openArchive(to), { conversations });
}

/** Every original and journal, by the name of its folder and file. */
function filesIn(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const files = names.filter((name) => statSync(join(folder, name)).isFile());
  const kept = files.filter((name) => !/\.used$|\.gc/.test(name)).toSorted();
  return Object.fromEntries(
    kept.map((name) => [name, sha256OfBytes(readFileSync(join(folder, name)))]),
  );
}

describe("copyArchive", () => {
  it("copies all conversations, byte for byte, and nothing the second time", async () => {
    const [from, to] = [await filled(), newFolder()];
    const first = await copy(from, to);
    expect(first).toMatchObject({ conversations: 5, originals: 11, copied: 11, problems: [] });
    expect([first.entries, first.appended]).toEqual([10, 10]);
    expect(filesIn(to)).toEqual(filesIn(from));
    expect(await copy(from, to)).toMatchObject({ originals: 11, copied: 0, bytes: 0, appended: 0 });
    expect(filesIn(to)).toEqual(filesIn(from));
  });

  it("goes on with what came since, and leaves what went on there", async () => {
    const [from, to] = [await filled(), newFolder()];
    await copy(from, to);
    await (await openArchive(from)).conversation("plain").journal?.append({ third: true });
    await (await openArchive(from)).conversation("plain").put("msg", "new");
    expect(await copy(from, to)).toMatchObject({ copied: 1, appended: 1, problems: [] });
    expect(filesIn(to)).toEqual(filesIn(from));
    await (await openArchive(to)).conversation("plain").journal?.append({ fourth: true });
    expect(await copy(from, to)).toMatchObject({ appended: 0, problems: [] });
    const { journal } = (await openArchive(to)).conversation("plain");
    expect(await journal?.read()).toHaveLength(4);
  });

  it("copies only what it is told to", async () => {
    const [from, to] = [await filled(), newFolder()];
    expect(await copy(from, to, "日本")).toMatchObject({ conversations: 1, originals: 2 });
    expect(await (await openArchive(to)).conversations()).toEqual(["日本"]);
  });

  it("mixes no two journals, and copies all else", async () => {
    const [from, to] = [await filled(), newFolder()];
    await (await openArchive(to)).conversation("日本").journal?.append({ another: 1 });
    const { problems, conversations } = await copy(from, to);
    expect(problems).toEqual([
      { conversation: "日本", problem: expect.stringContaining("another journal") as string },
    ]);
    expect(conversations).toBe(5);
    expect(await (await openArchive(to)).conversation("日本").list()).toEqual([]);
    expect(await (await openArchive(to)).conversation("plain").list()).toHaveLength(3);
  });

  it.each(["from", "to"] as const)("finds what was altered: %s", async (where) => {
    const folders = { from: await filled(), to: newFolder() };
    await copy(folders.from, folders.to, "plain");
    const [entry] = await (await openArchive(folders[where])).conversation("plain").list();
    writeFileSync(entry?.path ?? "", "something else");
    const { problems } = await copy(folders.from, folders.to);
    expect(problems).toEqual([
      { conversation: "plain", problem: expect.stringContaining(entry?.handle ?? "?") as string },
    ]);
  });

  it("stores no entry whose originals are missing", async () => {
    const [from, to] = [await filled(), newFolder()];
    const [entry] = await (await openArchive(from)).conversation("plain").list();
    writeFileSync(entry?.path ?? "", "something else");
    expect((await copy(from, to, "plain")).appended).toBe(0);
    expect(await (await openArchive(to)).conversation("plain").journal?.read()).toEqual([]);
  });
});

describe("longhaul archive copy", () => {
  it("says what it did, for people and for programs", async () => {
    const [from, to] = [await filled(), newFolder()];
    const run = await runHere(["archive", "copy", from, to]);
    expect([run.code, run.stderr]).toEqual([0, ""]);
    expect(run.stdout).toContain("5 conversations, 11 originals compared by SHA-256: 11 copied");
    const again = await runHere(["archive", "copy", from, to, "--json"]);
    expect(JSON.parse(again.stdout)).toMatchObject({ version: 1, from, to, copied: 0 });
  });

  it("fails where it could not copy all, and says what", async () => {
    const [from, to] = [await filled(), newFolder()];
    await (await openArchive(to)).conversation("plain").journal?.append({ another: 1 });
    const run = await runHere(["archive", "copy", from, to]);
    expect(run.code).toBe(1);
    expect(run.stderr).toContain('conversation "plain": has another journal there');
  });

  it.each([
    [["copy", "nowhere-at-all", "x"], "holds nothing of a conversation"],
    [["copy", "mysql://user:hidden-word@host/x", "x"], "no archive for mysql"],
    [["move", "a", "b"], "Allowed choices are copy"],
    [["copy", "a"], "missing required argument"],
  ])("refuses %j", async (args, problem) => {
    const run = await runHere(["archive", ...args], { cwd: newFolder() });
    expect(run.code).toBe(2);
    expect(run.stderr).toContain(problem);
    expect(run.stderr).not.toContain("hidden-word");
  });
});
