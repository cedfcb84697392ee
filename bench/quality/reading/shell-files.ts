/** What shell commands do to files, as far as it can be told from the command line alone. */
import { patchFiles } from "./patch.ts";
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
const PRINTERS = new Set(["cat", "head", "tail", "nl", "tac", "less", "more"]);
/** Programs that only look at what they are given. */
const LOOKERS = new Set(
  "grep egrep fgrep rg ag ls wc sort uniq diff cmp jq yq file stat md5sum sha1sum sha256sum shasum du tree which readlink realpath od xxd hexdump strings column cut awk gawk tr test [ [[ source . comm basename dirname bat fold rev zcat".split(
    " ",
  ),
);
const SILENT = new Set(
  "cd echo printf export true false sleep kill ps pwd set unset exit wait date whoami id uname type alias ulimit trap read return break continue shift local declare popd pushd clear history env".split(
    " ",
  ),
);
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
  if (CODE.test(baseName(name))) return true;
  if (redirects.some(({ target }) => !target.literal)) return true;
  if (LOOKERS.has(name) || SILENT.has(name)) return false;
  if (name === "git" && GIT_LOOKERS.test(verb)) return false;
  if (words.some((word) => !word.literal)) return true;
  return hereDocuments.length > 0 && !PRINTERS.has(name) && name !== "tee";
}

function commandActs(command: SimpleCommand): FileAct[] {
  const words = withoutPrefix(command.words);
  const acts = command.redirects.flatMap(({ sign, target }) => redirectActs(sign, target));
  const [first, ...args] = words;
  if (first === undefined) return acts;
  return [...acts, ...programActs(baseName(first.text), args, command)].filter(
    ({ path }) => path !== "" && path !== "-" && !path.startsWith("/dev/"),
  );
}

/** Without `sudo`, `time`, `timeout 5`, `env A=b` and assignments in front. */
function withoutPrefix(words: readonly Word[]): readonly Word[] {
  let rest = words;
  for (;;) {
    const name = rest[0]?.text ?? "";
    if (/^\w+=/.test(name) || /^(?:sudo|time|nohup|command|env|exec|builtin)$/.test(name)) {
      rest = rest.slice(1);
    } else if (name === "timeout") {
      rest = rest.slice((rest[1]?.text ?? "").startsWith("-") ? 3 : 2);
    } else {
      return rest;
    }
  }
}

function redirectActs(sign: string, target: Word): FileAct[] {
  if (sign === "<<<" || (sign.endsWith("&") && /^[\d-]+$/.test(target.text))) return [];
  const operations: readonly Operation[] = sign.includes(">") ? WRITTEN : ["read"];
  return [{ path: target.text, operations, certain: target.literal }];
}

function programActs(name: string, args: readonly Word[], command: SimpleCommand): FileAct[] {
  if (SILENT.has(name)) return [];
  if (PRINTERS.has(name)) return printed(args);
  if (name === "sed") return sedActs(args);
  if (name === "perl" && args.some((arg) => /^-\w*i/.test(arg.text))) return perlActs(args);
  if (name === "tee") return acts(operands(args), WRITTEN);
  if (name === "touch") return acts(operands(args, ["-t", "-d", "-r"]), WRITTEN);
  if (name === "rm" || name === "unlink") return removed(args);
  if (name === "mv") return moved(args, "deleted");
  if (name === "cp" || name === "install") return moved(args, "read");
  if (name === "git") return gitActs(args);
  if (name === "apply_patch" || name === "applypatch") return patchActs(args, command);
  if (name === "curl" || name === "wget") return downloaded(name, args);
  if (name === "mkdir" || name === "ln") return maybe(args, ["created"]);
  if (name === "rmdir") return maybe(args, ["deleted"]);
  if (name === "chmod" || name === "chown" || name === "truncate") return maybe(args, ["modified"]);
  if (LOOKERS.has(name)) return maybe(args, ["read"]);
  if (name === "find" && !args.some(({ text }) => /^-(?:exec|delete|ok|fprint)/.test(text))) {
    return maybe(args, ["read"]);
  }
  return maybe(args, ANY);
}

/** Every argument, as something that may be a file. */
function maybe(args: readonly Word[], operations: readonly Operation[]): FileAct[] {
  return args.flatMap(({ text }) => {
    const value = text.startsWith("-") ? text.slice(text.indexOf("=") + 1) : text;
    return value === text && text.startsWith("-")
      ? []
      : [{ path: value, operations, certain: false }];
  });
}

function acts(words: readonly Word[], operations: readonly Operation[]): FileAct[] {
  return words.map(({ text, literal }) => ({ path: text, operations, certain: literal }));
}

