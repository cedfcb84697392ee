import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";

/**
 * Who may import whom. A room may import itself and what stands in its row; `error.ts` is open to
 * all. Rooms stand in the order in which data flows, so an arrow never points forward.
 */
const TABLE: Readonly<Record<string, readonly string[]>> = {
  "core/error.ts": [],
  "core/text": [],
  "core/message": ["core/text"],
  "core/tokens": ["core/text", "core/message"],
  "core/calls": ["core/text", "core/message"],
  "core/overflow": [],
  "core/truncate": ["core/text", "core/message", "core/calls"],
  "core/prune": ["core/text", "core/message", "core/tokens", "core/calls", "core/truncate"],
  "core/ledger": ["core/text", "core/message", "core/calls"],
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
  telemetry: ["context", "models", "tools"],
  transcripts: ["core", "dialects"],
  cli: ["core", "archive", "spill", "models", "context", "dialects", "transcripts"],
  "archive.ts": ["archive"],
  "core.ts": ["core", "context"],
  "index.ts": ["core", "archive", "tools", "models", "context", "dialects", "hooks"],
  "tokens.ts": ["core"],
};

/** Packages and Node modules that a room may import; the core may import nothing. */
const FOREIGN: Readonly<Record<string, RegExp>> = {
  archive: /^(node:.+|@noble\/hashes\/.+|env-paths|re2js)$/,
  spill: /^node:.+$/,
  models: /^eventsource-parser$/,
  hooks: /^eventsource-parser$/,
  telemetry: /^@opentelemetry\/api$/,
  transcripts: /^(node:.+|zod|jsonrepair)$/,
  cli: /^(node:.+|commander|picocolors|@clack\/prompts|zod)$/,
};

const SRC = path.resolve("src");

function sourceFiles(): string[] {
  return readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".ts"),
  );
}

/** Everything a file imports or re-exports, as written; comments are cut out first. */
function importsOf(file: string): string[] {
  const code = readFileSync(path.join(SRC, file), "utf8")
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/^\s*\/\/.*$/gm, "");
  const statements = /^(?:import|export)\b[^"'`;]*?\bfrom\s+"([^"]+)";?\s*$/gm;
  const dynamic = /^import\s+"([^"]+)"|\bimport\("([^"]+)"\)/gm;
  return [statements, dynamic].flatMap((one) =>
    [...code.matchAll(one)].map((match) => (match[1] ?? match[2])!),
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
        other === "core/error.ts" ||
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
});
