/** What shell commands do to files, as far as it can be told from the command line alone. */
import { baseName, joinPath } from "./paths.ts";
import { parseShell, type SimpleCommand, type Word } from "./shell-commands.ts";

export type Operation = "created" | "modified" | "deleted" | "read";

/** Something that was done to a file. */
export interface FileAct {
  readonly path: string;
  /** One of these; which, the line does not say. */
  readonly operations: readonly Operation[];
  readonly certain: boolean;
}

export interface ShellReading {
  readonly acts: readonly FileAct[];
  /**
   * The commands that are code, or that depend on a variable or a pattern: they may do anything to
   * whatever they name. Once for every value of the variables that the line sets itself.
   */
  readonly opaque: readonly string[];
  readonly endDirectory: string | undefined;
}

export const ANY: readonly Operation[] = ["created", "modified", "deleted", "read"];
const WRITTEN: readonly Operation[] = ["created", "modified"];

/** Programs that print a file that they are given. */
const PRINTER = /^(?:cat|head|tail|nl|tac|less|more)$/;
/** Programs that only look at what they are given. */
const LOOKER =
  /^(?:[ef]?grep|rg|ag|ls|wc|sort|uniq|diff|cmp|jq|yq|file|stat|(?:md5|sha1|sha256|sha)sum|du|tree|which|readlink|realpath|od|xxd|hexdump|strings|column|cut|g?awk|tr|test|\[\[?|source|\.|comm|basename|dirname|bat|fold|rev|zcat)$/;
const SILENT =
  /^(?:cd|echo|printf|export|true|false|sleep|kill|ps|pwd|set|unset|exit|wait|date|whoami|id|uname|type|alias|ulimit|trap|read|return|break|continue|shift|local|declare|popd|pushd|clear|history|env)$/;
const CODE =
  /^(?:node|deno|bun|tsx|python[\d.]*|ruby|perl|php|bash|sh|zsh|xargs|parallel|eval|find|fd|awk|gawk|ssh)$/;

/** Reads a command line that ran in `directory`. */
export function readShell(line: string, directory: string): ShellReading {
  const { commands, endDirectory } = parseShell(line);
  const variables = variablesOf(line);
  const acts: FileAct[] = [];
  const opaque: string[] = [];
  for (const command of commands) {
    const base = command.directory === undefined ? "" : joinPath(directory, command.directory);
    const isKnown = command.directory !== undefined;
    for (const act of commandActs(command)) {
      const path = isKnown ? joinPath(base, act.path) : act.path;
      acts.push({ ...act, path, certain: act.certain && command.certain });
    }
    if (isOpaque(command)) opaque.push(...expanded(textOf(command), variables));
  }
  const end = endDirectory === undefined ? undefined : joinPath(directory, endDirectory);
  return { acts, opaque, endDirectory: end };
}

function textOf({ words, redirects, hereDocuments }: SimpleCommand): string {
  const targets = redirects.map(({ sign, target }) => `${sign} ${target.text}`);
  return [...words.map(({ text }) => text), ...targets, ...hereDocuments].join(" ");
}

/** Values that a variable has by an assignment or a loop of the line itself. */
function variablesOf(line: string): ReadonlyMap<string, readonly string[]> {
  const variables = new Map<string, readonly string[]>();
  for (const [, loop, list, name, value] of line.matchAll(
    /\bfor (\w+) in ([^;\n]*)|\b(\w+)=(\S*)/g,
  )) {
    const values = (list ?? value ?? "").split(" ").map((one) => one.replace(/^["']|["';]+$/g, ""));
    const key = loop ?? name ?? "";
    variables.set(key, [...(variables.get(key) ?? []), ...values]);
  }
  return variables;
}

/** The most lines that loops in loops are written out as. */
const MOST_EXPANDED = 300;

function expanded(line: string, variables: ReadonlyMap<string, readonly string[]>): string[] {
  let lines = [line];
  for (const [name, values] of variables) {
    const use = new RegExp(`\\$(?:${name}\\b|\\{${name}\\})`, "g");
    if (values.length === 0 || !lines.some((one) => use.test(one))) continue;
    const all = lines.flatMap((one) => values.map((value) => one.replace(use, () => value)));
    lines = [...lines, ...all].slice(0, MOST_EXPANDED);
  }
  return lines;
}

/** What code of any language must contain to do more than to read. */
const VERBS: Readonly<Record<Operation, RegExp>> = {
  read: /(?:)/,
  created:
    />|\b(?:cp|mv|tee|touch|ln|install|write\w*|open|dump|rename\w*|copy\w*|git (?!diff|log|show)|tar|unzip|curl|wget|patch)\b|writeFile|Set-Content|Out-File|\s-o\b/i,
  modified:
    />|\b(?:cp|mv|tee|sed|perl|write\w*|open|dump|rename\w*|copy\w*|git (?!diff|log|show)|patch|sort)\b|writeFile|Set-Content|Out-File|\s-o\b/i,
  deleted:
    /\b(?:rm|rmdir|unlink\w*|remove|rmtree|rmSync|delete|mv|rename\w*|git (?:rm|mv|clean|checkout|restore|stash|reset|rebase|merge))\b|Remove-Item/i,
};

/** Whether a command that is code can do this to a file of that name. */
export function canDo(line: string, name: string, operation: Operation): boolean {
  const at = line.indexOf(name);
  if (at < 0 || /[\w-]/.test(`${line[at - 1] ?? ""}${line[at + name.length] ?? ""}`)) return false;
  return VERBS[operation].test(line.replace(/\d?>&\d|\d?>\s*\/dev\/null|[=-]>/g, " "));
}

function isOpaque({ words, redirects, hereDocuments }: SimpleCommand): boolean {
  const [name = "", verb = ""] = withoutPrefix(words).map((word) => word.text);
  if (CODE.test(baseName(name)) || redirects.some(({ target }) => !target.literal)) return true;
  if (LOOKER.test(name) || SILENT.test(name)) return false;
  if (name === "git" && GIT_LOOKER.test(verb)) return false;
  if (words.some((word) => !word.literal)) return true;
  return hereDocuments.length > 0 && !PRINTER.test(name) && name !== "tee";
}

/** Without `sudo`, `time`, `timeout 5` in front. */
function withoutPrefix(words: readonly Word[]): readonly Word[] {
  const name = words[0]?.text ?? "";
  if (/^(?:\w+=.*|sudo|time|nohup|command|env|exec)$/.test(name))
    return withoutPrefix(words.slice(1));
  return name === "timeout" ? withoutPrefix(words.slice(2)) : words;
}

function commandActs({ words, redirects, hereDocuments }: SimpleCommand): FileAct[] {
  const [name = "", ...args] = withoutPrefix(words).map((word) => word.text);
  const written = redirects.flatMap(({ sign, target: { text, literal } }): FileAct[] => {
    if (sign === "<<<" || (sign.endsWith("&") && /^[\d-]+$/.test(text))) return [];
    return [{ path: text, operations: sign.includes(">") ? WRITTEN : ["read"], certain: literal }];
  });
  const patches = /^apply_?patch$/.test(name)
    ? [...args, ...hereDocuments].flatMap(patchFiles)
    : [];
  const done = programActs(baseName(name), withoutPrefix(words).slice(1));
  return [...written, ...patches, ...done].filter(
    ({ path }) => path !== "" && path !== "-" && !path.startsWith("/dev/"),
  );
}

function programActs(name: string, args: readonly Word[]): FileAct[] {
  const has = (option: RegExp): boolean => args.some(({ text }) => option.test(text));
  if (SILENT.test(name)) return [];
  if (PRINTER.test(name)) return acts(operands(args, /^-[ncbwsvi]$/), ["read"]);
  if (name === "sed") {
    const files = operands(args, /^-[ef]$/).filter(({ text, quoted }) => text !== "" || !quoted);
    const inPlace = has(/^(?:-[a-zA-Z]*i|--in-place)/);
    return acts(has(/^-(?:e|f|-expression)/) ? files : files.slice(1), [
      inPlace ? "modified" : "read",
    ]);
  }
  if (name === "tee" || name === "touch") return acts(operands(args, /^-[tdr]$/), WRITTEN);
  if (name === "rm" || name === "unlink") return removed(args, has(/^-\w*[rR]|^--recursive/));
  if (name === "mv" || name === "cp") return moved(args, name);
  if (name === "git") return gitActs(args);
  const isSearch = name === "find" && !has(/^-(?:exec|delete|ok|fprint)/);
  return maybe(args, isSearch || LOOKER.test(name) ? ["read"] : ANY);
}

/** Every argument, as something that may be a file. */
function maybe(args: readonly Word[], operations: readonly Operation[]): FileAct[] {
  return args
    .filter(({ text }) => !text.startsWith("-") || text.includes("="))
    .map(({ text }) => (text.startsWith("-") ? text.slice(text.indexOf("=") + 1) : text))
    .map((path) => ({ path, operations, certain: false }));
}

function acts(words: readonly Word[], operations: readonly Operation[]): FileAct[] {
  return words.map(({ text, literal }) => ({ path: text, operations, certain: literal }));
}

/** The arguments that are no options; those of `valued` take the next argument. */
function operands(args: readonly Word[], valued = /^$(?!)/): readonly Word[] {
  const over = args.findIndex(({ text }) => text === "--");
  return args.filter(({ text }, at) => {
    if (over >= 0 && at >= over) return at > over;
    return !/^-.|^\+\d+$/.test(text) && !valued.test(args[at - 1]?.text ?? "");
  });
}

function removed(args: readonly Word[], isTree: boolean): FileAct[] {
  return acts(operands(args), ["deleted"]).map((act) => {
    return { ...act, certain: act.certain && (!isTree || hasExtension(act.path)) };
  });
}

/** `mv a b`, `mv a b dir/`: what each source becomes; a directory cannot be told from a file. */
function moved(args: readonly Word[], name: string): FileAct[] {
  const sources = [...operands(args)];
  const target = sources.pop();
  if (target === undefined || args.some(({ text }) => /^-(?:t|-target)/.test(text)))
    return maybe(args, ANY);
  const isFolder = sources.length > 1 || /(?:^|\/)(?:\.{1,2})?$/.test(target.text);
  return sources.flatMap((from): FileAct[] => {
    const isFile = hasExtension(from.text) && from.literal;
    const inside = joinPath(target.text, baseName(from.text));
    const isSure = isFile && target.literal && (isFolder || hasExtension(target.text));
    const source: Operation = name === "cp" ? "read" : "deleted";
    return [
      { path: from.text, operations: [source], certain: isFile && name !== "cp" },
      { path: isFolder ? inside : target.text, operations: WRITTEN, certain: isSure },
      { path: inside, operations: WRITTEN, certain: false },
    ];
  });
}

function hasExtension(path: string): boolean {
  return /[^./]\.[A-Za-z]\w{0,9}$/.test(path);
}

const GIT_LOOKER =
  /^(?:add|commit|diff|log|show|status|blame|ls-files|grep|rev-parse|describe|shortlog|ls-tree|cat-file|check-ignore|tag|branch|remote|push|fetch)$/;

function gitActs(all: readonly Word[]): FileAct[] {
  const isElsewhere = all[0]?.text === "-C";
  const [verb, ...args] = isElsewhere ? all.slice(2) : all;
  const named = args.map((arg) => ({ ...arg, text: arg.text.replace(/^[^:\s]*:(?!\\)/, "") }));
  let found = maybe(named, GIT_LOOKER.test(verb?.text ?? "") ? ["read"] : ANY);
  if (verb?.text === "mv") found = moved(args, "mv");
  if (verb?.text === "rm")
    found = removed(args.some(({ text }) => text === "--cached") ? [] : args, false);
  const directory = isElsewhere ? (all[1]?.text ?? "") : "";
  return found.map((act) => ({ ...act, path: joinPath(directory, act.path) }));
}

/** The files that a patch in the `*** Begin Patch` form names. */
export function patchFiles(patch: string): FileAct[] {
  const found: FileAct[] = [];
  for (const [, verb = "", path = ""] of patch.matchAll(
    /^\*\*\* (Add File|Update File|Delete File|Move to): (.+?)\s*$/gm,
  )) {
    const isMove = verb === "Move to";
    const from = isMove ? found.pop() : undefined;
    if (from !== undefined) found.push({ ...from, operations: ["deleted", "modified"] });
    // Adding a file that is there replaces it.
    const isNew = isMove || verb === "Add File";
    const operations: readonly Operation[] = [verb === "Delete File" ? "deleted" : "modified"];
    found.push({ path, operations: isNew ? WRITTEN : operations, certain: true });
  }
  return found;
}
