import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs/promises";
import { writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sha256Hex } from "../../src/archive/index.ts";
import { collectGarbage } from "../../src/archive/retention.ts";
import { directoryArchive } from "../../src/archive/directory.ts";
import { everyConversation } from "../../src/archive/every-conversation.ts";
import type { Archive, SpillFile } from "../../src/archive/archive.ts";
import { handleFor } from "../../src/core/message/index.ts";

let scratch = "";
beforeAll(async () => {
  scratch = await fs.mkdtemp(join(tmpdir(), "longhaul-spill-"));
});
afterAll(() => fs.rm(scratch, { recursive: true, force: true }));

async function newFolder(): Promise<string> {
  return join(await fs.mkdtemp(join(scratch, "case-")), "archive");
}

async function open(archive: Archive): Promise<SpillFile> {
  if (archive.open === undefined) throw new Error("this archive has no files");
  return archive.open("out");
}

async function temporaryFiles(folder: string): Promise<readonly string[]> {
  const names = await fs.readdir(folder, { recursive: true });
  return names.filter((name) => name.endsWith(".tmp"));
}

const LARGE = Buffer.from("a line of a large output\n".repeat(60_000));

describe("a spill", () => {
  it("of a child process is the child's output, byte for byte", async () => {
    const archive = directoryArchive(await newFolder());
    const spill = await open(archive);
    const child = spawnSync("sh", ["-c", "echo out; echo err >&2; echo end"], {
      stdio: ["ignore", spill.fd, spill.fd],
    });
    expect(child.status).toBe(0);
    const entry = await spill.commit();
    expect(entry.handle).toBe(handleFor("out", "out\nerr\nend\n", sha256Hex));
    expect(await fs.readFile(entry.path ?? "", "utf8")).toBe("out\nerr\nend\n");
    expect(await archive.get(entry.handle)).toBe("out\nerr\nend\n");
  });

  it("up to 1 MB is content-addressed and stored once", async () => {
    const folder = await newFolder();
    const archive = directoryArchive(folder);
    const content = "x".repeat(1_048_576);
    const put = await archive.put("out", content);
    const spill = await open(archive);
    writeSync(spill.fd, content);
    expect(await spill.commit()).toEqual(put);
    expect(await archive.list()).toEqual([put]);
    expect(await temporaryFiles(folder)).toEqual([]);
  });

  it("above 1 MB is a run with a handle of its own", async () => {
    const folder = await newFolder();
    const archive = directoryArchive(folder);
    const entries = [];
    for (const _ of [1, 2]) {
      const spill = await open(archive);
      writeSync(spill.fd, LARGE);
      entries.push(await spill.commit());
    }
    expect(entries[0]?.handle).toMatch(/^run_[0-9a-f]{16}$/);
    expect(entries[0]).toMatchObject({ kind: "run", bytes: LARGE.length });
    expect(entries[1]?.handle).not.toBe(entries[0]?.handle);
    expect(await archive.get(entries[0]?.handle ?? "")).toBe(LARGE.toString());
    expect((await archive.list()).map(({ handle }) => handle).toSorted()).toEqual(
      entries.map(({ handle }) => handle).toSorted(),
    );
    expect(await temporaryFiles(folder)).toEqual([]);
  });

  it("is not listed before it is committed, nor after it was discarded", async () => {
    const folder = await newFolder();
    const archive = directoryArchive(folder);
    const spill = await open(archive);
    writeSync(spill.fd, LARGE);
    expect(await archive.list()).toEqual([]);
    expect((await fs.stat(spill.path)).mode & 0o777).toBe(0o600);
    await spill.discard();
    await spill.discard();
    expect(await archive.list()).toEqual([]);
    expect(await temporaryFiles(folder)).toEqual([]);
    await expect(spill.commit()).rejects.toMatchObject({ code: "archive-failed" });
  });

  it("that is committed twice, or discarded afterwards, stays as it is", async () => {
    const archive = directoryArchive(await newFolder());
    const spill = await open(archive);
    writeSync(spill.fd, "text");
    const [first, second] = await Promise.all([spill.commit(), spill.commit()]);
    expect(second).toEqual(first);
    await spill.discard();
    expect(await archive.get(first.handle)).toBe("text");
  });

  it("keeps what has a content's handle from a background process that writes on", async () => {
    const archive = directoryArchive(await newFolder());
    const spill = await open(archive);
    spawnSync("sh", ["-c", "echo now; (sleep 0.3; echo later) &"], {
      stdio: ["ignore", spill.fd, spill.fd],
    });
    const { handle } = await spill.commit();
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(await archive.get(handle)).toBe("now\n");
  });
});

