import type { ShellRedirect, ShellToken, ShellWord } from "./shell-lexer.ts";

/** A simple command with the operators around it. */
export interface Statement {
  readonly words: readonly ShellWord[];
  readonly redirects: readonly ShellRedirect[];
  readonly before: string;
  readonly after: string;
}

/** Statements in groups that `|` holds together; groups without words only carry brackets. */
export function splitPipelines(tokens: readonly ShellToken[]): Statement[][] {
  const pipelines: Statement[][] = [];
  let pipeline: Statement[] = [];
  let words: ShellWord[] = [];
  let redirects: ShellRedirect[] = [];
  let before = "";
  const close = (after: string): void => {
    if (words.length + redirects.length > 0 || after === "(" || after === ")") {
      pipeline.push({ words, redirects, before, after });
    }
    if (after !== "|" && after !== "|&" && pipeline.length > 0) {
      pipelines.push(pipeline);
      pipeline = [];
    }
    before = after === "\n" && words.length === 0 ? before : after;
    words = [];
    redirects = [];
  };
  for (const token of tokens) {
    if (token.type === "word") words.push(token.word);
    else if (token.type === "redirect") redirects.push(token.redirect);
    else close(token.text);
  }
  close("");
  return pipelines;
}
