import type { CommandFact, Ledger, TodoFact } from "../../ledger/index.ts";
import {
  readCommandLine,
  readFilesLine,
  readPrefixed,
  splitFileLine,
} from "../facts/fact-lines.ts";
import { createFindPath, lastName } from "./find-path.ts";
import type { FindPath } from "./find-path.ts";
import { leadingSpan, oneLine } from "../plain-text.ts";
import type { CheckedFact } from "./problem.ts";
import { parseSummary } from "../sections.ts";
import type { CompactionTemplate } from "../template.ts";
import { plainForm } from "../words.ts";

/** A line of a summary and the fact that it denies. */
export interface Contradiction {
  /** As it stands there, without space around it. */
  readonly line: string;
  readonly fact: CheckedFact;
}

/** What is done to files and what came out of it stands in these sections; elsewhere it is history. */
const CHECKED = ["accomplished", "relevantFiles"];
const BULLET = /^\s*(?:(?:[-*•]|\d{1,3}[.)])\s+)?/;

/**
 * Lines that cannot be true because the ledger knows better. Only claims that can be read without
 * doubt count: a path right behind `Deleted`, a command followed by `passed`, a todo word for word.
 * Where the ledger may have missed something, e.g. a file removed by a pattern, nothing is said.
 */
export function findContradictions(
  text: string,
  ledger: Ledger,
  template: CompactionTemplate,
): readonly Contradiction[] {
  const sections = parseSummary(text, template);
  const lines = CHECKED.flatMap((id) => (sections.get(id) ?? "").split("\n"));
  const checks = [fileCheck(text, ledger), commandCheck(ledger), todoCheck(ledger)];
  return lines.flatMap((raw) => {
    const line = raw.trim();
    const entry = line.replace(BULLET, "");
    for (const check of checks) {
      const fact = check(entry);
      if (fact !== undefined) return [{ line, fact }];
    }
    return [];
  });
}

/** The fact that an entry denies. */
type Check = (entry: string) => CheckedFact | undefined;

