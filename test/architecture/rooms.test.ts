import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";

/**
 * Who may import whom. A room may import itself and what stands in its row; `error.ts`,
 * `options.ts` and `rules.ts` are open to all. Rooms stand in the order in which data flows, so an arrow never points forward.
 */
const TABLE: Readonly<Record<string, readonly string[]>> = {
  "core/error.ts": [],
  "core/options.ts": [],
  "core/rules.ts": ["core/text"],
  "core/text": [],
  "core/message": ["core/text"],
  "core/tokens": ["core/text", "core/message"],
  "core/calls": ["core/text", "core/message"],
  "core/contents": ["core/text", "core/message", "core/tokens", "core/calls"],
  "core/overflow": ["core/message", "core/tokens"],
  "core/truncate": ["core/text", "core/message", "core/calls"],
  "core/prune": [
    "core/text",
    "core/message",
    "core/tokens",
    "core/calls",
    "core/overflow",
    "core/truncate",
  ],
  "core/ledger": ["core/text", "core/message", "core/calls", "core/truncate"],
  "core/continuation": ["core/text", "core/message", "core/calls"],
  "core/summary": [
    "core/text",
    "core/message",
    "core/calls",
    "core/truncate",
    "core/ledger",
    "core/continuation",
  ],
  "core/compact": [
    "core/text",
    "core/message",
    "core/tokens",
    "core/prune",
    "core/truncate",
    "core/continuation",
    "core/summary",
  ],
  "core/plan": [
    "core/text",
    "core/message",
    "core/tokens",
    "core/calls",
    "core/overflow",
    "core/prune",
    "core/summary",
    "core/compact",
    "core/continuation",
  ],
  archive: ["core"],
  spill: ["core", "archive"],
  tools: ["core", "archive"],
  models: ["core", "dialects"],
  context: ["core", "archive", "tools", "models", "dialects"],
  dialects: ["core"],
  hooks: ["core", "archive", "tools", "models", "context", "dialects"],
  settings: ["core", "archive", "context"],
  telemetry: ["context", "models", "tools"],
  transcripts: ["core", "dialects"],
  // Never the ledger: the product is not judged by its own eyes.
  simulate: ["core/message", "core/overflow", "archive", "context", "dialects"],
  resume: ["core", "dialects", "transcripts"],
  page: ["core", "simulate"],
  mcp: ["core", "archive"],
  gateway: ["core", "archive", "tools", "context", "dialects", "hooks", "mcp"],
  plugins: [
    "core",
    "archive",
    "spill",
    "tools",
    "context",
    "settings",
    "dialects",
    "hooks",
    "transcripts",
    "resume",
  ],
  cli: [
    "core",
    "archive",
    "spill",
    "models",
    "context",
    "settings",
    "dialects",
    "transcripts",
    "resume",
    "plugins",
    "mcp",
    "gateway",
    "telemetry",
    "page",
    "simulate",
  ],
  "archive.ts": ["archive"],
  "core.ts": ["core", "context", "entry"],
  entry: ["core", "archive", "tools", "context"],
  "index.ts": ["core", "archive", "tools", "models", "context", "dialects", "hooks", "entry"],
  "tokens.ts": ["core"],
};

const OPEN: ReadonlySet<string> = new Set(["core/error.ts", "core/options.ts", "core/rules.ts"]);

/** Packages and Node modules that a room may import; the core may import nothing. */
const FOREIGN: Readonly<Record<string, RegExp>> = {
  archive: /^(node:.+|@aws-sdk\/client-s3|env-paths|pg|re2js)$/,
  // What package.json chooses in the archive, for Node or not.
  context: /^#own-archive$/,
  settings: /^node:.+$/,
  spill: /^node:.+$/,
  models: /^eventsource-parser$/,
  hooks: /^eventsource-parser$/,
  telemetry: /^@opentelemetry\/api$/,
  transcripts: /^node:.+$/,
  resume: /^node:.+$/,
  plugins: /^(node:.+|jsonc-parser)$/,
  page: /^(node:.+|preact(\/hooks)?|uplot)$/,
  mcp: /^@modelcontextprotocol\/server$/,
  gateway: /^(node:.+|@modelcontextprotocol\/server)$/,
  cli: /^(node:.+|commander|fast-string-width|jsonc-parser|picocolors|@clack\/prompts|node-sqlite3-wasm|@modelcontextprotocol\/server(\/stdio)?)$/,
};

const SRC = path.resolve("src");

function sourceFiles(): string[] {
  return readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".ts"),
  );
}

/** The code of a file, without comments. */
function codeOf(file: string): string {
  return readFileSync(path.join(SRC, file), "utf8")
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/^\s*\/\/.*$/gm, "");
}

