import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  isAbsolutePath,
  looksLikeFile,
  normalizePath,
  pathKey,
} from "../../../src/core/calls/index.ts";

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
