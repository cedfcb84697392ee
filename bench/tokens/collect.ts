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
import { gunzipSync } from "node:zlib";
import { blob, diff, noise, numbered, pick, runs, seeded, serviceLog } from "./generate.ts";
import { debianPackages, debianSources, npmPackages, npmSources } from "./sources.ts";
import type { Reader, Source } from "./sources.ts";

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
  execFileSync("npm", ["install", "--ignore-scripts", ...npmPackages], {
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

function readText(path: string, reader: Reader): string {
  const bytes = readFileSync(path);
  const raw = path.endsWith(".gz") ? gunzipSync(bytes) : bytes;
  if (reader === "messages") return messagesText(raw);
  const text = raw.toString("utf8");
  if (reader === "html") return htmlText(text);
  return reader === "man" ? manText(text) : text;
}

function htmlText(html: string): string {
  return html
    .replace(/<(script|style|head)\b[\s\S]*?<\/\1>/g, "")
    .replace(/<[^>]*>/g, "")
    .replace(/&nbsp;|&#160;/g, " ")
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/&quot;/g, '"')
    .replace(/&#8217;/g, "’")
    .replace(/&amp;/g, "&")
    .replace(/\n\s*\n\s*/g, "\n\n");
}

function manText(roff: string): string {
  return roff
    .replace(/^[.']\\".*\n/gm, "")
    .replace(/^\.(SH|SS|TP|PP|IP|B|I|BR|RB|IR|RI|TH|br|nf|fi|sp|RS|RE)\b ?/gm, "")
    .replace(/\\f[BIRP]|\\&/g, "")
    .replace(/\\-/g, "-")
    .replace(/\\\((..)/g, "");
}

/** The translations in a compiled message catalogue (.mo), the longer ones. */
function messagesText(bytes: Buffer): string {
  const count = bytes.readUInt32LE(8);
  const table = bytes.readUInt32LE(16);
  const texts: string[] = [];
  for (let i = 0; i < count; i++) {
    const length = bytes.readUInt32LE(table + i * 8);
    const at = bytes.readUInt32LE(table + i * 8 + 4);
    if (length > 40) texts.push(bytes.toString("utf8", at, at + length).replace(/[~\0]/g, ""));
  }
  return texts.join("\n");
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
  const kinds = ["ts", "py", "code", "log", "md", "json", "en", "html", "numbered", "diff"];
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
function addToolOutputs(corpus: Corpus): void {
  const random = seeded(13);
  const kinds = ["ts", "py", "code", "md"];
  for (let i = 0; i < 300; i++) {
    const text = pick(random, corpus.get(pick(random, kinds)) ?? [""]).slice(0, 16_000);
    addText(corpus, "numbered", numbered(random, text));
    addText(corpus, "diff", diff(random, text));
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
