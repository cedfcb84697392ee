/**
 * The words, operators and redirections of a POSIX shell command line: quotes, escapes, heredocs
 * and comments are known, names of variables are replaced. Every unit is looked at a bounded number
 * of times, whatever the text is.
 */

export type ShellToken =
  | ShellWord
  /** `at` is where it stands in the text. */
  | { readonly type: "operator"; readonly text: string; readonly at: number }
  /** The word behind it is its target. */
  | { readonly type: "redirect"; readonly text: string; readonly descriptor: string };

export interface ShellWord {
  readonly type: "word";
  /** Without quotes and escapes. */
  readonly text: string;
  /** False where only a shell could tell the text: globs, substitutions, unknown variables. */
  readonly plain: boolean;
  readonly quoted: boolean;
}

/** The place of the next token; a reader may set it back. */
export interface Cursor {
  at: number;
}

/** The value of a variable; `undefined` when it is not known. */
export type Variables = ReadonlyMap<string, string | undefined>;

/** Longer command lines are read up to here: what they touch is said early. */
const MAX_UNITS = 200_000;

/** The units that the variables of one word may stand for. */
const MAX_EXPANDED = 4_096;

/** Space and comments; an operator; a descriptor and a redirection. */
const TOKEN =
  /[ \t\r]+|\\\r?\n|#[^\n]*|(\n|&&|\|\||;;&?|;&|\|&|[;|)]|\((?!\()|&(?!>))|(\d*)(&>>|&>|>>|>\||>&|<<<|<<-?|<&|<>|[<>](?!\())/y;

/**
 * The tokens of a text without heredocs (see {@link withoutHeredocs}), one by one, so that an
 * assignment that was carried out counts for the words behind it.
 */
export function* shellTokens(
  text: string,
  variables: Variables,
  cursor: Cursor = { at: 0 },
): Generator<ShellToken> {
  while (cursor.at < text.length) {
    const { at } = cursor;
    const found = matchAt(TOKEN, text, at);
    if (found === undefined) {
      const { word, end } = readWord(text, at, variables);
      cursor.at = end;
      yield word;
      continue;
    }
    cursor.at += found[0].length;
    const [, operator, descriptor = "", redirect] = found;
    if (operator !== undefined) yield { type: "operator", text: operator, at };
    if (redirect !== undefined) yield { type: "redirect", text: redirect, descriptor };
  }
}

/**
 * Characters that mean only themselves (other space than these, such as U+00A0, is one of them), an
 * escape, a single-quoted text, a variable; then signs that only a shell can resolve. `[` is no glob
 * here: file names of the form `[id].tsx` are far more common in agents' work.
 */
