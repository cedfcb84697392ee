import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { directoryArchive } from "../../src/archive/directory.ts";

/** Calls that answer with a system error instead of doing their work, by name. */
const faults = vi.hoisted(() => new Map<string, string>());

const fails = vi.hoisted(() => (name: string): void => {
  const code = faults.get(name);
  if (code !== undefined) throw Object.assign(new Error(`${code}: ${name}`), { code });
});

vi.mock("node:fs", async (importOriginal) => {
  const real = await importOriginal<typeof import("node:fs")>();
  const { promisify } = await import("node:util");
  /** Calls with a callback, as `promisify` sees them. */
  const failing = (call: object, name: string, work: (...args: never[]) => Promise<unknown>) =>
    Object.assign((): void => fails(name), call, {
      [promisify.custom]: async (...args: never[]) => (fails(name), work(...args)),
    });
  return {
    ...real,
    openSync: (...args: Parameters<typeof real.openSync>) => (
      fails("open"),
      real.openSync(...args)
    ),
    linkSync: (...args: Parameters<typeof real.linkSync>) => (
      fails("link"),
      real.linkSync(...args)
    ),
    write: failing(real.write, "write", promisify(real.write)),
    writev: failing(real.writev, "write", async (file: number, pieces: Uint8Array[]) =>
      faults.has("short")
        ? promisify(real.write)(file, pieces[0] ?? new Uint8Array(), 0, 3)
        : promisify(real.writev)(file, pieces),
    ),
    fsync: failing(real.fsync, "sync", promisify(real.fsync)),
  };
});

vi.mock("node:fs/promises", async (importOriginal) => {
  const real = await importOriginal<typeof import("node:fs/promises")>();
  return {
    ...real,
    mkdir: async (...args: Parameters<typeof real.mkdir>) => (fails("mkdir"), real.mkdir(...args)),
    readdir: async (path: string, options: { withFileTypes: true }) => (
      fails("readdir"),
      real.readdir(path, options)
    ),
    open: async (...args: Parameters<typeof real.open>) => {
      fails("open to read");
      const file = await real.open(...args);
      const { readFile } = file;
      return Object.assign(file, {
        readFile: async () => (fails("read"), readFile.call(file)),
      });
    },
  };
});

let scratch = "";
let cases = 0;
beforeAll(async () => {
  scratch = await fs.mkdtemp(join(tmpdir(), "longhaul-faults-"));
});
afterEach(() => faults.clear());
afterAll(() => fs.rm(scratch, { recursive: true, force: true }));

function newFolder(): string {
  return join(scratch, `case-${++cases}`);
}

it("writes the rest where a disk takes only a part at once", async () => {
  const archive = directoryArchive(newFolder(), { retention: false });
  faults.set("short", "");
  const pieces = ["one\n", "", "zwölf\n", "drei\n"];
  const handle = "head_0123456789abcdef";
  const { path = "" } = (await archive.putPieces?.(handle, pieces)) ?? {};
  expect(await fs.readFile(path, "utf8")).toBe(pieces.join(""));
});

describe("a failing disk", () => {
  it.each([
    ["write", "ENOSPC", "The disk is full"],
    ["sync", "EIO", "The disk reported an error"],
    ["open", "EMFILE", "too many open files"],
    ["mkdir", "EROFS", "read-only"],
    ["mkdir", "ENOENT", "cannot be made there"],
    ["mkdir", "EACCES", "check who owns the folder"],
    ["link", "EDQUOT", "quota"],
    ["mkdir", "EWEIRD", "See the cause"],
  ])("%s failing with %s is archive-failed and says what to do", async (call, code, advice) => {
    const folder = newFolder();
    const archive = directoryArchive(folder, { retention: false });
    faults.set(call, code);
    await expect(archive.put("out", "text")).rejects.toMatchObject({
      code: "archive-failed",
      details: { code },
      message: expect.stringContaining(advice) as string,
      cause: expect.objectContaining({ code }) as Error,
    });
    faults.clear();
    expect(await archive.list()).toEqual([]);
    const left = await fs.readdir(folder, { recursive: true }).catch(() => []);
    expect(left.filter((name) => name.endsWith(".tmp"))).toEqual([]);
    expect(await archive.get((await archive.put("out", "text")).handle)).toBe("text");
  });

  it("an original that is removed while it is opened is gone", async () => {
    const archive = directoryArchive(newFolder(), { retention: false });
    const { handle } = await archive.put("out", "text");
    faults.set("open to read", "ENOENT");
    await expect(archive.get(handle)).rejects.toMatchObject({ code: "unknown-handle" });
  });

  it("is reported by get and list too", async () => {
    const archive = directoryArchive(newFolder());
    const { handle } = await archive.put("out", "text");
    faults.set("read", "EIO").set("readdir", "EACCES");
    await expect(archive.get(handle)).rejects.toMatchObject({ code: "archive-failed" });
    await expect(archive.list()).rejects.toMatchObject({ code: "archive-failed" });
  });

  it.each(["ERR_STRING_TOO_LONG", "ERR_FS_FILE_TOO_LARGE"])(
    "an original beyond one string (%s) is limit-exceeded and names its file",
    async (code) => {
      const archive = directoryArchive(newFolder());
      const { handle, path } = await archive.put("out", "text");
      faults.set("read", code);
      await expect(archive.get(handle)).rejects.toMatchObject({
        code: "limit-exceeded",
        details: { path },
      });
    },
  );
});

