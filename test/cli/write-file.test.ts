import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { writeFileAtomically } from "../../src/cli/write-file.ts";

describe("writeFileAtomically", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), "longhaul-write-"));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });
  const at = (name: string): string => path.join(folder, name);

  it("writes the whole text and leaves nothing else behind", async () => {
    await writeFileAtomically(at("a.json"), "x".repeat(5_000_000));
    expect(statSync(at("a.json")).size).toBe(5_000_000);
    expect(readdirSync(folder)).toEqual(["a.json"]);
  });

  it("gives a new file what the umask leaves, and keeps the permissions of an old one", async () => {
    const before = process.umask(0o027);
    try {
      await writeFileAtomically(at("new"), "1");
    } finally {
      process.umask(before);
    }
    expect(statSync(at("new")).mode & 0o777).toBe(0o640);
    chmodSync(at("new"), 0o600);
    await writeFileAtomically(at("new"), "2");
    expect(statSync(at("new")).mode & 0o777).toBe(0o600);
    expect(readFileSync(at("new"), "utf8")).toBe("2");
  });

  it("writes through a link", async () => {
    writeFileSync(at("real"), "old");
    symlinkSync("real", at("link"));
    await writeFileAtomically(at("link"), "new");
    expect(readFileSync(at("real"), "utf8")).toBe("new");
    expect(lstatSync(at("link")).isSymbolicLink()).toBe(true);
  });

  it("never replaces what is no file", async () => {
    await writeFileAtomically("/dev/null", "text");
    expect(statSync("/dev/null").isCharacterDevice()).toBe(true);
  });

  it("says why it cannot write, and leaves an old file as it was", async () => {
    mkdirSync(at("folder"));
    await expect(writeFileAtomically(at("folder"), "x")).rejects.toMatchObject({
      code: "unwritable-file",
      message: expect.stringContaining("it is a folder") as string,
    });
    await expect(writeFileAtomically(at("no/such/file"), "x")).rejects.toMatchObject({
      message: expect.stringContaining("its folder does not exist") as string,
    });
    expect(readdirSync(folder)).toEqual(["folder"]);
  });

  it("lets one of two writers win, whole", async () => {
    const texts = ["a", "b", "c"].map((letter) => letter.repeat(100_000));
    await Promise.all(texts.map((each) => writeFileAtomically(at("f"), each)));
    expect(texts).toContain(readFileSync(at("f"), "utf8"));
    expect(readdirSync(folder)).toEqual(["f"]);
  });
});
