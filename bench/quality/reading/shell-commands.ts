/** What commands a command line holds, where each runs, and whether it is certain to have run. */
import { joinPath } from "./paths.ts";
import { lexShell, type Word } from "./shell-words.ts";

export interface Redirect {
  readonly operator: string;
  /** The descriptor in front, or nothing. */
  readonly fd: string;
  readonly target: Word;
}

export interface SimpleCommand {
  readonly words: readonly Word[];
  readonly redirects: readonly Redirect[];
  readonly hereDocuments: readonly string[];
  /** Relative to where the line starts; `undefined` when that depends on something. */
  readonly directory: string | undefined;
  /** Whether it ran for certain, given that the whole line succeeded. */
  readonly certain: boolean;
}

export interface ParsedLine {
  readonly commands: readonly SimpleCommand[];
  /** Command lines in substitutions; they may have run. */
  readonly substitutions: readonly string[];
  readonly whole: boolean;
  /** Values that a variable has by an assignment or a loop of the line itself. */
  readonly variables: ReadonlyMap<string, readonly string[]>;
  /** Where a shell that keeps its directory stands afterwards. */
  readonly endDirectory: string | undefined;
}

/** Commands that do not fail in practice, so that what follows by `&&` runs too. */
const HARMLESS = new Set([
  "cd",
  "echo",
  "printf",
  "mkdir",
  "export",
  "set",
  "pwd",
  "true",
  "sleep",
]);
const OPENERS = new Set(["if", "while", "until", "for", "case", "select", "function"]);
const CLOSERS = new Set(["fi", "done", "esac"]);
const INNER = new Set(["then", "else", "elif", "do", "!", "{", "}", "time"]);

interface Draft {
  words: Word[];
  redirects: Redirect[];
  hereDocuments: string[];
}

interface Placed extends Draft {
  /** Its failure would not be seen: something stands ready for it, or its message is thrown away. */
  masked: boolean;
  directory: string | undefined;
  chain: number;
  conditional: boolean;
  afterOr: boolean;
  afterRisk: boolean;
}

export function parseShell(text: string): ParsedLine {
  const { tokens, substitutions, whole } = lexShell(text);
  const variables = new Map<string, string[]>();
  const placed: Placed[] = [];
  const saved: (string | undefined)[] = [];
  let directory: string | undefined = "";
  let depth = 0;
  let chain = 0;
  let afterOr = false;
  let afterRisk = false;
  let risky = false;
  let strict = false;
  let draft: Draft = { words: [], redirects: [], hereDocuments: [] };
  let redirect: Omit<Redirect, "target"> | undefined;
  let loop: string | undefined;

  const place = (): void => {
    const { words, redirects } = draft;
    if (words.length > 0 || redirects.length > 0) {
      const conditional = depth > 0;
      const masked = draft.redirects.some(isErrorSink);
      placed.push({ ...draft, directory, chain, conditional, afterOr, afterRisk, masked });
      const [name, target] = words.map((word) => word.text);
      if (name === "cd" || name === "pushd" || name === "popd") {
        const isKnown = name === "cd" && (words[1]?.literal ?? false) && target !== "-";
        const isSure = !conditional && !afterOr && directory !== undefined;
        directory = isKnown && isSure ? joinPath(directory ?? "", target ?? "") : undefined;
      }
      if (name === "set" && (target ?? "").startsWith("-e")) strict = true;
      risky ||= !HARMLESS.has(name ?? "");
    }
    draft = { words: [], redirects: [], hereDocuments: [] };
  };
  const newChain = (): void => {
    chain++;
    afterOr = false;
    afterRisk = false;
    risky = false;
  };
  const operator = (text: string): void => {
    if (loop !== undefined && (text === ";" || text === "\n")) {
      const values = draft.words.slice(1).map((word) => word.text);
      variables.set(loop, values);
      loop = undefined;
      draft = { words: [], redirects: [], hereDocuments: [] };
      return;
    }
    place();
    if (text === "&&") afterRisk ||= risky;
    else if (text === "||") {
      for (const one of placed) one.masked ||= one.chain === chain;
      afterOr = true;
      afterRisk = true;
    } else if (text === "(") saved.push(directory);
    else if (text === ")" && saved.length > 0) directory = saved.pop();
    else if (text !== "|" && text !== "|&" && text !== ")") newChain();
  };
  const word = (one: Word): void => {
    if (redirect !== undefined) {
      draft.redirects.push({ ...redirect, target: one });
      redirect = undefined;
      return;
    }
    if (draft.words.length === 0 && loop === undefined && !one.quoted) {
      if (OPENERS.has(one.text)) {
        depth++;
        if (one.text === "for" || one.text === "select") loop = "";
        return;
      }
      if (CLOSERS.has(one.text)) {
        depth = Math.max(0, depth - 1);
        return;
      }
      if (INNER.has(one.text)) return;
      const assignment = /^(\w+)=([\s\S]*)$/.exec(one.text);
      if (assignment !== null) {
        const [, name = "", value = ""] = assignment;
        variables.set(name, [...(variables.get(name) ?? []), value]);
        return;
      }
    }
    if (loop === "") loop = one.text;
    else draft.words.push(one);
  };
  for (const token of tokens) {
    if (token.type === "operator") operator(token.text);
    else if (token.type === "word") word(token.word);
    else if (token.type === "redirect") redirect = { operator: token.text, fd: token.fd };
    else lastCommand(placed, draft).hereDocuments.push(token.text);
  }
  operator("\n");

  const lastChain = placed.at(-1)?.chain ?? 0;
  const commands = placed.map((one): SimpleCommand => {
    const followsRisk = one.afterRisk && one.chain !== lastChain && !strict;
    const certain = whole && !one.conditional && !one.afterOr && !one.masked && !followsRisk;
    return { ...one, certain };
  });
  return { commands, substitutions, whole, variables, endDirectory: directory };
}

/** A here-document stands behind the line end, when its command is already placed. */
function lastCommand(placed: readonly Placed[], draft: Draft): Draft {
  return placed.at(-1) ?? draft;
}

function isErrorSink({ operator, fd, target }: Redirect): boolean {
  return target.text === "/dev/null" && (fd === "2" || operator.startsWith("&"));
}
