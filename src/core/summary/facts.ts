import { pathFrom } from "../calls/path.ts";
import { toolKind } from "../calls/tool-kind.ts";
import type { Ledger, TodoFact } from "../ledger/index.ts";
import { type Handle, namedOriginal } from "../message/handle.ts";
import { type FactIndex, indexOf } from "./fact-index.ts";
import { fileLines, type FileMention, mentions, namesByFolder } from "./files.ts";
import { codeSpan, isFilled, LIST_MARK, shownCommand, startOf } from "./one-line.ts";
import { nameLines } from "./names.ts";
import {
  counted,
  type Entries,
  type Entry,
  type FactList,
  list,
  longList,
  type Noun,
  texts,
} from "./fact-list.ts";
import { isSaid, type Standing } from "./standing.ts";
import { cleanText, oneLine } from "../text/clean.ts";
import { refersToCode, saidLength } from "../text/sentences.ts";

/** Facts of a summary, beside the ledger. */
export interface RecordedFacts {
  /** The facts of all of the conversation. */
  readonly ledger: Ledger;
  /** Their index, where it was kept while the conversation grew. @default made of them */
  readonly index?: FactIndex;
  /** The working directory: files below it are named from there. */
  readonly cwd?: string;
  /** Rules from outside the conversation, word for word, oldest first. */
  readonly constraints?: readonly string[];
  /** The heads of earlier compactions, newest first. */
  readonly olderHandles?: readonly Handle[];
  /** Outputs that must be kept and do not stand in the context, newest first. */
  readonly protectedOutputs?: readonly ProtectedOutput[];
  /** The content of what is kept, which needs no place in the summary. */
  readonly standing?: Standing;
  /** Whether the agent has the tool `recall`. @default true */
  readonly recall?: boolean;
}

/** An output that the agent has to get back before it goes on with what it is about. */
export interface ProtectedOutput {
  readonly tool: string;
  /** One line: the skill's name, or what the call was about. */
  readonly subject: string;
  readonly isSkill: boolean;
  /** Absent when the original was not kept. */
  readonly handle?: Handle;
}

/** The recorded facts of the five sections, what comes from one another in the order of time. */
export function recordedFacts(facts: RecordedFacts, cap: number): readonly FactList[] {
  const { ledger, constraints = [], olderHandles = [], cwd, standing } = facts;
  const { typed, commands, files } = facts.index ?? indexOf(ledger, cwd);
  const changed = mentions(files.changed, cwd);
  const read = mentions(files.read, cwd);
  const failed = failures(ledger, cwd, standing);
  const listed = [changed, read].flatMap((some) => firstOf(some, cap / LEAST_LINE));
  const names = nameLines(ledger.names ?? [], { standing: standing?.names, cwd, files: listed });
  return [
    list("requests", texts(typed.requests()), { clips: true }),
    ...typed.lists({ constraints, standing: standing?.typed }),
    protectedOutputs(facts.protectedOutputs ?? [], facts.recall),
    list("environment facts", cwd === undefined ? [] : texts([whereabouts(cwd)])),
    statements(ledger, standing),
    errors(failed),
    heads(olderHandles, facts.recall),
    changeCount(files.changed.size),
    commands.list({ standing: standing?.commands, failures: failed.keys() }),
    ...todos(ledger),
    lastWords(ledger, standing),
    fileList("changed files", changed, files.changed.size),
    fileList("files read", read, files.read.size),
    longList("names", names),
  ];
}

/** A file takes no fewer tokens on a line of its own. */
const LEAST_LINE = 8;

function firstOf<Value>(values: Iterable<Value>, most: number): readonly Value[] {
  const first: Value[] = [];
  for (const value of values) {
    if (first.length >= most) break;
    first.push(value);
  }
  return first;
}

/** Each path stands once in a summary, with what became of it. */
function changeCount(count: number): FactList {
  const line = { text: () => `Files changed: ${count}, named below`, facts: 0 };
  return list("counts", count === 0 ? [] : [line]);
}

/** The state of the work, if the messages that are kept do not say it. */
function lastWords({ said }: Ledger, standing: Standing | undefined): FactList {
  const text = cleanText(said?.at(-1)?.text ?? "").trim();
  const isTold = text === "" || isSaid(text, standing);
  return list("last words", isTold ? [] : texts([`Said last, before what stands below: ${text}`]));
}

/** Files a line each, or by folder where that is too long. */
function fileList(noun: Noun, files: Iterable<FileMention>, size: number): FactList {
  const grouped = (room: number): Entries => ({ entries: namesByFolder(files, room), size });
  return longList(noun, { entries: fileLines(files), size, grouped });
}

/** Deeds, for a prompt: words of people and the agent stand in the conversation itself. */
export function recordedDeeds(ledger: Ledger, cwd: string | undefined): readonly FactList[] {
  const { commands, files } = indexOf(ledger, cwd);
  return [
    fileList("files read", mentions(files.read, cwd), files.read.size),
    fileList("changed files", mentions(files.changed, cwd), files.changed.size),
    commands.list({}),
    ...todos(ledger),
    errors(failures(ledger, cwd)),
  ];
}

function whereabouts(cwd: string): string {
  return `Environment: working directory ${oneLine(cwd)}`;
}

/** The order about a protected output, and the same above the names alone. */
function gettingBack(recall = true): readonly [string, string] {
  return recall ? ["recall it", "Recall before use"] : ["call it again", "Call again before use"];
}

