/** A shell's command line, taken apart into simple commands. Linear time, whatever the text is. */

export interface Statement {
  /** With their quotes. */
  readonly words: string[];
  readonly redirects: { readonly sign: string; readonly target: string }[];
  /** The text of its heredoc. */
  readonly input: string | undefined;
  readonly operator: string;
  /** The place of that operator in the line. */
  readonly to: number;
}

/** Text in brackets; deeper brackets than these end it. */
function brackets(depth: number): string {
  const inner = depth === 0 ? "" : `|${brackets(depth - 1)}`;
  return String.raw`\((?:[^()'"\\]+|\\[^]|'[^']*'?|"(?:[^"\\]|\\[^])*"?${inner})*\)?`;
}

const BRACKETS = brackets(3);
const BACK_QUOTES = "`[^`]*`?";
const DOUBLE = String.raw`"(?:[^"\\$\x60]+|\\[^]|\$${BRACKETS}|\$|${BACK_QUOTES})*"?`;
const EXPANSION = String.raw`\$'(?:[^'\\]|\\[^])*'?|\$\{[^}]*\}?|[$<>]${BRACKETS}|\((?=\()${BRACKETS}|\$`;

/** Pieces of a word. All of them match at any place, closed or not, so that nothing is tried twice. */
const WORD = String.raw`(?:[^ \t\r\n;&|()<>\\'"$\x60]+|\\[^]?|'[^']*'?|${DOUBLE}|${BACK_QUOTES}|${EXPANSION})+`;
const OPERATOR = String.raw`\n|&&|\|\||;;?&?|\|&|\||&(?!>)|\((?!\()|\)`;
const REDIRECT = String.raw`\d*(?:&>>?|>>|>\||>&|<<<|<<|<&|<>|[<>](?!\())`;
const TOKEN = new RegExp(
  `[ \\t\\r]+|\\\\\\r?\\n|#[^\\n]*|\\d*[<>]&[\\d-]+|(${OPERATOR})|(${REDIRECT})|(${WORD})`,
  "g",
);

/** Longer command lines are read up to here: what they touch is said early. */
const MAX_UNITS = 200_000;

/** The simple commands of a line, in order. Those without words stand before or behind brackets. */
export function shellStatements(line: string): Statement[] {
  const { text, heredocs } = withoutHeredocs(line.slice(0, MAX_UNITS));
  const statements: Statement[] = [];
  let words: string[] = [];
  let redirects: { sign: string; target: string }[] = [];
  let input: string | undefined;
  let sign: string | undefined;
  const end = (operator: string, to: number): void => {
    // Behind an operator a line break ends nothing.
    if (operator === "\n" && words.length + redirects.length === 0) return;
    statements.push({ words, redirects, input, operator, to });
    words = [];
    redirects = [];
    input = undefined;
    sign = undefined;
  };
  TOKEN.lastIndex = 0;
  for (let found = TOKEN.exec(text); found !== null; found = TOKEN.exec(text)) {
    const { 1: operator, 2: redirect, 3: word, index } = found;
    if (operator !== undefined) end(operator, index);
    if (redirect !== undefined) sign = redirect;
    if (word === undefined) continue;
    if (sign === undefined) words.push(word);
    else if (sign.endsWith("<<") && heredocs[Number(word)] !== undefined)
      input = heredocs[Number(word)];
    else redirects.push({ sign, target: word });
    sign = undefined;
  }
  end("", text.length);
  return statements;
}

const HEREDOC = /(?<![<\d])<<-?[ \t]*(?:'([^'\n]+)'|"([^"\n]+)"|\\?([A-Za-z_][\w.]*))/g;

/** Behind each `<<` stands the index of its body. Without a line that ends the body it is no heredoc. */
function withoutHeredocs(line: string): { text: string; heredocs: string[] } {
  if (!line.includes("<<")) return { text: line, heredocs: [] };
  const lines = line.split("\n");
  const lastAt = new Map(lines.map((one, index) => [one.trim(), index]));
  const kept: string[] = [];
  const heredocs: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const takeBody = (whole: string, ...names: (string | undefined)[]): string => {
      const name = names[0] ?? names[1] ?? names[2] ?? "";
      if ((lastAt.get(name) ?? -1) <= at) return whole;
      const from = at + 1;
      do at++;
      while (lines[at]?.trim() !== name);
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
  if (!/&&|[;\n]/.test(line) || line.includes("<<")) return [];
  let steps: string[] = [];
  let setUp: string[] = [];
  let isOver = false;
  let from = 0;
  for (const { operator, to } of shellStatements(line)) {
    if (operator === "|") continue;
    const step = line.slice(from, to).trim();
    from = to + operator.length;
    if (step !== "" && isOver) {
      // An earlier statement settled where and how this one ran.
      if (setUp.length > 0) return [];
      steps = [];
      isOver = false;
    }
    if (SETS_UP.test(step)) setUp.push(step);
    else if (step !== "") steps.push([...setUp, step].join(" && "));
    // The line is not over.
    if (operator === "" && step === "" && !isOver) return [];
    if (operator !== "&&") isOver = true;
    if (operator !== "&&" && operator !== ";" && operator !== "\n" && operator !== "") return [];
  }
  return steps;
}

/** Programs that only show something, with none of the arguments that make some of them do more. */
const LOOKS =
  /^(?:\S*\/)?(?:cd|pwd|ls|cat|head|tail|less|nl|wc|[ef]?grep|rg|ag|jq|cut|uniq|which|file|stat|du|date|echo|printf|true|tr|sed(?! .*-[nErsuz]*i)|find(?! .*-(?:delete|exec|ok|fp|fls))|sort(?! .*-o)|git (?:-C \S+ |-\S+ )*(?:status|log|show|diff|blame|ls-files|grep|rev-parse))(?: |$)/s;
/** The output of another command line. */
const SUBSTITUTION = /\$\(|`|[<>]\(/;
/** Output to these stands in no file. */
const NO_FILE = /^(?:\/dev\/null|\d|-)$/;

/** Whether a command line only shows what is there: what it showed may matter, that it ran does not. */
export function onlyLooks(line: string): boolean {
  const statements = shellStatements(line).filter(({ words }) => words.length > 0);
  return statements.length > 0 && statements.every(looks);
}

function looks({ words, redirects, input }: Statement): boolean {
  const called = words.join(" ");
  const writes = redirects.some(({ sign, target }) => sign.includes(">") && !NO_FILE.test(target));
  return input === undefined && !writes && LOOKS.test(called) && !SUBSTITUTION.test(called);
}
