import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const fields = JSON.parse(readFileSync("package.json", "utf8")) as {
  readonly files: readonly string[];
} & Readonly<Record<string, unknown>>;

it("says where it comes from, and carries its pages", () => {
  for (const name of ["repository", "homepage", "bugs", "author", "license", "description"]) {
    expect(fields).toHaveProperty(name);
  }
  expect(fields.files).toContain("docs");
  expect(
    fields.files.filter((file) => file !== "dist" && !existsSync(file.replace("!", ""))),
  ).toEqual([]);
});

it("is not published while the owner of the repository is not known", () => {
  const isOpen = JSON.stringify(fields).includes("/OWNER/");
  const { status, stderr } = spawnSync(process.execPath, ["scripts/before-publish.mjs"], {
    encoding: "utf8",
  });
  expect(status).toBe(isOpen ? 1 : 0);
  expect(stderr.includes("repository")).toBe(isOpen);
});
