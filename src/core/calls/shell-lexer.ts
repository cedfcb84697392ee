/**
 * Reads a POSIX shell command line into words, operators and redirections. It knows quotes,
 * escapes, heredocs, comments, command and process substitution; it expands nothing.
 */

/** One word. `plain` is false when it holds a glob or an expansion that only a shell can do. */
export interface ShellWord {
  /** Without quotes and escapes; `$name` stands in it as `\uE000name\uE001`. */
  readonly text: string;
  readonly plain: boolean;
  readonly quoted: boolean;
  /** What stands in `$(…)`, backquotes, `<(…)` inside this word. */
  readonly nested: readonly ShellToken[][];
}

export interface ShellRedirect {
  /** The operator without its descriptor: `>`, `>>`, `<`, `<<<`, `&>`, … */
  readonly operator: string;
  readonly descriptor: string;
  readonly target: ShellWord;
  /** The body of a heredoc. */
  heredoc?: string;
}

export type ShellToken =
  | { readonly type: "word"; readonly word: ShellWord }
  /** `at` is where it stands in the command line. */
  | { readonly type: "operator"; readonly text: string; readonly at: number }
  | { readonly type: "redirect"; readonly redirect: ShellRedirect };

/** Longer command lines are read up to here: what they touch is said early. */
const MAX_UNITS = 200_000;
const MAX_DEPTH = 16;

interface Cursor {
  readonly text: string;
  at: number;
  depth: number;
  /** The next backquote ends the substitution: backquotes do not nest. */
  inBackquotes: boolean;
  heredocs: { redirect: ShellRedirect; delimiter: string; tabs: boolean }[];
}

interface WordDraft {
  text: string;
  plain: boolean;
  quoted: boolean;
  nested: ShellToken[][];
}

/** The tokens of a command line. Never throws; an open quote ends at the end of the text. */
export function lexShell(text: string): ShellToken[] {
  const head = text.slice(0, MAX_UNITS);
  return lexUntil({ text: head, at: 0, depth: 0, inBackquotes: false, heredocs: [] }, "");
}

/** Lexes up to an unmatched `closer` (`)` or a backquote) and steps over it. */
function lexUntil(cursor: Cursor, closer: string): ShellToken[] {
  const tokens: ShellToken[] = [];
  const { text } = cursor;
  let open = 0;
  while (cursor.at < text.length) {
    const char = text.charAt(cursor.at);
    if (char === closer && (char !== ")" || open === 0)) {
      cursor.at++;
      break;
    }
    const known = tokens.length;
    lexOne(cursor, tokens, char);
    const last = tokens.length > known ? tokens.at(-1) : undefined;
    if (last?.type === "operator" && last.text === "(") open++;
    if (last?.type === "operator" && last.text === ")") open--;
  }
  return tokens;
}

function lexOne(cursor: Cursor, tokens: ShellToken[], char: string): void {
  if (char === "\n") {
    tokens.push({ type: "operator", text: "\n", at: cursor.at++ });
    readHeredocs(cursor);
  } else if (char === " " || char === "\t" || char === "\r") {
    cursor.at++;
  } else if (char === "#") {
    const end = cursor.text.indexOf("\n", cursor.at);
    cursor.at = end < 0 ? cursor.text.length : end;
  } else {
    lexToken(cursor, tokens);
  }
}

const REDIRECT = /(\d*)(&>>|&>|>>|>\||>&|<<<|<<-|<<|<&|<>|>|<)/y;
const REDIRECT_START = /[\d<>&]/;
const OPERATOR = /&&|\|\||;;&?|;&|\|&|[;&|()]/y;