const PIECE =
  /([^ \t\r\n;&|()<>\\'"$`*?]+)|\\(?:\n|([\s\S]))|'([^']*)'?|\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))|[*?]|\$'[^'\\]*(?:\\[\s\S][^'\\]*)*'?|\$(?![({])/y;
const QUOTED = /\\([$`"\\\n])|\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))|\$[\w({?@*#!$-]|`/g;
const OPENING = /"|`|\$[({]|[<>]\(|\((?=\()/y;

function readWord(
  text: string,
  from: number,
  variables: Variables,
): { word: ShellWord; end: number } {
  const word = { type: "word" as const, text: "", plain: true, quoted: false };
  let room = MAX_EXPANDED;
  const expanded = (name: string | undefined, typed: string): string => {
    const value = name === undefined ? undefined : variables.get(name);
    room -= value?.length ?? 0;
    if (value !== undefined && room > 0) return value;
    word.plain = false;
    return typed;
  };
  let at = from;
  for (;;) {
    const found = at < text.length ? matchAt(PIECE, text, at) : undefined;
    const opening = found === undefined ? matchAt(OPENING, text, at)?.[0] : undefined;
    if (found !== undefined) {
      const [typed, ordinary, escaped, single, braced, bare] = found;
      word.quoted ||= (escaped ?? single) !== undefined;
      const isBreak = typed === "\\\n";
      word.text +=
        ordinary ?? escaped ?? single ?? (isBreak ? "" : expanded(braced ?? bare, typed));
      at += typed.length;
    } else if (opening === '"') {
      const end = closingEnd(text, at);
      word.quoted = true;
      word.text += text
        .slice(at + 1, end - 1)
        .replace(QUOTED, (typed, escaped?: string, braced?: string, bare?: string) => {
          if (escaped !== undefined) return escaped.trim();
          return expanded(braced ?? bare, typed);
        });
      at = end;
    } else if (opening !== undefined) {
      word.plain = false;
      at = closingEnd(text, at + opening.length - 1);
    } else {
      return { word, end: Math.max(at, from + 1) };
    }
  }
}

const CLOSERS: Readonly<Record<string, string>> = {
  "'": "'",
  '"': '"',
  "`": "`",
  "(": ")",
  "{": "}",
};
/** Signs that can open or close something, by the closer that is awaited. */
const SPECIAL: Readonly<Record<string, RegExp>> = {
  "'": /'/g,
  '"': /\\|"|`|\$[({]/g,
  "`": /\\|`/g,
  ")": /[\\'"`()]|\$\{/g,
  "}": /[\\'"`}]|\$[({]/g,
};

/** The end of the quote or bracket that opens at `at`, with all in it; else the text's end. */
function closingEnd(text: string, at: number): number {
  const open = [CLOSERS[text.charAt(at)] ?? ""];
  let from = at + 1;
  for (let closer = open.at(-1); closer !== undefined; closer = open.at(-1)) {
    const pattern = SPECIAL[closer] ?? /$/g;
    pattern.lastIndex = from;
    const [found = ""] = pattern.exec(text) ?? [];
    if (found === "") return text.length;
    from = pattern.lastIndex;
    if (found === "\\") from++;
    else if (found === closer) open.pop();
    else open.push(CLOSERS[found.slice(-1)] ?? "");
  }
  return Math.min(from, text.length);
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

const HEREDOC = /(?<![<\d])<<(-?)[ \t]*(?:'([^'\n]+)'|"([^"\n]+)"|\\?([A-Za-z_][\w.]*))/g;

/**
 * A command line and the bodies of its heredocs, whose indices stand behind their `<<`. A `<<`
 * that has no last line of that name is none.
 */
export function withoutHeredocs(line: string): { text: string; heredocs: string[] } {
  const whole = line.slice(0, MAX_UNITS);
  if (!whole.includes("<<")) return { text: whole, heredocs: [] };
  const lines = whole.split("\n");
  const lastAt = new Map(lines.map((one, index) => [one.trim(), index]));
  const kept: string[] = [];
  const heredocs: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const takeBody = (whole: string, dash: string, ...names: (string | undefined)[]): string => {
      const name = names[0] ?? names[1] ?? names[2] ?? "";
      if ((lastAt.get(name) ?? -1) <= at) return whole;
      const from = at + 1;
      const ends = (one = name): boolean => (dash === "" ? one.trimEnd() : one.trim()) === name;
      do at++;
      while (!ends(lines[at]));
      return `<<${heredocs.push(lines.slice(from, at).join("\n")) - 1} `;
    };
    kept.push((lines[at] ?? "").replace(HEREDOC, takeBody));
  }
  return { text: kept.join("\n"), heredocs };
}

/** A command that changes the shell for those behind it, and so belongs to each of them. */
const SETS_UP = /^(?:cd|pushd|popd|export|source|\.)\s/;

/**
 * The commands that went well if a command line did: those of its last statement, joined by `&&`.
 * Commands before `;` may have failed unseen, and of lines with other operators nothing is said.
 * A `cd`, an `export` and the like is repeated before each command that it holds for.
 *
 * @example
 * stepsThatWentWell("cd app && npm run lint && npm test"); // ["cd app && npm run lint", "cd app && npm test"]
 */
export function stepsThatWentWell(line: string): readonly string[] {
  if (!/&&|[;\n]/.test(line)) return [];
  const statements = statementsOf(line);
  const last = statements?.pop() ?? [];
  // A statement before it settled where and how the last one ran.
  if (statements?.flat().some((step) => SETS_UP.test(step)) === true) return [];
  const before: string[] = [];
  const steps: string[] = [];
  for (const step of last) {
    if (SETS_UP.test(step)) before.push(step);
    else steps.push([...before, step].join(" && "));
  }
  return steps;
}

/** The commands of each statement; `undefined` for a line with other operators than `&&`, `|`, `;`. */
function statementsOf(line: string): string[][] | undefined {
  const statements: string[][] = [];
  let steps: string[] = [];
  let from = 0;
  for (const token of [
    ...shellTokens(line, new Map()),
    { type: "operator", text: ";", at: line.length } as const,
  ]) {
    if (token.type === "redirect" && token.text.startsWith("<<")) return undefined;
    if (token.type !== "operator" || token.text === "|") continue;
    const step = line.slice(from, token.at).trim();
    // Behind an operator a line break ends nothing.
    if (step.endsWith("|")) continue;
    from = token.at + token.text.length;
    if (step !== "") steps.push(step);
    if (token.text === "&&" || step === "") continue;
    if (token.text !== ";" && token.text !== "\n") return undefined;
    statements.push(steps);
    steps = [];
  }
  return statements;
}
