import type { FileAccess } from "./file-access.ts";

/**
 * The files that a small Python or JavaScript text in a command line writes or removes. Only paths
 * that stand in the text as they are count, directly or by a name they were given:
 * `p = "a.ts"; open(p, "w")`. Its reads do not reach the conversation.
 * @param text The program.
 * @param args Its arguments, for `sys.argv[1]`.
 */
export function scriptFiles(
  text: string,
  args: readonly (string | undefined)[] = [],
): FileAccess[] {
  if (text.length > MAX_UNITS) return [];
  const paths = namedPaths(text, args);
  const files = new Map<string, FileAccess>();
  for (const [pattern, op] of PATTERNS) {
    for (const [, target = ""] of text.matchAll(pattern)) {
      const path = literal(target) ?? paths.get(target.trim());
      if (path === undefined || !isPlainPath(path)) continue;
      files.set(path, { path, op: op === "write" && isRead(text, target) ? "edit" : op });
    }
  }
  return [...files.values()];
}

const MAX_UNITS = 100_000;
/** A quoted text without escapes, a name, or an argument of the program. */
const TARGET = String.raw`("[^"\\\n]*"|'[^'\\\n]*'|[A-Za-z_]\w*|sys\.argv\[\d\])`;

function pattern(source: string): RegExp {
  return new RegExp(source.replace("TARGET", TARGET), "g");
}

const PATTERNS: readonly (readonly [RegExp, "write" | "edit" | "delete"])[] = [
  [pattern(String.raw`\bopen\(\s*TARGET\s*,\s*(?:mode\s*=\s*)?["'][wx]`), "write"],
  [pattern(String.raw`\bopen\(\s*TARGET\s*,\s*(?:mode\s*=\s*)?["'](?:a|r\+)`), "edit"],
  [pattern(String.raw`\bPath\(\s*TARGET\s*\)\.write_(?:text|bytes)\(`), "write"],
  [pattern(String.raw`\bTARGET\.write_(?:text|bytes)\(`), "write"],
  [pattern(String.raw`\bwriteFile(?:Sync)?\(\s*TARGET\s*,`), "write"],
  [pattern(String.raw`\bappendFile(?:Sync)?\(\s*TARGET\s*,`), "edit"],
  [pattern(String.raw`\bos\.(?:remove|unlink)\(\s*TARGET\s*\)`), "delete"],
  [pattern(String.raw`\b(?:unlink|rm)Sync\(\s*TARGET\s*[,)]`), "delete"],
];

const ASSIGNED = pattern(
  String.raw`\b([A-Za-z_]\w*)\s*=\s*(?:(?:pathlib\.)?Path\(\s*)?TARGET\s*\)?\s*(?:[;\n]|$)`,
);

/** Names that stand for one path; a name with two values stands for none. */
function namedPaths(text: string, args: readonly (string | undefined)[]): Map<string, string> {
  const paths = new Map<string, string>();
  const changed = new Set<string>();
  for (const [, name = "", value = ""] of text.matchAll(ASSIGNED)) {
    const path = literal(value) ?? args[argumentIndex(value)];
    if (paths.has(name)) changed.add(name);
    if (path !== undefined) paths.set(name, path);
  }
  for (const name of changed) paths.delete(name);
  for (let i = 0; i < args.length; i++) {
    const path = args[i];
    if (path !== undefined) paths.set(`sys.argv[${i + 1}]`, path);
  }
  return paths;
}

function literal(target: string): string | undefined {
  return /^["']/.test(target) ? target.slice(1, -1) : undefined;
}

function argumentIndex(target: string): number {
  const found = /^sys\.argv\[(\d)\]$/.exec(target);
  return found === null ? -1 : Number(found[1]) - 1;
}

/** A file that the same program reads was there before. */
function isRead(text: string, target: string): boolean {
  const name = escaped(target);
  const opened = String.raw`open\(\s*${name}\s*(?:\)|,\s*(?:["']r|encoding))`;
  const others = String.raw`Path\(${name}\)\.read_|${name}\.read_|readFile(?:Sync)?\(\s*${name}`;
  return new RegExp(`${opened}|${others}`).test(text);
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

function isPlainPath(path: string): boolean {
  return path !== "" && path.length < 1_024 && !/[*?{}$%<>|\n]|:\/\//.test(path);
}