describe("a file system without hard links", () => {
  it.each(["EPERM", "ENOTSUP", "ENOSYS"])("stores by renaming (%s)", async (code) => {
    const folder = newFolder();
    const archive = directoryArchive(folder);
    faults.set("link", code);
    const { handle, path = "" } = await archive.put("out", "text");
    expect(await archive.get(handle)).toBe("text");
    expect(await archive.put("out", "text")).toMatchObject({ handle });
    await fs.writeFile(path, "changed");
    await expect(archive.put("out", "text")).rejects.toMatchObject({ code: "archive-failed" });
    expect(await fs.readFile(path, "utf8")).toBe("changed");
  });
});

describe("a folder where an original should be", () => {
  it("is archive-failed, which says what stands there", async () => {
    const archive = directoryArchive(newFolder());
    const { handle, path } = await archive.put("out", "text");
    await fs.rm(path!);
    await fs.mkdir(path!);
    const failed = {
      code: "archive-failed",
      message: expect.stringContaining("no plain file stands there") as string,
    };
    await expect(archive.get(handle)).rejects.toMatchObject(failed);
    await expect(archive.read!(handle)).rejects.toMatchObject(failed);
    await expect(archive.put("out", "text")).rejects.toMatchObject(failed);
  });
});

describe("a file where the folder should be", () => {
  it("is archive-failed for every method and stays as it is", async () => {
    const file = newFolder();
    await fs.writeFile(file, "mine");
    const archive = directoryArchive(file);
    const failed = {
      code: "archive-failed",
      message: expect.stringContaining("A file stands") as string,
    };
    await expect(archive.put("out", "text")).rejects.toMatchObject(failed);
    await expect(archive.get("out_0123456789abcdef")).rejects.toMatchObject(failed);
    await expect(archive.list()).rejects.toMatchObject(failed);
    expect(await fs.readFile(file, "utf8")).toBe("mine");
  });
});

/** Mounting needs privileges that most machines rightly do not give. */
function mountTiny(folder: string): boolean {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

describe("a real file system of 64 kB (skipped where mounting is not permitted)", () => {
  it("that is full keeps what was stored and stores again when there is room", async ({ skip }) => {
    const folder = newFolder();
    await fs.mkdir(folder);
    if (process.platform !== "linux" || !mountTiny(folder)) skip("cannot mount a file system here");
    try {
      const archive = directoryArchive(join(folder, "archive"));
      const { handle } = await archive.put("out", "small");
      await expect(archive.put("out", "x".repeat(200_000))).rejects.toMatchObject({
        code: "archive-failed",
        details: { code: "ENOSPC" },
      });
      expect((await archive.list()).map((entry) => entry.handle)).toEqual([handle]);
      expect(await archive.get((await archive.put("out", "small too")).handle)).toBe("small too");
      const spill = await archive.open?.("out");
      expect(() => writeFileSync(spill?.fd ?? -1, "x".repeat(200_000))).toThrow("ENOSPC");
      await expect(spill?.commit()).rejects.toMatchObject({ details: { code: "ENOSPC" } });
      expect(await archive.list()).toHaveLength(2);
      expect(await archive.get((await archive.put("out", "room again")).handle)).toBe("room again");
      execFileSync("mount", ["-o", "remount,ro", folder]);
      await expect(archive.open?.("out")).rejects.toMatchObject({ details: { code: "EROFS" } });
      expect(await archive.get(handle)).toBe("small");
      await expect(archive.put("out", "more")).rejects.toMatchObject({
        details: { code: "EROFS" },
      });
    } finally {
      execFileSync("umount", [folder]);
    }
  });
});
