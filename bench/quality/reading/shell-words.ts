/** Splits a POSIX shell command line into words, operators and here-documents. */

export interface Word {
  /** The word without its quotes. */
  readonly text: string;
  /** Whether the shell takes it as it stands: no variable, substitution, pattern or brace. */
  readonly literal: boolean;
  /** Whether any of it was quoted. */
  readonly quoted: boolean;
}

export type Token =
  | { readonly type: "word"; readonly word: Word }
  /** A control operator: `;`, a line end, `&&`, `||`, `|`, `&`, `(`, `)`, `;;`. */
  | { readonly type: "operator"; readonly text: string }
  | { readonly type: "redirect"; readonly text: string; readonly fd: string }
  | { readonly type: "here-document"; readonly text: string };

export interface Lexed {
  readonly tokens: readonly Token[];
  /** The command lines inside `$(…)` and back quotes. */
  readonly substitutions: readonly string[];
  /** Whether every quote, bracket and here-document was closed. */
  readonly whole: boolean;
}

const REDIRECTS = ["<<<", "<<-", "&>>", "<<", ">>", "&>", ">|", ">&", "<&", "<>", ">", "<"];
const OPERATORS = ["&&", "||", ";;", "|&", ";", "|", "&", "(", ")", "\n"];

interface Pending {
  readonly end: string;
  readonly indented: boolean;
}

/** Takes a command line apart. Never throws; what cannot be understood makes it not `whole`. */
export function lexShell(text: string): Lexed {
  const tokens: Token[] = [];
  const substitutions: string[] = [];
  const pending: Pending[] = [];
  let whole = true;
  let at = 0;
  let word: { text: string; literal: boolean; quoted: boolean } | undefined;
  let wantsDelimiter: "<<" | "<<-" | undefined;

  const add = (piece: string, change: Partial<Word> = {}): void => {
    word ??= { text: "", literal: true, quoted: false };
    word.text += piece;
    if (change.literal === false) word.literal = false;
    if (change.quoted === true) word.quoted = true;
  };
  const flush = (): void => {
    if (word === undefined) return;
    if (wantsDelimiter !== undefined) {
      pending.push({ end: word.text, indented: wantsDelimiter === "<<-" });
      wantsDelimiter = undefined;
    } else {
      tokens.push({ type: "word", word });
    }
    word = undefined;
  };
  /** Adds what stands in `$(…)`, `${…}` or back quotes, starting at its first character. */
  const addExpansion = (): void => {
    const end = expansionEnd(text, at);
    if (end === undefined) whole = false;
    const piece = text.slice(at, end ?? text.length);
    if (/^\$\((?!\()/.test(piece)) substitutions.push(piece.slice(2, -1));
    if (piece.startsWith("`")) substitutions.push(piece.slice(1, -1));
    add(piece, { literal: false });
    at += piece.length;
  };
  const addDoubleQuoted = (): void => {
    add("", { quoted: true });
    at++;
    while (at < text.length && text[at] !== '"') {
      if (text[at] === "\\" && /["\\$`\n]/.test(text[at + 1] ?? "")) {
        if (text[at + 1] !== "\n") add(text[at + 1] ?? "");
        at += 2;
      } else if (text[at] === "`" || /^\$[\w({@*#?]/.test(text.slice(at, at + 2))) {
        addExpansion();
      } else {
        add(text[at] ?? "");
        at++;
      }
    }
    if (at >= text.length) whole = false;
    at++;
  };
  const takeHereDocuments = (): void => {
    for (const { end, indented } of pending.splice(0)) {
      const body: string[] = [];
      let closed = false;
      while (at < text.length && !closed) {
        const stop = text.indexOf("\n", at);
        const line = text.slice(at, stop < 0 ? text.length : stop);
        at = stop < 0 ? text.length : stop + 1;
        closed = (indented ? line.replace(/^\t+/, "") : line) === end;
        if (!closed) body.push(line);
      }
      if (!closed) whole = false;
      tokens.push({ type: "here-document", text: body.join("\n") });
    }
  };

  while (at < text.length) {
    const char = text[at] ?? "";
    const rest = text.slice(at, at + 4);
    if (char === "\\") {
      if (text[at + 1] !== "\n") add(text[at + 1] ?? "", { quoted: true });
      at += 2;
    } else if (char === "'") {
      const end = text.indexOf("'", at + 1);
      if (end < 0) whole = false;
      add(text.slice(at + 1, end < 0 ? text.length : end), { quoted: true });
      at = end < 0 ? text.length : end + 1;
    } else if (rest.startsWith("$'")) {
      const end = /^\$'(?:[^'\\]|\\[\s\S])*'/.exec(text.slice(at))?.[0].length;
      if (end === undefined) whole = false;
      add(text.slice(at + 2, at + (end ?? text.length) - 1), { quoted: true, literal: false });
      at += end ?? text.length;
    } else if (char === '"') {
      addDoubleQuoted();
    } else if (char === "`" || /^\$[\w({@*#?!$-]/.test(rest)) {
      addExpansion();
    } else if (char === "#" && word === undefined) {
      const end = text.indexOf("\n", at);
      at = end < 0 ? text.length : end;
    } else if (char === " " || char === "\t" || char === "\r") {
      flush();
      at++;
    } else if (/^[<>]\(/.test(rest)) {
      const end = expansionEnd(text, at);
      add(text.slice(at, end ?? text.length), { literal: false });
      at = end ?? text.length;
    } else {
      const redirect = REDIRECTS.find((one) => rest.startsWith(one));
      const operator = OPERATORS.find((one) => rest.startsWith(one));
      if (redirect !== undefined) {
        const isFd = word !== undefined && /^\d$/.test(word.text) && !word.quoted;
        const fd = isFd ? (word?.text ?? "") : "";
        if (isFd) word = undefined;
        flush();
        if (redirect === "<<" || redirect === "<<-") wantsDelimiter = redirect;
        else tokens.push({ type: "redirect", text: redirect, fd });
        at += redirect.length;
      } else if (operator !== undefined) {
        flush();
        tokens.push({ type: "operator", text: operator });
        at += operator.length;
        if (operator === "\n") takeHereDocuments();
      } else {
        add(char, { literal: !"*?[{".includes(char) });
        at++;
      }
    }
  }
  flush();
  if (pending.length > 0) whole = false;
  return { tokens, substitutions, whole };
}

/** Where an expansion that starts at `from` ends; `undefined` when it does not. */
function expansionEnd(text: string, from: number): number | undefined {
  if (text[from] === "`") {
    const end = text.indexOf("`", from + 1);
    return end < 0 ? undefined : end + 1;
  }
  const open = text[from + 1];
  if (open !== "(" && open !== "{") {
    return from + (/^\$(?:\w+|.)/.exec(text.slice(from))?.[0].length ?? 1);
  }
  const close = open === "(" ? ")" : "}";
  let depth = 0;
  for (let at = from + 1; at < text.length; at++) {
    const char = text[at];
    if (char === "\\") at++;
    else if (char === "'" && open === "(") {
      const end = text.indexOf("'", at + 1);
      if (end < 0) return undefined;
      at = end;
    } else if (char === open) depth++;
    else if (char === close && --depth === 0) return at + 1;
  }
  return undefined;
}
