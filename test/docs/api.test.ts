import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

test("the page of the API says what the types say", () => {
  const { stderr, status } = spawnSync(process.execPath, ["scripts/api.mjs", "--check"], {
    encoding: "utf8",
  });
  // Its status alone tells: the compiler may print why it stopped its own work when the script ends.
  expect([status, status === 0 ? "" : stderr]).toEqual([0, ""]);
});

test("every export, option and error of the page says what it is", () => {
  const page = readFileSync("docs/api.md", "utf8");
  for (const name of ["createContext", "HookOptions", "ContextErrorCode", "aiSdkContext"]) {
    expect(page).toContain(`### ${name}\n`);
  }
  expect(page).toContain("| `conversationOf?` |");
  expect(page).toContain("Default: 100");
});

test("every function of the root entry has an example", async () => {
  const page = readFileSync("docs/api.md", "utf8");
  const [, root = ""] = /\n## longhaul\n([^]*?)\n## /.exec(page) ?? [];
  const names = Object.keys(await import("../../src/index.ts"));
  expect(names.length).toBeGreaterThan(8);
  const without = names.filter((name) => {
    const [, section = ""] = new RegExp(`\n### ${name}\n([^]*?)(?=\n### |$)`).exec(root) ?? [];
    const [, program = ""] = /```ts\n([^]*?)```/.exec(section) ?? [];
    return !program.includes(name);
  });
  expect(without).toEqual([]);
});

test("the root entry exports every type of a report's fields", () => {
  const page = readFileSync("docs/api.md", "utf8");
  const [, root = ""] = /\n## longhaul\n([^]*?)\n## /.exec(page) ?? [];
  const sections = root.split("\n### ").map((text) => [text.split("\n")[0] ?? "", text] as const);
  const byName = new Map(sections);
  const ofTypeScript = new Set(["Omit", "Readonly", "Record", "Required"]);
  const named = new Set(["Prepared"]);
  // What is found is looked through, too.
  for (const name of named) {
    const rows = byName.get(name)?.matchAll(/\n\| `[^`]+` \| `([^`]*)`/g) ?? [];
    const types = [...rows].flatMap(([, type = ""]) => type.match(/(?<!")\b[A-Z]\w+/g) ?? []);
    for (const type of types) if (!ofTypeScript.has(type)) named.add(type);
  }
  expect(named.size).toBeGreaterThan(15);
  expect([...named].filter((name) => !byName.has(name))).toEqual([]);
});
