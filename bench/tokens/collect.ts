/**
 * Collects the text for training and measuring: `npx tsx bench/tokens/collect.ts [FOLDER]`.
 *
 * It unpacks the Debian packages and installs the npm packages named in `sources.ts` below FOLDER
 * (default: a folder in the system's temporary directory), so it needs `apt-get`, `dpkg` and `npm`;
 * then it writes `FOLDER/corpus/KIND/N.txt`. Even N are for training, odd N are held out.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assistant, edits } from "./assistant.ts";
import * as data from "./data-text.ts";
import { blob, diff, noise, numbered, pick, runs, seeded, serviceLog, tabbed } from "./generate.ts";
import * as marked from "./marked-text.ts";
import { createMaterial } from "./material.ts";
import type { Material } from "./material.ts";
import { readText } from "./read-text.ts";
import { debianPackages, debianSources, npmPackages, npmSources } from "./sources.ts";
import type { Source } from "./sources.ts";
import * as toolOutput from "./tool-output.ts";

/** Text of one kind in UTF-16 units, and the most that one document gives. */
const KIND_UNITS = 4_000_000;
const DOCUMENT_UNITS = 24_000;
const MIN_DOCUMENT = 600;

const folder = process.argv[2] ?? join(tmpdir(), "token-corpus");
const debian = join(folder, "debian");
const modules = join(folder, "npm", "node_modules");

/** Documents by kind, in the order found. */
type Corpus = Map<string, string[]>;

function unpackDebian(): void {
  const archives = join(folder, "debs");
  mkdirSync(archives, { recursive: true });
  for (const name of debianPackages) {
    if (existsSync(join(debian, name))) continue;
    spawnSync("apt-get", ["download", "-q", name], { cwd: archives, stdio: "inherit" });
    const file = readdirSync(archives).find((entry) => entry.startsWith(`${name}_`));
    if (file === undefined) console.error(`skipped: Debian package ${name} is not available`);
    else execFileSync("dpkg", ["-x", join(archives, file), join(debian, name)]);
  }
}

function installNpm(): void {
  const root = join(folder, "npm");
  if (existsSync(join(root, "installed"))) return;
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, "package.json"), '{ "private": true }');
  execFileSync("npm", ["install", "--ignore-scripts", "--legacy-peer-deps", ...npmPackages], {
    cwd: root,
    stdio: "inherit",
  });
  writeFileSync(join(root, "installed"), "");
}

function filesBelow(root: string): string[] {
  if (!existsSync(root)) return [];
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}

function foreignShare(text: string): number {
  let foreign = 0;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) foreign += 1;
  return foreign / Math.max(1, text.length);
}

function addText(corpus: Corpus, kind: string, text: string): void {
  const documents = corpus.get(kind) ?? [];
  corpus.set(kind, documents);
  for (let at = 0; at < text.length; at += DOCUMENT_UNITS) {
    const piece = text.slice(at, at + DOCUMENT_UNITS);
    if (piece.length >= MIN_DOCUMENT) documents.push(piece);
  }
}

function addSources(corpus: Corpus, base: string, sources: readonly Source[]): void {
  for (const source of sources) {
    const slash = source.root.indexOf("/");
    const owner = slash < 0 ? source.root : source.root.slice(0, slash);
    for (const path of filesBelow(join(base, owner))) {
      if (!path.slice(base.length + 1).startsWith(source.root) || !source.files.test(path))
        continue;
      const text = readText(path, source.reader);
      if (text.includes("\uFFFD") || foreignShare(text) < (source.foreign ?? 0)) continue;
      addText(corpus, source.kind, text);
    }
  }
}

/** The output of ordinary commands, the kind of log that an agent reads most. */
function addCommandOutput(corpus: Corpus): void {
  const commands: readonly (readonly string[])[] = [
    ["ls", "-lR", join(modules, "effect")],
    ["ls", "-la", "/usr/bin"],
    ["find", modules, "-name", "*.d.ts"],
    ["grep", "-rn", "function", join(modules, "date-fns"), "--include=*.js"],
    ["grep", "-rn", "import", join(modules, "three", "src")],
    ["find", `${debian}/golang-1.19-src/`, "-type", "f"],
    ["find", `${debian}/libboost1.74-dev/`, "-name", "*.hpp"],
    ["find", `${debian}/linux-doc-6.1/`, "-type", "f"],
    ["find", `${debian}/libreoffice-help-el/`, "-type", "d"],
    ["dpkg", "-l"],
    ["ps", "aux"],
    ["env", "LC_ALL=C", "stat", "/usr/bin", "/etc", "/var", "/usr/lib"],
    ["du", "-a", join(modules, "zod")],
    [
      "node",
      join(modules, "typescript/bin/tsc"),
      "--traceResolution",
      "--noEmit",
      "--skipLibCheck",
      join(modules, "rxjs/src/index.ts"),
    ],
    [
      "node",
      join(modules, "typescript/bin/tsc"),
      "--noEmit",
      "--strict",
      "--pretty",
      join(modules, "effect/src/Array.ts"),
    ],
    ["npm", "ls", "--all", "--prefix", join(folder, "npm")],
    ["npm", "view", "rxjs", "--json", "--loglevel", "silly"],
    ["diff", "-ru", join(modules, "lodash/map.js"), join(modules, "lodash/fp/map.js")],
    ["diff", "-ru", join(modules, "date-fns/add.js"), join(modules, "date-fns/sub.js")],
    ["dpkg", "-L", "libc6"],
  ];
  for (const [command, ...args] of commands) {
    const result = spawnSync(command!, args, {
      encoding: "utf8",
      maxBuffer: 1 << 28,
      timeout: 120_000,
    });
    addText(
      corpus,
      "log",
      `${result.stdout ?? ""}${result.stderr ?? ""}`.replaceAll(folder, "").slice(0, 300_000),
    );
  }
}

