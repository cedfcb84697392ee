import { lexShell } from "./shell-lexer.ts";

/** What changes the shell for the commands behind it, and so belongs to each of them. */
const SETS_UP = /^(?:cd|pushd|popd|export|source|\.)\s/;

/**
 * The commands that went well if a command line did: those of its last statement, joined by `&&`.
 * What stands before `;` may have failed unseen, and of lines with other operators nothing is said.
 * A `cd`, an `export` and the like is repeated before each command that it holds for.
 *
 * @example
 * stepsThatWentWell("cd app && npm run lint && npm test"); // ["cd app && npm run lint", "cd app && npm test"]
 */
export function stepsThatWentWell(line: string): readonly string[] {
  if (!/&&|[;\n]/.test(line)) return [];
  const statements = statementsOf(line);
  const last = statements?.pop() ?? [];
  // Where and how the last statement ran was settled by one before it.
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
    ...lexShell(line),
    { type: "operator", text: ";", at: line.length } as const,
  ]) {
    if (token.type === "redirect" && token.redirect.operator.startsWith("<<")) return undefined;
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