function spiller(...args: readonly string[]): ChildProcess {
  return spawn(process.execPath, ["test/.built/archive-spiller.js", ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
}

describe("processes", () => {
  it("that spill at once lose nothing and tear nothing", async () => {
    const folder = await newFolder();
    const names = ["one", "two", "three", "four"];
    const children = names.map(async (name) => {
      const child = spiller(folder, "150", "4096", name);
      const printed: Buffer[] = [];
      child.stdout?.on("data", (chunk: Buffer) => printed.push(chunk));
      const [code] = await once(child, "close");
      return {
        code: code as unknown,
        handles: Buffer.concat(printed).toString().trim().split("\n"),
      };
    });
    for (const [index, { code, handles }] of (await Promise.all(children)).entries()) {
      expect(code).toBe(0);
      const archive = directoryArchive(folder, { conversation: names[index] ?? "" });
      expect((await archive.list()).map(({ handle }) => handle).toSorted()).toEqual(
        handles.toSorted(),
      );
      expect(new Set(handles).size).toBe(150);
      for (const handle of handles) {
        const text = await archive.get(handle);
        const [word = "", number = ""] = text.split(" ");
        expect(word).toBe(names[index]);
        expect(text === `${word} ${number} `.repeat(4096).slice(0, 4096)).toBe(true);
      }
    }
    expect(await temporaryFiles(folder)).toEqual([]);
  });

  it.each(["100", "3000000"])(
    "killed after writing %s bytes leave nothing that is listed, and nothing at all later",
    async (bytes) => {
      const folder = await newFolder();
      const child = spiller(folder, "hold", bytes, "one");
      if (child.stdout !== null) await once(child.stdout, "data");
      child.kill("SIGKILL");
      await once(child, "close");
      expect(await temporaryFiles(folder)).toHaveLength(1);
      const archive = directoryArchive(folder, { conversation: "one", retention: false });
      expect(await archive.list()).toEqual([]);
      await archive.put("out", "something");
      const then = new Date(Date.now() - 2 * 86_400_000);
      for (const name of await temporaryFiles(folder)) {
        await fs.utimes(join(folder, name), then, then);
      }
      await collectGarbage(folder);
      expect(await temporaryFiles(folder)).toEqual([]);
      expect(await archive.list()).toHaveLength(1);
    },
  );

  it("killed at any moment leave whole originals only", async () => {
    const folder = await newFolder();
    for (const wait of [0, 5, 11, 23]) {
      const child = spiller(folder, "100000", "2000", "one");
      if (child.stdout !== null) await once(child.stdout, "data");
      await new Promise((resolve) => setTimeout(resolve, wait));
      child.kill("SIGKILL");
      await once(child, "close");
    }
    const archive = directoryArchive(folder, { conversation: "one" });
    const entries = await archive.list();
    expect(entries.length).toBeGreaterThan(0);
    for (const { handle } of entries) expect(await archive.get(handle)).toHaveLength(2000);
  });
});

describe("a planted symbolic link", () => {
  it("in place of a conversation is refused", async () => {
    const outside = await fs.mkdtemp(join(scratch, "outside-"));
    const folder = await newFolder();
    await fs.mkdir(folder, { recursive: true });
    await fs.symlink(outside, join(folder, "one"));
    const archive = directoryArchive(folder, { conversation: "one" });
    await expect(open(archive)).rejects.toMatchObject({ code: "archive-failed" });
    await expect(archive.put("out", "x")).rejects.toMatchObject({ code: "archive-failed" });
    await expect(archive.journal!.append({})).rejects.toMatchObject({ code: "archive-failed" });
    await expect(archive.journal!.read()).rejects.toMatchObject({ code: "archive-failed" });
    expect(await fs.readdir(outside)).toEqual([]);
  });
});

it("everyConversation reads what any of them archived, and leaves no trace of it", async () => {
  const folder = await newFolder();
  const put = async (conversation: string, content: string): Promise<string> => {
    const archive = directoryArchive(folder, { conversation, retention: false });
    return (await archive.put("out", content)).handle;
  };
  const handles = [
    await put("one", "first"),
    await put("two", "second"),
    await put("two", "first"),
  ];
  const before = await fs.readdir(folder, { recursive: true });
  const all = everyConversation(folder);
  expect((await all.list()).map(({ handle }) => handle).toSorted()).toEqual(
    [...new Set(handles)].toSorted(),
  );
  expect(await everyConversation(folder).get(handles[1] ?? "")).toBe("second");
  expect(await all.has("out_0123456789abcdef")).toBe(false);
  expect(await all.has("../x")).toBe(false);
  await expect(all.get("out_0123456789abcdef")).rejects.toMatchObject({ code: "unknown-handle" });
  expect(await fs.readdir(folder, { recursive: true })).toEqual(before);
});