const GONE_WORD = "deleted|removed";
const MADE_WORD = "created|added|wrote|modified|updated|edited|changed|implemented|rewrote";
/** What may follow a list of files that is all that was done: not `from`, `in`, `'s` and the like. */
const CLAUSE_END = /^\s*(?:$|[.;,(—–]|-\s|because\b|since\b|as\b|so\b|after\b|which\b)/;
const GONE = new RegExp(`^(?:${GONE_WORD})(?: the)?(?: files?| folder| directory)?:?\\s+`, "i");
const MADE = new RegExp(`^(?:${MADE_WORD})(?: the)?(?: new)?(?: files?)?:?\\s+`, "i");
const IS_GONE = new RegExp(`^\\(?(?:was |has been |is )?(?:${GONE_WORD})\\)?\\.?$`, "i");
/** Words that tell of the end of a file, wherever they stand. */
const TELLS_END =
  /delet|remov|renam|mov(?:ed|ing)|gone|clean|temporar|drop|revert|replac|undo|undid|no longer|discard|throwaway/i;

function fileCheck(text: string, { files, commands }: Ledger): Check {
  let findPath: FindPath | undefined;
  const states = new Map(files.map(({ path, ops }) => [oneLine(path), ops]));
  const find: FindPath = (name) => {
    findPath ??= createFindPath([...states.keys()]);
    return findPath(name);
  };
  const wronglyGone = (path: string): boolean =>
    states.get(path)?.includes("deleted") === false && !mayBeRemoved(path, commands);
  const wronglyThere = (path: string): boolean =>
    states.get(path)?.at(-1) === "deleted" && !tellsEnd(text, path);
  return (entry) => {
    for (const name of deletedIn(entry)) {
      const path = find(name);
      if (path !== undefined && wronglyGone(path)) return { type: "file", path, exists: true };
    }
    for (const name of madeIn(entry)) {
      const path = find(name);
      if (path !== undefined && wronglyThere(path)) return { type: "file", path, exists: false };
    }
    return undefined;
  };
}

function deletedIn(entry: string): readonly string[] {
  const grouped = readFilesLine(entry);
  if (grouped !== undefined) return grouped.filter(({ ops }) => ops[0] === "deleted").map(pathOf);
  const named = splitFileLine(entry);
  if (named !== undefined) {
    const isGone = named.ops.at(-1) === "deleted" || IS_GONE.test(named.words);
    return isGone ? [named.path] : [];
  }
  return pathsBehind(GONE, entry);
}

function madeIn(entry: string): readonly string[] {
  const grouped = readFilesLine(entry);
  if (grouped === undefined) return pathsBehind(MADE, entry);
  return grouped.filter(({ ops }) => ops[0] === "created" || ops[0] === "modified").map(pathOf);
}

function pathOf({ path }: { readonly path: string }): string {
  return path;
}

/** The paths in inline code that follow a verb, if the clause ends with them. */
function pathsBehind(verb: RegExp, entry: string): readonly string[] {
  const start = verb.exec(entry);
  if (start === null) return [];
  const paths: string[] = [];
  let rest = entry.slice(start[0].length);
  for (let span = leadingSpan(rest); span !== undefined; span = leadingSpan(rest)) {
    paths.push(span.text);
    rest = span.rest.replace(/^(?:,? and |, )(?=`)/, "");
    if (rest === span.rest) break;
  }
  return CLAUSE_END.test(rest) ? paths : [];
}

/** Commands that remove or bring back files that they do not name. */
const REMOVES =
  /\b(?:rm|rmdir|unlink|mv|del|erase|rimraf|trash|move|Remove-Item|find|clean|restore|checkout|reset|stash|revert|switch|merge|rebase)\b/;
const PATTERN = /[*?$[{`]|\bgit\b|\bclean\b/;

/** Whether a command could have removed a file without the ledger seeing it. */
function mayBeRemoved(path: string, commands: readonly CommandFact[]): boolean {
  const names = path.split(/[/\\]/).filter((name) => name !== "");
  return commands.some(
    ({ command }) =>
      REMOVES.test(command) &&
      (PATTERN.test(command) || names.some((name) => command.includes(name))),
  );
}

function tellsEnd(text: string, path: string): boolean {
  const name = lastName(path);
  return text.split("\n").some((line) => line.includes(name) && TELLS_END.test(line));
}

const SUCCEEDED =
  /^\s*(?::|→|->|=>|[-–—(])?\s*(?:(?:all|now|then|has|have|is|was|ran|runs|finished|completed|exited|exits)\s+)*(?:ok|pass(?:ed|es|ing)?|succe(?:ss|ssful|ssfully|eded|eds)|green|clean(?:ly)?)\b/i;
/** Words that make a success of one time, or of one part. */
const QUALIFIED =
  /\b(?:fail\w*|error\w*|except|but|until|after|once|when|not|broken|earlier|first|before|initially|still|despite|however|only|again|partly|most)\b|exit(?:ed)? (?:code )?[1-9]/i;
/** Programs whose failure is an answer, and lines of which only the last program tells. */
const ANSWERS = /^(?:grep|rg|diff|cmp|test|\[|which|pgrep|git (?:diff|grep))\b|[;\n]|\|\|/;

function commandCheck({ commands }: Ledger): Check {
  let last: ReadonlyMap<string, CommandFact> | undefined;
  return (entry) => {
    const claim = commandClaim(entry);
    if (claim === undefined || ANSWERS.test(claim.command)) return undefined;
    last ??= new Map(commands.map((run) => [oneLine(run.command), run]));
    const run = last.get(claim.command);
    if (run === undefined || run.outcome === "unknown" || run.outcome === claim.outcome) {
      return undefined;
    }
    // The same command in a longer line, later: that one may be meant.
    const isNewest = !commands.some(
      (other) => other.at >= run.at && other !== run && runs(other.command, claim.command),
    );
    return isNewest ? { type: "command", command: claim.command, outcome: run.outcome } : undefined;
  };
}

/** Whether a command line has a command in it, whole words only. */
function runs(line: string, command: string): boolean {
  const at = line.indexOf(command);
  if (at < 0) return false;
  const around = line.slice(Math.max(0, at - 1), at) + line.slice(at + command.length).slice(0, 1);
  return !/[\w-]/.test(around);
}

interface CommandClaim {
  readonly command: string;
  readonly outcome: CommandFact["outcome"];
}

/** An outcome that an entry states: as we write it, or a success right behind the command. */
function commandClaim(entry: string): CommandClaim | undefined {
  const exact = readCommandLine(entry);
  if (exact !== undefined) return exact.outcome === "unknown" ? undefined : exact;
  const at = entry.indexOf("`");
  const span = at < 0 ? undefined : leadingSpan(entry.slice(at));
  if (
    span === undefined ||
    !/^(?:(?:I )?(?:ran|run|running|re-ran)[: ]+)?$/i.test(entry.slice(0, at))
  )
    return undefined;
  if (!SUCCEEDED.test(span.rest) || QUALIFIED.test(span.rest)) return undefined;
  return { command: oneLine(span.text), outcome: "ok" };
}

const IS_DONE = /^(?:(?:\*\*)?(?:done|completed|finished)(?:\*\*)?:(?:\*\*)?|\[x\]|✅|✓|✔)\s*/i;

function todoCheck({ todos }: Ledger): Check {
  const known = new Map<string, TodoFact | undefined>();
  for (const todo of todos) {
    const key = todoKey(todo.text);
    // Two todos of one text tell nothing about either.
    known.set(key, known.has(key) ? undefined : todo);
  }
  return (entry) => {
    const open = readPrefixed("Still open", entry);
    const isDone = IS_DONE.exec(entry);
    if (open === undefined && isDone === null) return undefined;
    const todo = known.get(todoKey(open ?? entry.slice(isDone?.[0].length ?? 0)));
    if (todo === undefined) return undefined;
    const done = todo.status === "done";
    return done === (open === undefined) ? undefined : { type: "todo", text: todo.text, done };
  };
}

function todoKey(text: string): string {
  return plainForm(oneLine(text)).replace(/[\s.!:]+$/, "");
}