function addGenerated(corpus: Corpus): void {
  const random = seeded(7);
  for (let i = 0; i < 160; i++) addText(corpus, "blob", blob(random));
  for (let i = 0; i < 160; i++) addText(corpus, "runs", runs(random));
  for (let i = 0; i < 160; i++) addText(corpus, "noise", noise(random));
  for (let i = 0; i < 60; i++) addText(corpus, "log", serviceLog(random));
}

function addJsonForms(corpus: Corpus): void {
  const paths = [...filesBelow(join(debian, "iso-codes")), ...filesBelow(modules)];
  for (const path of paths) {
    if (!path.endsWith(".json")) continue;
    try {
      const value: unknown = JSON.parse(readFileSync(path, "utf8"));
      addText(corpus, "json-compact", JSON.stringify(value));
      if (Array.isArray(value) || path.endsWith("package.json")) {
        addText(
          corpus,
          "json-compact",
          JSON.stringify({ path, ok: true, value: JSON.stringify(value) }),
        );
      }
    } catch {
      // Comments in a tsconfig: not JSON.
    }
  }
}

/** Code, logs and prose as they stand inside the JSON of a conversation. */
function addChats(corpus: Corpus): void {
  const random = seeded(11);
  const kinds =
    `app ts py code go rust log md json en guide html numbered diff tabbed grep listing terminal test-run
    git-log typographic assistant stack-trace config`.split(/\s+/);
  for (let i = 0; i < 400; i++) {
    const content = Array.from({ length: 4 }, () => {
      const text = pick(random, corpus.get(pick(random, kinds)) ?? [""]);
      const at = Math.floor(random() * text.length * 0.5);
      const piece = text.slice(at, at + 200 + Math.floor(random() * 4_000));
      return {
        type: "tool_result",
        tool_use_id: `toolu_${String(random()).slice(2)}`,
        content: piece,
      };
    });
    addText(corpus, "chat", JSON.stringify({ role: "user", content }, null, i % 3 === 0 ? 2 : 0));
  }
}

/** Files as the tools of agents show them. */
function addFileViews(corpus: Corpus): void {
  const random = seeded(13);
  const kinds = ["app", "ts", "py", "code", "go", "rust", "md"];
  for (let i = 0; i < 400; i++) {
    const source = pick(random, corpus.get(pick(random, kinds)) ?? [""]).slice(0, 16_000);
    const text = random() < 0.3 ? tabbed(source) : source;
    addText(corpus, "numbered", numbered(random, text));
    addText(corpus, "diff", diff(random, text));
    if (i < 150) addText(corpus, "tabbed", tabbed(source));
  }
}

const MADE: Readonly<Record<string, (material: Material) => string>> = {
  "repo-map": toolOutput.repositoryMap,
  tree: marked.tree,
  table: marked.table,
  terminal: marked.terminal,
  marks: marked.marks,
  "git-log": toolOutput.gitLog,
  grep: toolOutput.grep,
  listing: toolOutput.listing,
  "stack-trace": toolOutput.stackTrace,
  "test-run": toolOutput.testRun,
  typographic: marked.typographic,
  csv: data.csv,
  sql: data.sql,
  config: data.config,
  lock: data.lock,
  urls: data.urls,
  tags: data.tags,
  escaped: data.escaped,
  translated: marked.translated,
  assistant,
  edits,
};

/** Other tool output and data, made from the corpus' own code, words and paths. */
function addToolOutputs(corpus: Corpus): void {
  const paths = [
    modules,
    join(debian, "golang-1.19-src/usr/share"),
    join(debian, "mypy/usr/lib/python3"),
  ].flatMap((root) => filesBelow(root).map((path) => path.slice(root.length + 1)));
  const material = createMaterial(seeded(17), {
    code: ["app", "ts", "py", "code", "go", "rust"].flatMap((kind) => corpus.get(kind) ?? []),
    prose: ["en", "guide"].flatMap((kind) => (corpus.get(kind) ?? []).slice(0, 120)),
    foreign: "fr de es latin latin-ext vi ru zh ja ko"
      .split(" ")
      .flatMap((kind) => (corpus.get(kind) ?? []).slice(0, 100)),
    paths,
  });
  for (const [kind, make] of Object.entries(MADE)) {
    for (let i = 0; i < 240; i++) addText(corpus, kind, make(material));
  }
}

/** Thins a kind out evenly, so that every source keeps its share. */
function thinned(documents: readonly string[]): readonly string[] {
  const units = documents.reduce((sum, text) => sum + text.length, 0);
  const keep = Math.min(1, KIND_UNITS / units);
  return documents.filter((_, i) => Math.floor((i + 1) * keep) > Math.floor(i * keep));
}

unpackDebian();
installNpm();
const corpus: Corpus = new Map();
addSources(corpus, debian, debianSources);
addSources(corpus, modules, npmSources);
addCommandOutput(corpus);
addGenerated(corpus);
addJsonForms(corpus);
addFileViews(corpus);
addToolOutputs(corpus);
addChats(corpus);
rmSync(join(folder, "corpus"), { recursive: true, force: true });
for (const [kind, documents] of corpus) {
  const kept = thinned(documents);
  mkdirSync(join(folder, "corpus", kind), { recursive: true });
  kept.forEach((text, i) => writeFileSync(join(folder, "corpus", kind, `${i}.txt`), text));
  console.log(
    kind,
    kept.length,
    kept.reduce((sum, text) => sum + text.length, 0),
  );
}