function lexToken(cursor: Cursor, tokens: ShellToken[]): void {
  const redirect = REDIRECT_START.test(cursor.text.charAt(cursor.at))
    ? matchAt(REDIRECT, cursor)
    : null;
  const isSubstitution =
    redirect !== null && /^[<>]$/.test(redirect[2] ?? "") && nextIs(cursor, redirect[0], "(");
  if (redirect !== null && !isSubstitution) {
    cursor.at += redirect[0].length;
    tokens.push({
      type: "redirect",
      redirect: readRedirect(cursor, redirect[1] ?? "", redirect[2] ?? ""),
    });
    return;
  }
  const operator = redirect === null ? matchAt(OPERATOR, cursor) : null;
  if (operator === null) {
    const word = readWord(cursor);
    tokens.push({ type: "word", word });
    if (word.text === "[[" && !word.quoted) skipPast(cursor, "]]");
    return;
  }
  const { at } = cursor;
  cursor.at += operator[0].length;
  if (operator[0] === "(" && cursor.text[cursor.at] === "(") skipPast(cursor, "))");
  else tokens.push({ type: "operator", text: operator[0], at });
}

/** Runs a sticky pattern where the cursor stands. */
function matchAt(pattern: RegExp, cursor: Cursor): RegExpExecArray | null {
  pattern.lastIndex = cursor.at;
  return pattern.exec(cursor.text);
}

function nextIs(cursor: Cursor, token: string, char: string): boolean {
  return cursor.text[cursor.at + token.length] === char;
}

function skipPast(cursor: Cursor, end: string): void {
  const at = cursor.text.indexOf(end, cursor.at);
  cursor.at = at < 0 ? cursor.text.length : at + end.length;
}

function readRedirect(cursor: Cursor, descriptor: string, operator: string): ShellRedirect {
  while (cursor.text[cursor.at] === " " || cursor.text[cursor.at] === "\t") cursor.at++;
  const target = readWord(cursor);
  const redirect: ShellRedirect = { operator, descriptor, target };
  if (operator === "<<" || operator === "<<-") {
    cursor.heredocs.push({ redirect, delimiter: target.text, tabs: operator === "<<-" });
  }
  return redirect;
}

function readHeredocs(cursor: Cursor): void {
  for (const heredoc of cursor.heredocs.splice(0)) {
    const start = cursor.at;
    let body = cursor.text.length;
    while (cursor.at < cursor.text.length) {
      const newline = cursor.text.indexOf("\n", cursor.at);
      const end = newline < 0 ? cursor.text.length : newline;
      const line = cursor.text.slice(cursor.at, end).replace(/\r$/, "");
      const found = (heredoc.tabs ? line.replace(/^\t+/, "") : line) === heredoc.delimiter;
      if (found) body = cursor.at;
      cursor.at = Math.min(end + 1, cursor.text.length);
      if (found) break;
    }
    heredoc.redirect.heredoc = cursor.text.slice(start, body);
  }
}