/** The arguments that are no options; the named options take the next argument. */
function operands(args: readonly Word[], valued: readonly string[] = []): readonly Word[] {
  const out: Word[] = [];
  let isOver = false;
  let isValue = false;
  for (const one of args) {
    if (isValue) isValue = false;
    else if (!isOver && one.text === "--" && !one.quoted) isOver = true;
    else if (!isOver && valued.includes(one.text)) isValue = true;
    else if (isOver || !/^-./.test(one.text)) out.push(one);
  }
  return out;
}

function printed(args: readonly Word[]): FileAct[] {
  const files = operands(args, ["-n", "-c", "-b", "-w", "-s", "-v", "-i"]);
  return acts(
    files.filter(({ text }) => !/^\+\d+$/.test(text)),
    ["read"],
  );
}

/** `sed [-n] script file…`, `sed -i script file…` (also with an empty suffix, as on macOS). */
function sedActs(args: readonly Word[]): FileAct[] {
  const inPlace = args.some(({ text }) => /^(?:-[a-zA-Z]*i|--in-place)/.test(text));
  const hasScript = args.some(({ text }) => /^-(?:e|f|-expression|-file)/.test(text));
  const files = operands(args, ["-e", "-f", "--expression", "--file"]).filter(
    ({ text, quoted }) => !(text === "" && quoted),
  );
  return acts(hasScript ? files : files.slice(1), inPlace ? ["modified"] : ["read"]);
}

function perlActs(args: readonly Word[]): FileAct[] {
  const script = args.findIndex(({ text }) => /^-\w*[eE]$/.test(text));
  const files = args.slice(script + 2).filter(({ text }) => !text.startsWith("-"));
  return script < 0 ? maybe(args, ANY) : acts(files, ["modified"]);
}

function removed(args: readonly Word[]): FileAct[] {
  const isTree = args.some(({ text }) => /^-\w*[rR]|^--recursive/.test(text));
  return acts(operands(args), ["deleted"]).map((act) => {
    return { ...act, certain: act.certain && (!isTree || hasExtension(act.path)) };
  });
}

/** `mv a b`, `mv a b dir/`: what each source becomes; a directory cannot be told from a file. */
function moved(args: readonly Word[], source: "deleted" | "read"): FileAct[] {
  const words = operands(args, ["-m", "-o", "-g"]);
  const target = words.at(-1);
  const sources = words.slice(0, -1);
  if (target === undefined || args.some(({ text }) => /^-(?:t|-target)/.test(text))) {
    return maybe(args, ANY);
  }
  const isFolder = sources.length > 1 || /(?:^|\/)(?:\.{1,2})?$/.test(target.text);
  return sources.flatMap((from): FileAct[] => {
    const isFile = hasExtension(from.text) && from.literal;
    const inside = joinPath(target.text, baseName(from.text));
    const path = isFolder ? inside : target.text;
    const isSure = isFile && target.literal && (isFolder || hasExtension(target.text));
    return [
      { path: from.text, operations: [source], certain: isFile && source === "deleted" },
      { path, operations: WRITTEN, certain: isSure },
      ...(isSure ? [] : [{ path: inside, operations: WRITTEN, certain: false }]),
    ];
  });
}

function hasExtension(path: string): boolean {
  return /[^./]\.[A-Za-z]\w{0,9}$/.test(path);
}

const GIT_LOOKERS =
  /^(?:add|commit|diff|log|show|status|blame|ls-files|grep|rev-parse|describe|shortlog|ls-tree|cat-file|check-ignore|tag|branch|remote|push|fetch)$/;

function gitActs(all: readonly Word[]): FileAct[] {
  const at = all[0]?.text === "-C" ? 2 : 0;
  const directory = at === 2 ? (all[1]?.text ?? "") : "";
  const verb = all[at]?.text ?? "";
  const args = all.slice(at + 1);
  const found = (): FileAct[] => {
    if (verb === "mv") return moved(args, "deleted");
    if (verb === "rm") return args.some(({ text }) => text === "--cached") ? [] : removed(args);
    const named = args.map((arg) => ({ ...arg, text: arg.text.replace(/^[^:\s]*:(?!\\)/, "") }));
    return maybe(named, GIT_LOOKERS.test(verb) ? ["read"] : ANY);
  };
  return found().map((act) => ({ ...act, path: joinPath(directory, act.path) }));
}

function patchActs(args: readonly Word[], { hereDocuments }: SimpleCommand): FileAct[] {
  return [...args.map(({ text }) => text), ...hereDocuments].flatMap((text) => patchFiles(text));
}

function downloaded(name: string, args: readonly Word[]): FileAct[] {
  const option = name === "curl" ? /^(?:-\w*o|--output)$/ : /^(?:-\w*O|--output-document)$/;
  const at = args.findIndex(({ text }) => option.test(text));
  const target = at < 0 ? undefined : args[at + 1];
  return target === undefined ? maybe(args, ANY) : acts([target], WRITTEN);
}
