import { execFileSync, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { directoryArchive } from "../../src/archive/directory.ts";
import { describeArchive } from "../conformance/describe-archive.ts";

let scratch = "";
beforeAll(async () => {
  scratch = await fs.mkdtemp(join(tmpdir(), "longhaul-archive-"));
});
afterAll(() => fs.rm(scratch, { recursive: true, force: true }));

async function newFolder(): Promise<string> {
  return join(await fs.mkdtemp(join(scratch, "case-")), "state", "archive");
}

/** Without the stamps of the conversations. */
async function filesBelow(folder: string): Promise<readonly string[]> {
  const all = await fs.readdir(folder, { recursive: true, withFileTypes: true });
  const files = all.filter((each) => !each.isDirectory()).map(({ name }) => name);
  return files.filter((name) => name !== ".used");
}

/** Stores one original and gives what a test needs to tamper with it. */
async function stored(content: string): Promise<{ folder: string; path: string; handle: string }> {
  const folder = await newFolder();
  const { handle, path = "" } = await directoryArchive(folder).put("out", content);
  return { folder, path, handle };
}

function writer(...args: readonly string[]): ChildProcess {
  return spawn(process.execPath, ["test/.built/archive-writer.js", ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
}

describeArchive(
  "directory",
  async () => directoryArchive(await newFolder()),
  async () => {
    const folder = await newFolder();
    return (conversation) => directoryArchive(folder, { conversation });
  },
);

describeArchive("directory, one conversation", async () =>
  directoryArchive(await newFolder(), { conversation: "one" }),
);

describe("its files", () => {
  it("are plain files with the content, named by the handle, in the folder of their conversation", async () => {
    const folder = await newFolder();
    const archive = directoryArchive(folder);
    const names = [];
    for (const kind of ["out", "parts", "in", "msg", "head"] as const) {
      const { path = "" } = await archive.put(kind, "line 1\nline 2\n");
      expect(await fs.readFile(path, "utf8")).toBe("line 1\nline 2\n");
      expect(dirname(path)).toBe(join(folder, "default"));
      names.push(path.slice(path.indexOf(".", folder.length)));
    }
    expect(names).toEqual([".txt", ".json", ".txt", ".txt", ".jsonl"]);
  });

  it("leave nothing beside them", async () => {
    const { folder, path } = await stored("x");
    expect(await filesBelow(folder)).toEqual([path.slice(dirname(path).length + 1)]);
  });

  it.skipIf(process.platform === "win32")(
    "and their folders are the owner's alone, also under a permissive umask",
    async () => {
      const folder = await newFolder();
      const [code] = await once(writer(folder, "1", "000"), "close");
      expect(code).toBe(0);
      const [entry] = await directoryArchive(folder).list();
      const modes = [folder, dirname(entry?.path ?? ""), entry?.path ?? ""].map(
        async (path) => (await fs.stat(path)).mode & 0o777,
      );
      expect(await Promise.all(modes)).toEqual([0o700, 0o700, 0o600]);
    },
  );
});

describe.skipIf(process.platform === "win32")("tampering", () => {
  it("is reported and never handed out as the original", async () => {
    const { folder, path, handle } = await stored("the original");
    await fs.writeFile(path, "something else");
    const archive = directoryArchive(folder);
    const altered = { code: "archive-failed", details: { handle, path } };
    await expect(archive.get(handle)).rejects.toMatchObject(altered);
    await expect(archive.put("out", "the original")).rejects.toMatchObject(altered);
    expect(await fs.readFile(path, "utf8")).toBe("something else");
  });

  it("is not confused with bytes that never were UTF-8", async () => {
    const folder = await newFolder();
    const bytes = Buffer.from([0x66, 0xff, 0xfe, 0x0a]);
    const { createHash } = await import("node:crypto");
    const digits = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
    await fs.mkdir(join(folder, "default"), { recursive: true });
    await fs.writeFile(join(folder, "default", `out_${digits}.txt`), bytes);
    expect(await directoryArchive(folder).get(`out_${digits}`)).toBe("f\ufffd\ufffd\n");
  });

  it("with a symbolic link for a file is refused", async () => {
    const { folder, path, handle } = await stored("linked");
    const secret = join(scratch, "secret.txt");
    await fs.writeFile(secret, "linked");
    await fs.rm(path);
    await fs.symlink(secret, path);
    const archive = directoryArchive(folder);
    const refused = { code: "archive-failed", details: { code: "ELOOP" } };
    await expect(archive.get(handle)).rejects.toMatchObject(refused);
    await expect(archive.put("out", "linked")).rejects.toMatchObject(refused);
    await expect(archive.has(handle)).rejects.toMatchObject(refused);
    expect(await archive.list()).toEqual([]);
    expect(await fs.readFile(secret, "utf8")).toBe("linked");
  });

  it.each(["there", "dangling"])("with a %s symbolic link for a folder is refused", async (how) => {
    const { folder, path, handle } = await stored("linked");
    const elsewhere = join(scratch, `elsewhere-${how}`);
    if (how === "there") await fs.mkdir(elsewhere);
    await fs.rm(dirname(path), { recursive: true });
    await fs.symlink(elsewhere, dirname(path));
    const archive = directoryArchive(folder);
    const refused = { code: "archive-failed" };
    await expect(archive.put("out", "linked")).rejects.toMatchObject(refused);
    await expect(archive.get(handle)).rejects.toMatchObject(refused);
    await expect(archive.list()).rejects.toMatchObject(refused);
    expect(await fs.readdir(elsewhere).catch(() => [])).toEqual([]);
  });

  it.each([
    ["folder", "mkdir"],
    ["pipe", "mkfifo"],
  ])("with a %s for a file is refused and does not hang", async (_, make) => {
    const { folder, path, handle } = await stored("not a file");
    await fs.rm(path);
    execFileSync(make, [path]);
    const archive = directoryArchive(folder);
    await expect(archive.get(handle)).rejects.toMatchObject({ code: "archive-failed" });
    expect(await archive.list()).toEqual([]);
  });

  it("with other files is not listed", async () => {
    const { folder, path, handle } = await stored("mine");
    await fs.writeFile(join(folder, "README.txt"), "");
    await fs.writeFile(join(dirname(path), "notes.txt"), "");
    await fs.writeFile(join(folder, "out_0123456789abcdef.txt"), "wrong folder");
    await fs.writeFile(join(dirname(path), "out_0123456789abcdef.json"), "wrong ending");
    await fs.mkdir(join(dirname(path), "run_0123456789abcdef.txt"));
    expect((await directoryArchive(folder).list()).map((entry) => entry.handle)).toEqual([handle]);
  });
});

it("takes what no string can hold in pieces, once, and gives it back in pieces", async () => {
  const archive = directoryArchive(await newFolder());
  const handle = "head_0123456789abcdef";
  const pieces = ["one\n", "zwölf\n", "😀\n"];
  const entry = await archive.putPieces?.(handle, pieces);
  expect(entry).toMatchObject({ handle, kind: "head", bytes: 16 });
  expect(await archive.putPieces?.(handle, [pieces.join("")])).toEqual(entry);
  const reader = await archive.read?.(handle);
  const bytes = new Uint8Array(16);
  expect(await reader?.read(0, bytes)).toBe(16);
  await reader?.close();
  expect(new TextDecoder().decode(bytes)).toBe(pieces.join(""));
  await expect(archive.putPieces?.(handle, ["other"])).rejects.toMatchObject({
    code: "archive-failed",
  });
});

it("temporary files are never listed", async () => {
  const { folder, path } = await stored("mine");
  for (const what of ["spill", "write"]) {
    await fs.writeFile(join(dirname(path), `.${what}.0123456789abcdef.tmp`), "to");
  }
  expect(await directoryArchive(folder).list()).toHaveLength(1);
});

describe("several processes", () => {
  it("write the same originals at once, and each is there once and whole", async () => {
    const folder = await newFolder();
    const writers = [1, 2, 3].map(() => once(writer(folder, "25"), "close"));
    expect((await Promise.all(writers)).map(([code]) => code as unknown)).toEqual([0, 0, 0]);
    const archive = directoryArchive(folder);
    const entries = await archive.list();
    expect(entries).toHaveLength(25);
    for (const { handle } of entries) expect(await archive.get(handle)).toMatch(/^original \d+\n/);
    expect(await filesBelow(folder)).toHaveLength(25);
  });

  it("one killed while it writes leaves whole originals only", async () => {
    const folder = await newFolder();
    const archive = directoryArchive(folder);
    for (const wait of [0, 7, 23]) {
      const child = writer(folder, "100000");
      if (child.stdout !== null) await once(child.stdout, "data");
      await new Promise((resolve) => setTimeout(resolve, wait));
      child.kill("SIGKILL");
      await once(child, "close");
      const entries = await archive.list();
      expect(entries.length).toBeGreaterThan(0);
      for (const { handle } of entries)
        expect(await archive.get(handle)).toMatch(/^original \d+\n/);
    }
  });
});