/** Other space, such as U+00A0, is a character like any other to a shell. */
const WORD_END = /[ \t\r\n;&|()<>]/;
/** Characters that mean only themselves, outside and inside of double quotes. */
const ORDINARY = /[^ \t\r\n;&|()<>\\'"$`*?]+/y;
const ORDINARY_QUOTED = /[^"\\$`]+/y;

function readWord(cursor: Cursor): ShellWord {
  const draft: WordDraft = { text: "", plain: true, quoted: false, nested: [] };
  const { text } = cursor;
  while (cursor.at < text.length) {
    takeRun(cursor, draft, ORDINARY);
    const char = text.charAt(cursor.at);
    const substitution = (char === "<" || char === ">") && text[cursor.at + 1] === "(";
    if (WORD_END.test(char) && !(substitution && draft.text === "")) break;
    if (char === "`" && cursor.inBackquotes) break;
    readPiece(cursor, draft, char);
  }
  return draft;
}

function takeRun(cursor: Cursor, draft: WordDraft, pattern: RegExp): void {
  const run = matchAt(pattern, cursor)?.[0] ?? "";
  draft.text += run;
  cursor.at += run.length;
}

function readPiece(cursor: Cursor, draft: WordDraft, char: string): void {
  if (char === "\\") readEscape(cursor, draft);
  else if (char === "'") readSingleQuoted(cursor, draft);
  else if (char === '"') readDoubleQuoted(cursor, draft);
  else if (char === "$") readDollar(cursor, draft);
  else if (char === "`") readBackquoted(cursor, draft);
  else if (char === "<" || char === ">") {
    cursor.at += 2;
    readNested(cursor, draft, ")");
  } else {
    // `[` is no glob here: file names of the form `[id].tsx` are far more common in agents' work.
    if (char === "*" || char === "?") draft.plain = false;
    draft.text += char;
    cursor.at++;
  }
}

function readEscape(cursor: Cursor, draft: WordDraft): void {
  const next = cursor.text[cursor.at + 1] ?? "";
  if (next !== "\n") {
    draft.text += next;
    draft.quoted = true;
  }
  cursor.at += 2;
}

function readSingleQuoted(cursor: Cursor, draft: WordDraft): void {
  const end = cursor.text.indexOf("'", cursor.at + 1);
  const stop = end < 0 ? cursor.text.length : end;
  draft.text += cursor.text.slice(cursor.at + 1, stop);
  draft.quoted = true;
  cursor.at = stop + 1;
}

function readDoubleQuoted(cursor: Cursor, draft: WordDraft): void {
  draft.quoted = true;
  cursor.at++;
  while (cursor.at < cursor.text.length) {
    takeRun(cursor, draft, ORDINARY_QUOTED);
    const char = cursor.text.charAt(cursor.at);
    if (char === '"') break;
    if (char === "$") readDollar(cursor, draft);
    else if (char === "`") readBackquoted(cursor, draft);
    else if (char === "\\" && /[$`"\\\n]/.test(cursor.text[cursor.at + 1] ?? ""))
      readEscape(cursor, draft);
    else {
      draft.text += char;
      cursor.at++;
    }
  }
  cursor.at++;
}

const VARIABLE = /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/y;

function readDollar(cursor: Cursor, draft: WordDraft): void {
  const { text, at } = cursor;
  const variable = matchAt(VARIABLE, cursor);
  if (variable !== null) {
    draft.text += `\uE000${variable[1] ?? variable[2] ?? ""}\uE001`;
    cursor.at += variable[0].length;
  } else if (text.startsWith("$((", at)) {
    draft.plain = false;
    skipPast(cursor, "))");
  } else if (text.startsWith("$(", at)) {
    cursor.at += 2;
    readNested(cursor, draft, ")");
  } else if (text.startsWith("${", at)) {
    draft.plain = false;
    skipPast(cursor, "}");
  } else if (text.startsWith("$'", at)) {
    cursor.at++;
    readAnsiQuoted(cursor, draft);
  } else {
    if (/[\w?@*#!$-]/.test(text[at + 1] ?? "")) draft.plain = false;
    draft.text += "$";
    cursor.at++;
  }
}

/** `$'…'`: the escapes are kept as they are, for no path is written that way. */
function readAnsiQuoted(cursor: Cursor, draft: WordDraft): void {
  const quoted = /'(?:[^'\\]|\\[\s\S])*'?/y;
  const found = matchAt(quoted, cursor)?.[0] ?? "'";
  if (found.includes("\\")) draft.plain = false;
  draft.text += found.replace(/^'|'$/g, "");
  draft.quoted = true;
  cursor.at += found.length;
}

function readBackquoted(cursor: Cursor, draft: WordDraft): void {
  cursor.at++;
  readNested(cursor, draft, "`");
}

function readNested(cursor: Cursor, draft: WordDraft, closer: string): void {
  draft.plain = false;
  if (cursor.depth >= MAX_DEPTH) {
    cursor.at = cursor.text.length;
    return;
  }
  const { inBackquotes } = cursor;
  cursor.depth++;
  cursor.inBackquotes = closer === "`";
  draft.nested.push(lexUntil(cursor, closer));
  cursor.inBackquotes = inBackquotes;
  cursor.depth--;
}
