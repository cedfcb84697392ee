import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { runCli, temporaryFolder } from "../cli/run-cli.ts";

const readme = readFileSync("README.md", "utf8");
const pages = [...readdirSync(".").filter((name) => name.endsWith(".md")), ...markdown("docs")];

function markdown(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => path.join(folder, name));
}

/** The headings of a page, as links name them. */
function anchorsOf(page: string): Set<string> {
  const headings = readFileSync(page, "utf8").matchAll(/^#+ (.+)$/gm);
  const anchors = [...headings].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
  return new Set(anchors);
}

describe("the README", () => {
  it("shows what the demo really prints", async () => {
    const block = /```text\n\$ longhaul (.*)\n\n([^]*?)\n\nChecked\n/.exec(readme);
    const [, command = "", expected = ""] = block ?? [];
    const cwd = temporaryFolder();
    const args = command
      .split(" ")
      .map((word) =>
        word.startsWith("examples/") ? path.resolve(word) : word.replace(".longhaul/", ""),
      );
    const { stdout } = await runCli(args, { cwd, env: { LONGHAUL_HOME: ".longhaul" } });
    const printed = stdout.trimEnd().replace("small.json", ".longhaul/small.json");
    expect(printed.replace(`${path.resolve()}/`, "")).toBe(expected);
  });

  it("has exactly the two set-up commands, and both exist", () => {
    const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as {
      scripts: Record<string, string>;
    };
    expect(readme).toMatch(/```sh\nnpm run demo .*\nnpm test .*\n```/);
    expect(scripts).toMatchObject({ demo: expect.any(String), test: expect.any(String) });
  });

  it("names every example", () => {
    const examples = readdirSync("examples").filter((name) => name.endsWith(".ts"));
    for (const example of examples) expect(readme).toContain(`(examples/${example})`);
  });

  it("names only commands that exist", async () => {
    const help = await runCli(["--help"]);
    for (const [, command] of readme.matchAll(/^longhaul (\w+)/gm)) {
      expect(help.stdout).toContain(`  ${command}`);
    }
  });
});

describe("the figures of the README", () => {
  it("are those of the bench", () => {
    const bench =
      readFileSync("bench/README.md", "utf8").split("\n### A step with nothing")[1] ?? "";
    const [, table = ""] = /\n\| \| µs \|\n\| --- \| ---: \|\n([^]*?)\n\n/.exec(readme) ?? [];
    const rows = table.split("\n").map((row) => row.split("|").map((cell) => cell.trim()));
    expect(rows).toHaveLength(5);
    for (const [, name = "", median = ""] of rows) {
      const words = name.replaceAll("`", "").toLowerCase();
      const row = bench.split("\n").find((line) => line.toLowerCase().startsWith(`| ${words} |`));
      expect(row?.split("|")[4]?.trim()).toBe(median);
    }
  });
});

describe("the pages", () => {
  it.each(pages)("%s links only to what is there", (page) => {
    const text = readFileSync(page, "utf8");
    for (const [, target] of text.matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)) {
      expect(existsSync(path.join(path.dirname(page), target!)), `${page} -> ${target}`).toBe(true);
    }
  });

  it.each(pages)("%s links only to headings that are there", (page) => {
    const links = [...readFileSync(page, "utf8").matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g)];
    const lost = links.filter(([, target, anchor = ""]) => {
      const file = target ? path.join(path.dirname(page), target) : page;
      return file.endsWith(".md") && !anchorsOf(file).has(anchor);
    });
    expect(lost.map(([link]) => link)).toEqual([]);
  });

  it("docs/errors.md has one entry for each code", () => {
    const source = readFileSync("src/core/error.ts", "utf8");
    const codes = [...source.matchAll(/\| "([a-z-]+)"/g)].map((match) => match[1]!).sort();
    const entries = [...readFileSync("docs/errors.md", "utf8").matchAll(/^## (.+)$/gm)].map(
      (match) => match[1]!,
    );
    expect(entries.sort()).toEqual(codes);
  });

  it("docs/command-line.md names every command and its options", async () => {
    const page = readFileSync("docs/command-line.md", "utf8");
    const { stdout } = await runCli(["--help"]);
    const commands = [...stdout.matchAll(/^ {2}([a-z]+) \[options\]/gm)].map((match) => match[1]!);
    expect(commands.length).toBeGreaterThan(6);
    for (const command of commands) expect(page).toContain(`\n## ${command}\n`);
    const helps = await Promise.all(commands.map((command) => runCli([command, "--help"])));
    const options = helps.flatMap((help) => help.stdout.match(/^ +--[a-z-]+/gm) ?? []);
    for (const option of options) expect(page).toContain(option.trim());
  });

  it("docs/how-it-works.md counts the files that a list passes, and they are few", () => {
    const page = readFileSync("docs/how-it-works.md", "utf8");
    const [, walk = ""] = /\n## One step, file by file\n([^]*?)\n## /.exec(page) ?? [];
    const counted = [...walk.matchAll(/through (\d+) more|passes (\d+) files/g)].map(
      ([, more, files]) => Number(more ?? files),
    );
    const tables = walk.split("\n| file | what it does |\n").slice(1);
    const named = tables.map((table) => {
      const cells = table.split("\n\n")[0]?.match(/^\| `[^|]*\|/gm) ?? [];
      return cells.join().match(/`[\w/-]+\.ts`/g)?.length ?? 0;
    });
    expect(counted).toEqual(named);
    expect(named[0]).toBeLessThanOrEqual(12);
    // An edit passes all of them but the report of nothing.
    expect(named[0]! - 1 + named[1]!).toBeLessThanOrEqual(25);
  });

  it("AGENTS.md names every room", () => {
    const map = readFileSync("AGENTS.md", "utf8");
    for (const room of [...readdirSync("src"), ...readdirSync("src/core")]) {
      expect(map).toContain(room);
    }
  });

  it.each(["AGENTS.md", "docs/how-it-works.md"])(
    "%s names only files of src that are there",
    (page) => {
      const text = readFileSync(page, "utf8");
      const rooms = readdirSync("src", { withFileTypes: true }).filter((one) => one.isDirectory());
      const named = [...text.matchAll(/`((?:[a-z-]+\/)+[a-z-]+\.ts)`/g)]
        .map((match) => match[1]!)
        .filter((file) => rooms.some(({ name }) => file.startsWith(`${name}/`)));
      expect(named.length).toBeGreaterThan(10);
      expect(named.filter((file) => !existsSync(path.join("src", file)))).toEqual([]);
    },
  );
});