/** What a file imports or re-exports, types and what it loads when needed included, as written. */
function importsOf(file: string): string[] {
  const code = codeOf(file);
  const statements = /^(?:import|export)\b[^"'`;]*?\bfrom\s+"([^"]+)";?\s*$/gm;
  const others = /^import\s+"([^"]+)"|\bimport\(\s*"([^"]+)"/gm;
  return [...code.matchAll(statements), ...code.matchAll(others)].map(
    (match) => (match[1] ?? match[2])!,
  );
}

/** The row of the table that a path belongs to. */
function roomOf(file: string): string {
  const parts = file.split(path.sep);
  const own = parts[0] === "core" ? parts.slice(0, 2).join("/") : parts[0]!;
  return own;
}

describe("who may import whom", () => {
  const files = sourceFiles();

  it("has a row for every room, and a room for every row", () => {
    const rooms = [...new Set(files.map(roomOf))].sort();
    expect(rooms).toEqual(Object.keys(TABLE).sort());
  });

  it.each(files)("%s", (file) => {
    const room = roomOf(file);
    for (const specifier of importsOf(file)) {
      if (!specifier.startsWith(".")) {
        expect(specifier, `${file} imports a package`).toMatch(FOREIGN[room] ?? /^$/);
        continue;
      }
      const target = path.relative(SRC, path.resolve(SRC, path.dirname(file), specifier));
      const other = roomOf(target);
      const isAllowed =
        other === room ||
        OPEN.has(other) ||
        TABLE[room]!.some((allowed) => other === allowed || other.startsWith(`${allowed}/`));
      expect(isAllowed, `${file} imports ${target}`).toBe(true);
    }
  });

  it("lets no dialect and no transcript format import another one", () => {
    for (const file of files.filter((name) => /^(dialects|transcripts)\/[^/]+\//.test(name))) {
      for (const specifier of importsOf(file).filter((name) => name.startsWith("."))) {
        const target = path.relative(SRC, path.resolve(SRC, path.dirname(file), specifier));
        const [room, own] = file.split(path.sep);
        const [otherRoom, other] = target.split(path.sep);
        const isSibling = room === otherRoom && other !== own && !other!.endsWith(".ts");
        expect(isSibling, `${file} imports ${target}`).toBe(false);
      }
    }
  });
});

/** The files that a file imports, at once or when needed. */
function neighbours(file: string): string[] {
  return importsOf(file)
    .filter((specifier) => specifier.startsWith("."))
    .map((specifier) => path.join(path.dirname(file), specifier));
}

/** A way from a file back to itself, or nothing; `done` are files from which there is none. */
function circleFrom(file: string, trail: readonly string[], done: Set<string>): readonly string[] {
  if (trail.includes(file)) return [...trail.slice(trail.indexOf(file)), file];
  if (done.has(file)) return [];
  for (const next of neighbours(file)) {
    const circle = circleFrom(next, [...trail, file], done);
    if (circle.length > 0) return circle;
  }
  done.add(file);
  return [];
}

describe("the shape of the house", () => {
  it("has no circle of imports, types and what is loaded later included", () => {
    const done = new Set<string>();
    for (const file of sourceFiles()) expect(circleFrom(file, [], done)).toEqual([]);
  });

  it("has no two folders whose names differ by their endings", () => {
    const entries = readdirSync(SRC, { recursive: true, withFileTypes: true });
    const names = [
      ...new Set(entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)),
    ];
    const alike = names.filter((name) =>
      names.some((other) => name < other && isAlike(name, other)),
    );
    expect(alike).toEqual([]);
  });

  it.each(["AGENTS.md", "docs/how-it-works.md"])("%s names no file that is not there", (map) => {
    const folders = ["src", "test", "scripts", "bench", "examples"];
    const files = folders.flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: "utf8" }),
    );
    const names = new Set(files.map((file) => path.basename(file)));
    const named = readFileSync(map, "utf8").match(/(?<![*.])\b\w[\w./-]*\.(?:ts|mjs)\b/g) ?? [];
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((file) => !names.has(path.basename(file)))).toEqual([]);
  });
});

/** Whether two names have one stem: `summary`, `summaries`, `summarize`, `summarizers`. */
function isAlike(name: string, other: string): boolean {
  const stem = (word: string): string => word.replace(/(?:i?e?s|y|ed|ers?|ing|izers?|ize)$/, "");
  return stem(name) === stem(other);
}

describe("the style of the house", () => {
  it.each(sourceFiles())("%s is no longer than 320 lines", (file) => {
    const lines = readFileSync(path.join(SRC, file), "utf8").split("\n").length;
    const isData = file.endsWith("weights.ts");
    expect(isData || lines <= 320, `${file} has ${lines} lines`).toBe(true);
  });

  it.each(sourceFiles())("%s has no default export, class, enum or any", (file) => {
    const code = readFileSync(path.join(SRC, file), "utf8").replace(/\/\*[\s\S]*?\*\//g, "");
    expect(code).not.toMatch(/^export default/m);
    expect(code).not.toMatch(/^\s*(?:export )?(?:const )?enum /m);
    expect(code).not.toMatch(/[:<(]\s*any\b(?!\w)/);
    if (file !== path.join("core", "error.ts")) expect(code).not.toMatch(/^\s*(?:export )?class /m);
  });

  it.each(sourceFiles())("%s opens no comment with a question word", (file) => {
    const code = readFileSync(path.join(SRC, file), "utf8");
    const openings =
      code.match(/^[ \t]*(?:\/\*\*?|\/\/)[\s*]*(?:Wh(?:at|o|ose|om|ere)(?:ver)?|How)\b.*/gm) ?? [];
    // The second line of a sentence opens nothing.
    expect(openings.filter((line) => !isContinued(code, line))).toEqual([]);
  });
});

/** Whether a line of `//` goes on with a sentence of the line above it. */
function isContinued(code: string, line: string): boolean {
  const above = code.slice(0, code.indexOf(line)).trimEnd().split("\n").at(-1) ?? "";
  return /^\s*\/\/.*[^.:;!?]$/.test(above);
}