/** Each in a sentence, or the names alone. */
function protectedOutputs(outputs: readonly ProtectedOutput[], recall?: boolean): FactList {
  const [getIt, getAll] = gettingBack(recall);
  const named = outputs.map(({ tool, subject, isSkill, handle }) => {
    const name = codeSpan(startOf(oneLine(subject || tool), SUBJECT_LENGTH));
    const what = isSkill ? `Skill ${name} is loaded: its rules are` : `What ${name} gave is`;
    const place = handle === undefined ? "not kept; call it again" : `in ${handle}; ${getIt}`;
    const line = `${what} ${place} before you go on with what it is about.`;
    return { line, short: `${name} ${handle ?? "not kept"}` };
  });
  const groups = (): readonly Entry[] =>
    Array.from({ length: Math.ceil(named.length / OUTPUTS_PER_LINE) }, (_, at) => {
      const some = named.slice(at * OUTPUTS_PER_LINE, (at + 1) * OUTPUTS_PER_LINE);
      const names = some.map(({ short }) => short).join(", ");
      return { text: () => `${getAll}: ${names}`, facts: some.length };
    });
  const lines = texts(named.map(({ line }) => line));
  return list("protected outputs", lines, { grouped: () => counted(groups()) });
}

const SUBJECT_LENGTH = 80;
const OUTPUTS_PER_LINE = 8;
const ERROR_LENGTH = 400;
/** So many attempts that failed alike are named. */
const ALIKE = 3;
const STATEMENT_LENGTH = 2_400;
/** The same with less room: a conclusion comes first. */
const SHORT_STATEMENT = 600;
const TODO_LENGTH = 400;

/** Failed attempts that nothing settled, each with what was said of it the last time. */
function failures(
  { errors: all }: Ledger,
  cwd: string | undefined,
  standing?: Standing,
): ReadonlyMap<string, Failure> {
  const byAttempt = new Map<string, Failure>();
  for (const [at, { tool, subject, text, resolved }] of [...all.entries()].toReversed()) {
    // A search that found nothing is nothing to mend.
    if (resolved || toolKind(tool) === "search" || isSaid(text, standing)) continue;
    const tried = shownCommand(/\s/.test(subject) ? subject : pathFrom(cwd, subject), cwd);
    if (!byAttempt.has(subject || text)) byAttempt.set(subject || text, { at, tool, tried, text });
  }
  return byAttempt;
}

interface Failure {
  readonly at: number;
  readonly tool: string;
  readonly tried: string;
  readonly text: string;
}

/** Attempts that failed alike stand on one line, which is where the newest of them was. */
function errors(failed: ReadonlyMap<string, Failure>): FactList {
  const alike = new Map<string, Failure[]>();
  for (const failure of failed.values()) {
    const key = `${failure.tool}\n${failure.text}`;
    const others = alike.get(key);
    if (others === undefined) alike.set(key, [failure]);
    else others.push(failure);
  }
  const entries = Array.from(alike.values(), (some): Entry => {
    const { at, tool, text } = some[0] as Failure;
    const tried = some.flatMap((one) => (one.tried === "" ? [] : [codeSpan(one.tried)]));
    const on = tried.length === 0 ? "" : ` on ${tried.slice(0, ALIKE).join(", ")}`;
    const more = tried.length > ALIKE ? ` and ${tried.length - ALIKE} more` : "";
    const said = (): string => startOf(cleanText(text).trim(), ERROR_LENGTH);
    return {
      at,
      text: () => `Unresolved: ${codeSpan(oneLine(tool))}${on}${more}: ${said()}`,
      facts: some.length,
    };
  });
  return list("unresolved errors", entries, { clips: true, inTime: true });
}

/** Statements that what is kept does not repeat; those that name nothing only where there are no others. */
function statements({ statements: all }: Ledger, standing: Standing | undefined): FactList {
  const newest = new Map(all.map(({ text }, at) => [text, at]));
  const said = [...newest].filter(([text]) => isFilled(text) && !isSaid(text, standing));
  const telling = said.filter(([text]) => isTelling(text));
  const within = (length: number): readonly Entry[] =>
    (telling.length > 0 ? telling : said).toReversed().map(([text, at]) => ({
      at,
      text: () => startOf(cleanText(text).trim().replace(LIST_MARK, ""), length),
    }));
  const grouped = (): Entries => counted(within(SHORT_STATEMENT));
  return list("statements", within(STATEMENT_LENGTH), { grouped, clips: true, inTime: true });
}

/** In letters of an alphabet: a longer text says something by itself. */
const LONG_STATEMENT = 80;

function isTelling(text: string): boolean {
  return saidLength(text) > LONG_STATEMENT || refersToCode(text) || /[\d"“«「]/.test(text);
}

/** The newest todo list: what is done, and at the end what is open. */
function todos({ todos: all }: Ledger): readonly FactList[] {
  const lines = (wanted: TodoFact["status"], prefix: string): readonly string[] => {
    const some = all.filter(({ status }) => status === wanted);
    const own = new Set(some.map(({ text }) => startOf(oneLine(text), TODO_LENGTH)));
    return [...own].filter(isFilled).map((text) => `${prefix}: ${text}`);
  };
  const open = [...lines("in-progress", "In progress"), ...lines("pending", "Still open")];
  return [list("finished todos", texts(lines("done", "Done"))), list("open todos", texts(open))];
}

/** So many older heads are named, if there is room: each holds a summary that names those before it. */
const MOST_HEADS = 8;

function heads(handles: readonly Handle[], recall?: boolean): FactList {
  const naming = (most: number): Entry => {
    const older = handles.length > most ? "; the last one names those before it" : "";
    const named = namedOriginal(handles.slice(0, most).join(", "), recall);
    return { text: () => `Earlier heads: ${named}${older}` };
  };
  const entries = handles.length === 0 ? [] : [naming(MOST_HEADS)];
  return list("heads", entries, { grouped: () => counted([naming(1)]) });
}
