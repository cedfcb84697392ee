/** What commands a command line holds, where each runs, and whether it is certain to have run. */
import { joinPath } from "./paths.ts";

export interface Word {
  /** The word without its quotes. */
  readonly text: string;
  /** Whether the shell takes it as it stands: no variable, substitution, pattern or brace. */
  readonly literal: boolean;
  readonly quoted: boolean;
}

export interface SimpleCommand {
  readonly words: readonly Word[];
  readonly redirects: readonly { readonly sign: string; readonly target: Word }[];
  readonly hereDocuments: readonly string[];
  /** Relative to where the line starts; `undefined` when that depends on something. */
  readonly directory: string | undefined;
  /** Whether it ran for certain, given that the whole line succeeded. */
  readonly certain: boolean;
}

/** Where the escape, quote or bracket that starts at `at` ends; beyond the text if it does not. */
function endOf(text: string, at: number): number {
  if (text[at] === "\\") return at + 2;
  const open = /^(?:[$<>]?\(|\$\{|["'`])/.exec(text.slice(at, at + 2))?.[0];
  if (open === undefined) return at + 1;
  const closer = open === "${" ? "}" : open.endsWith("(") ? ")" : open;
  let end = at + open.length;
  while (end < text.length && text[end] !== closer) {
    const isPlain = open === "'" || (open === '"' && !/[\\$`]/.test(text[end] ?? ""));
    end = isPlain ? end + 1 : endOf(text, end);
  }
  return end < text.length ? end + 1 : text.length + 1;
}

const QUOTED = /\$?'([^']*)'|"((?:[^"\\]|\\[^])*)"|\\([^])/g;

function wordOf(typed: string): Word {
  const text = typed.replace(QUOTED, (_, single?: string, double?: string, escaped?: string) => {
    return single ?? double?.replace(/\\([$`"\\\n])/g, "$1") ?? escaped?.trim() ?? "";
  });
  const open = typed.replace(/'[^']*'|\\[^]/g, "");
  const literal = !/[$`]/.test(open) && !/[*?[{(]/.test(open.replace(QUOTED, ""));
  return { text, literal, quoted: /['"\\]/.test(typed) };
}

interface Token {
  readonly kind: "word" | "operator" | "redirect" | "here-document";
  readonly text: string;
}

const TOKEN =
  /[ \t\r]+|\\\n|#.*|(&&|\|\||;;|\|&|[;|()\n]|&(?!>))|(\d?(?:<<<|<<-?|&>>|>>|&>|>\||>&|<&|<>|[<>](?!\()))/y;

/** A command line as it is typed, with each here-document behind its line; ends whatever it is. */
function tokensOf(text: string): { tokens: Token[]; whole: boolean } {
  const tokens: Token[] = [];
  const pending: string[] = [];
  let whole = true;
  let at = 0;
  while (at < text.length) {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(text);
    const start = at;
    if (found === null) {
      while (
        at < text.length &&
        (!/[ \t\r\n;&|()<>]/.test(text[at] ?? "") || /^[<>]\(/.test(text.slice(at, at + 2)))
      )
        at = endOf(text, at);
      whole &&= at <= text.length;
      at = Math.max(at, start + 1);
      const typed = text.slice(start, at);
      if (/^<<-?$/.test(tokens.at(-1)?.text ?? "")) pending.push(wordOf(typed).text);
      tokens.push({ kind: "word", text: typed });
      continue;
    }
    at += found[0].length;
    const [, operator, redirect] = found;
    if (operator !== undefined) tokens.push({ kind: "operator", text: operator });
    if (redirect !== undefined) tokens.push({ kind: "redirect", text: redirect });
    for (const name of operator === "\n" ? pending.splice(0) : []) {
      const lines = text.slice(at).split("\n");
      const length = lines.findIndex((line) => line.replace(/^\t+/, "") === name);
      whole &&= length >= 0;
      const body = lines.slice(0, length < 0 ? undefined : length).join("\n");
      tokens.splice(-1, 0, { kind: "here-document", text: body });
      at = Math.min(text.length, at + body.length + name.length + 1);
    }
  }
  return { tokens, whole: whole && pending.length === 0 };
}

/** Commands that do not fail in practice, so that what follows by `&&` runs too. */
const HARMLESS = /^(?:cd|echo|printf|mkdir|export|set|pwd|true|sleep)?$/;
const OPENER = /^(?:if|while|until|for|case|select|function)$/;
const CLOSER = /^(?:fi|done|esac)$/;
const INNER = /^(?:then|else|elif|do|!|\{|\}|time)$/;

/** The commands of a line, and where a shell that keeps its directory stands afterwards. */
export function parseShell(text: string): {
  readonly commands: readonly SimpleCommand[];
  readonly endDirectory: string | undefined;
} {
  const { tokens, whole } = tokensOf(text);
  interface Placed extends SimpleCommand {
    /** Its failure would not be seen: something stands ready for it, or its message is thrown away. */
    masked: boolean;
    readonly chain: number;
    readonly afterRisk: boolean;
  }
  const placed: Placed[] = [];
  const saved: (string | undefined)[] = [];
  let directory: string | undefined = "";
  let depth = 0;
  let chain = 0;
  let afterOr = false;
  let afterRisk = false;
  let risky = false;
  let strict = false;
  let words: Word[] = [];
  let redirects: { sign: string; target: Word }[] = [];
  let hereDocuments: string[] = [];
  let sign: string | undefined;

  const place = (): void => {
    const [name = "", target = ""] = words.map((one) => one.text);
    const certain = whole && depth === 0 && !afterOr;
    const masked = redirects.some(
      (one) => /^[2&]/.test(one.sign) && one.target.text === "/dev/null",
    );
    placed.push({ words, redirects, hereDocuments, directory, certain, masked, chain, afterRisk });
    if (/^(?:cd|pushd|popd)$/.test(name)) {
      const isKnown = name === "cd" && words[1]?.literal === true && target !== "-" && certain;
      directory = isKnown && directory !== undefined ? joinPath(directory, target) : undefined;
    }
    strict ||= name === "set" && target.startsWith("-e");
    risky ||= !HARMLESS.test(name);
    words = [];
    redirects = [];
    hereDocuments = [];
  };
  const operator = (one: string): void => {
    if (words.length + redirects.length > 0) place();
    if (one === "&&") afterRisk ||= risky;
    else if (one === "||") {
      for (const before of placed) before.masked ||= before.chain === chain;
      afterOr = true;
      afterRisk = true;
    } else if (one === "(") saved.push(directory);
    else if (one === ")" && saved.length > 0) directory = saved.pop();
    else if (!/^(?:\|&?|\))$/.test(one)) {
      chain++;
      afterOr = false;
      afterRisk = false;
      risky = false;
    }
  };
  for (const { kind, text: typed } of tokens) {
    if (kind === "operator") operator(typed);
    else if (kind === "redirect") sign = typed;
    else if (kind === "here-document") hereDocuments.push(typed);
    else if (sign !== undefined) {
      if (!/<<-?$/.test(sign) || sign.endsWith("<<<"))
        redirects.push({ sign, target: wordOf(typed) });
      sign = undefined;
    } else if (words.length > 0) words.push(wordOf(typed));
    else if (OPENER.test(typed)) depth++;
    else if (CLOSER.test(typed)) depth = Math.max(0, depth - 1);
    else if (!INNER.test(typed) && !/^\w+=/.test(typed)) words.push(wordOf(typed));
  }
  operator("\n");
  const last = placed.at(-1)?.chain;
  const commands = placed.map((one) => {
    const followsRisk = one.afterRisk && one.chain !== last && !strict;
    return { ...one, certain: one.certain && !one.masked && !followsRisk };
  });
  return { commands, endDirectory: directory };
}
