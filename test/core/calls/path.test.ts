import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  isAbsolutePath,
  looksLikeFile,
  normalizePath,
  pathFrom,
  pathKey,
} from "../../../src/core/calls/index.ts";
import { isTemporary } from "../../../src/core/calls/path.ts";

describe("normalizePath", () => {
  it.each([
    ["./x", "x"],
    ["a/./b//c/", "a/b/c"],
    ["a/../b", "b"],
    ["../a", "../a"],
    ["../../a/..", "../.."],
    ["/../a", "/a"],
    ["/", "/"],
    [".", "."],
    ["~/a/../b", "~/b"],
    ["D:\\a\\..\\b", "D:\\a\\..\\b"],
    ["a.b/.c", "a.b/.c"],
  ])("%s is %s", (path, expected) => {
    expect(normalizePath(path)).toBe(expected);
  });

  it("changes nothing the second time", () => {
    const name = fc.constantFrom("a", "b.ts", ".", "..", "", "~");
    fc.assert(
      fc.property(fc.array(name), (names) => {
        const once = normalizePath(names.join("/"));
        expect(normalizePath(once)).toBe(once);
      }),
    );
  });
});

describe("pathKey", () => {
  it("is the same for all names of a file when the working directory is known", () => {
    expect(pathKey("src/a.ts", "/repo")).toBe(pathKey("/repo/./src/a.ts", "/repo"));
    expect(pathKey("../b.ts", "/repo/web")).toBe("/repo/b.ts");
    expect(pathKey("src/a.ts")).toBe("src/a.ts");
  });

  it("knows the ways to write a Windows path", () => {
    const key = pathKey("D:\\repo\\src\\a.ts", "D:\\repo");
    expect(pathKey("src\\a.ts", "D:\\repo")).toBe(key);
    expect(pathKey("src/a.ts", "D:\\repo\\")).toBe(key);
    expect(pathKey("d:/repo/src/a.ts")).toBe(key);
    expect(pathKey("/d/repo/src/a.ts", "D:\\repo")).toBe(key);
  });
});

describe("one file on Windows", () => {
  const NAMES = [
    "C:\\Users\\Ann\\repo\\src\\a.ts",
    "c:/Users/Ann/repo/src/a.ts",
    "C:/Users/Ann/repo/./src//a.ts",
    "/c/Users/Ann/repo/src/a.ts",
    "/mnt/c/Users/Ann/repo/src/a.ts",
    "/cygdrive/c/users/ann/repo/src/a.ts",
    "src\\a.ts",
    "src/a.ts",
    ".\\src\\a.ts",
  ];
  const FOLDERS = ["C:\\Users\\Ann\\repo", "c:/users/ann/repo/", "/c/Users/Ann/repo"];

  it.each(FOLDERS)("has one key and one name from %s", (cwd) => {
    expect(new Set(NAMES.map((name) => pathKey(name, cwd))).size).toBe(1);
    expect(new Set(NAMES.map((name) => pathFrom(cwd, name)))).toEqual(new Set(["src/a.ts"]));
  });

  it("has one key where the working directory is not known", () => {
    expect(new Set(NAMES.slice(0, 6).map((name) => pathKey(name))).size).toBe(1);
  });
});

describe("pathFrom", () => {
  it.each([
    ["/repo", "/repo/src/a.ts", "src/a.ts"],
    ["/repo/", "/repo/src/", "src/"],
    ["/repo", "/repository/a.ts", "/repository/a.ts"],
    ["/repo", "/repo", "/repo"],
    ["/repo", "src/a.ts", "src/a.ts"],
    [undefined, "/repo/a.ts", "/repo/a.ts"],
    [undefined, "D:/repo\\src/a.ts", "D:/repo/src/a.ts"],
    ["D:\\repo", "C:\\Users\\ann/x.ts", "C:/Users/ann/x.ts"],
    ["D:\\repo", "D:/repo\\src\\a.ts", "src/a.ts"],
  ])("from %s names %s as %s", (cwd, path, name) => {
    expect(pathFrom(cwd, path)).toBe(name);
  });
});

it.each([
  ["/tmp/x.log", true],
  ["/private/var/folders/ab/T/x", true],
  ["C:\\Users\\Ann\\AppData\\Local\\Temp\\x.log", true],
  ["/c/Users/Ann/AppData/Local/Temp/x.log", true],
  ["$TMPDIR/x", true],
  ["tmp/x", false],
  ["/home/tmp/x", false],
  ["src/temp.ts", false],
])("isTemporary: %s is %s", (path, is) => {
  expect(isTemporary(path)).toBe(is);
});

describe("looksLikeFile and isAbsolutePath", () => {
  it("tells files from folders by their names", () => {
    for (const path of [
      "a.ts",
      "src/Makefile",
      ".env.local",
      ".gitignore",
      "a.test.tsx",
      "x/LICENSE",
    ])
      expect([path, looksLikeFile(path)]).toEqual([path, true]);
    for (const path of ["src", "src/", ".github", "node_modules", "v1.2", "../..", "a.ts/"])
      expect([path, looksLikeFile(path)]).toEqual([path, false]);
  });

  it("knows absolute paths of every kind", () => {
    expect(["/a", "~/a", "C:\\a", "c:/a", "\\\\host\\a"].every(isAbsolutePath)).toBe(true);
    expect(["a", "./a", "a:b", ""].some(isAbsolutePath)).toBe(false);
  });
});
