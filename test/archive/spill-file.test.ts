import { spawnSync } from "node:child_process";
import * as fs from "node:fs/promises";
import { writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sha256Hex } from "../../src/archive/index.ts";
import { directoryArchive } from "../../src/archive/directory.ts";
import type { Archive, SpillFile } from "../../src/archive/archive.ts";
import { handleFor } from "../../src/core/handle/index.ts";

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
