import { pathFrom } from "../calls/path.ts";
import type { CommandFact, FileOp, Ledger } from "../ledger/index.ts";
import { type Handle, namedOriginal } from "../message/handle.ts";
import { type FileMention, mentions, pathsByState, relevantFiles } from "./files.ts";
import type { Entry, FactList } from "./lists.ts";
import { codeSpan, isFilled, shownCommand, startOf } from "./one-line.ts";
import { nameLines } from "./names.ts";
import type { CoreSectionId } from "./template.ts";
import { isFrame, withoutFrames } from "./frame.ts";
import { ruleLines, ruleWeight } from "./rules.ts";
import { cleanText, oneLine } from "../text/clean.ts";
import { saidLength } from "../text/sentences.ts";

/** What a summary records, beside the ledger. */
export interface RecordedFacts {
  /** The facts of all of the conversation. */
  readonly ledger: Ledger;
  /** The working directory: files below it are named from there. */
  readonly cwd?: string;
  /** Rules from outside the conversation, word for word, oldest first. */
  readonly constraints?: readonly string[];
  /** The heads of earlier compactions, newest first. */
  readonly olderHandles?: readonly Handle[];
  /** Outputs that must be kept and do not stand in the context, newest first. */
  readonly protectedOutputs?: readonly ProtectedOutput[];
  /** Names that stand in what is kept, and need no place in the summary. */
  readonly standing?: ReadonlySet<string>;
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

/** The recorded facts of the five sections, newest first. */
export function recordedFacts(facts: RecordedFacts): readonly FactList[] {
  const { ledger, constraints = [], olderHandles = [], cwd } = facts;
  const typed = ledger.instructions
    .filter(({ text }) => !isFrame(text))
    .map(({ text }) => withoutFrames(text));
  const files = mentions(ledger, cwd);
  const names = nameLines(ledger.names ?? [], facts.standing, cwd);
  return [
    list("requests", texts(requests(typed)), { clips: true }),
    instructions([...typed, ...constraints]),
    protectedOutputs(facts.protectedOutputs ?? [], facts.recall),
    errors(ledger, cwd),
    statements(ledger),
    ...deeds(ledger, files),
    ...todos(ledger),
    list("environment facts", cwd === undefined ? [] : texts([whereabouts(cwd)])),
    heads(olderHandles, facts.recall),
    list("files", relevantFiles(files)),
    list("names", names.entries, { grouped: names.grouped }),
  ];
}

/** What was done, for a prompt: what people and the agent said stands in the conversation itself. */
export function recordedDeeds(ledger: Ledger, cwd: string | undefined): readonly FactList[] {
  return [...deeds(ledger, mentions(ledger, cwd)), ...todos(ledger), errors(ledger, cwd)];
}

/**
 * What is recorded: the section of each list and its weight. The weights say what an agent misses
 * most when a cap is too small for all: what was changed, what the user said, then what was learned.
 */
const LISTS = {
  requests: ["goal", 13],
  instructions: ["instructions", 22],
  "protected outputs": ["instructions", 20],
  "unresolved errors": ["discoveries", 7],
  statements: ["discoveries", 9],
  "files read": ["discoveries", 3],
  "environment facts": ["discoveries", 2],
  heads: ["discoveries", 3],
  "changed files": ["accomplished", 23],
  commands: ["accomplished", 6],
  "finished todos": ["accomplished", 2],
  "open todos": ["accomplished", 5],
  files: ["relevantFiles", 10],
  names: ["relevantFiles", 8],
} as const satisfies Readonly<Record<string, readonly [CoreSectionId, number]>>;

type Noun = keyof typeof LISTS;

function list(noun: Noun, entries: readonly Entry[], rest: Partial<FactList> = {}): FactList {
  const [section, weight] = LISTS[noun];
  return { section, noun, weight, entries, ...rest };
}

function texts(all: readonly string[]): readonly Entry[] {
  return all.map((text) => ({ text: () => text }));
}

function whereabouts(cwd: string): string {
  return `Environment: working directory ${oneLine(cwd)}`;
}

/** In letters of an alphabet: a shorter text only says to go on (`yes`, `continue`) and is no request of its own. */
const SHORTEST_REQUEST = 16;
/** The first lines of a request say what it is about. */
const REQUEST_LENGTH = 240;
const REQUEST_LINES = 2;

function requests(typed: readonly string[]): readonly string[] {
  const first = startWhere(typed, (start) => start !== "");
  const latest = typed.toReversed();
  const newest = startWhere(latest, (start) => saidLength(start) >= SHORTEST_REQUEST);
  const last = newest ?? startWhere(latest, (start) => start !== "");
  if (first === undefined) return [];
  if (first === last) return [`Request: ${first}`];
  return [`First request: ${first}`, `Newest request: ${last}`];
}

/** The start of the first of these texts whose start is wanted. */
function startWhere(
  texts: readonly string[],
  isWanted: (start: string) => boolean,
): string | undefined {
  for (const text of texts) {
    const lines = cleanText(text).split("\n").filter(isFilled).slice(0, REQUEST_LINES);
    const said = startOf(oneLine(lines.join(" ")), REQUEST_LENGTH);
    if (isWanted(said)) return said;
  }
  return undefined;
}

/**
 * Everything that was typed, newest first, below the rules from outside. What it began with is kept,
 * then what is a rule by its form, then whatever is short, from the oldest on: rules are set early.
 */
function instructions(typed: readonly string[]): FactList {
  const newest = [...new Set(typed.map((text) => cleanText(text).trim()).toReversed())].filter(
    isFilled,
  );
  const all = newest.map((text) => ({
    text: () => text,
    gist: ruleLines,
    weight: ruleWeight(text),
  }));
  const rules = all.filter(({ weight }) => weight > 1);
  const short = all.filter(({ weight }) => weight === 1).toReversed();
  const keep = [...new Set([...all.slice(-1), ...rules, ...short])];
  return list("instructions", all, { clips: true, keep });
}

/** What has to be done with a protected output, and the same above the names alone. */
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
  const grouped = (): readonly Entry[] =>
    Array.from({ length: Math.ceil(named.length / OUTPUTS_PER_LINE) }, (_, at) => {
      const some = named.slice(at * OUTPUTS_PER_LINE, (at + 1) * OUTPUTS_PER_LINE);
      const names = some.map(({ short }) => short).join(", ");
      return { text: () => `${getAll}: ${names}`, facts: some.length };
    });
  return list("protected outputs", texts(named.map(({ line }) => line)), { grouped });
}

const SUBJECT_LENGTH = 80;
const OUTPUTS_PER_LINE = 8;
const ERROR_LENGTH = 400;
const STATEMENT_LENGTH = 1_200;
const TODO_LENGTH = 400;

/** Each failed attempt once, with what was said the last time. */
function errors({ errors: all }: Ledger, cwd: string | undefined): FactList {
  const byAttempt = new Map<string, Entry>();
  for (const { tool, subject, text, resolved } of all.toReversed()) {
    if (resolved) continue;
    const tried = shownCommand(/\s/.test(subject) ? subject : pathFrom(cwd, subject));
    const key = tried === "" ? text : `${tool} ${tried}`;
    const on = tried === "" ? "" : ` on ${codeSpan(tried)}`;
    const line = (): string =>
      `Unresolved: ${codeSpan(oneLine(tool))}${on}: ${startOf(cleanText(text).trim(), ERROR_LENGTH)}`;
    if (!byAttempt.has(key)) byAttempt.set(key, { text: line });
  }
  return list("unresolved errors", [...byAttempt.values()], { clips: true });
}

function statements({ statements: all }: Ledger): FactList {
  const said = [...new Set(all.map(({ text }) => text).toReversed())].filter(isFilled);
  const entries = said.map((text) => ({
    text: () => startOf(cleanText(text).trim(), STATEMENT_LENGTH),
  }));
  return list("statements", entries, { clips: true });
}

function deeds({ commands }: Ledger, files: readonly FileMention[]): readonly FactList[] {
  const named = (noun: Noun, states: readonly FileOp[]): FactList => {
    const { entries, grouped } = pathsByState(files, states);
    return list(noun, entries, { grouped });
  };
  return [
    named("files read", ["read"]),
    named("changed files", ["created", "modified", "deleted"]),
    commandList(commands),
  ];
}

/** The newest todo list: what is done, and at the end what is open. */
function todos({ todos: all }: Ledger): readonly FactList[] {
  const lines = (isDone: boolean, prefix: string): readonly Entry[] => {
    const some = all.filter(({ status }) => (status === "done") === isDone);
    const own = new Set(some.map(({ text }) => startOf(oneLine(text), TODO_LENGTH)));
    return texts([...own].filter(isFilled).map((text) => `${prefix}: ${text}`));
  };
  return [
    list("finished todos", lines(true, "Done")),
    list("open todos", lines(false, "Still open")),
  ];
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
  return list("heads", entries, { grouped: () => [naming(1)] });
}

/**
 * The runs of each command together, with the newest outcome; what ran last stands first. Old ones
 * are kept where nothing else names their whole output.
 */
function commandList(commands: readonly CommandFact[]): FactList {
  const runs = new Map<string, { readonly newest: CommandFact; count: number }>();
  // Most commands are run again as they were typed, and are brought into shape once.
  const shown = new Map<string, string>();
  for (let at = commands.length - 1; at >= 0; at--) {
    const newest = commands[at] as CommandFact;
    const known = shown.get(newest.command) ?? shownCommand(newest.command);
    shown.set(newest.command, known);
    const run = runs.get(known);
    if (run !== undefined) run.count++;
    else if (known !== "") runs.set(known, { newest, count: 1 });
  }
  const entries = Array.from(runs, ([command, { newest, count }]) => {
    const { outcome, exitCode, output } = newest;
    const exit = exitCode === undefined || outcome === "ok" ? "" : ` (exit ${exitCode})`;
    const result = outcome === "unknown" ? "outcome unknown" : `${outcome}${exit}`;
    const runs = count > 1 ? `, ${count} runs` : "";
    // The agent knows the whole output by this name, which would be gone with its notice.
    const whole = output === undefined ? "" : `, whole output ${oneLine(output)}`;
    const text = `${codeSpan(command)}: ${result}${runs}${whole}`;
    return { text: () => text, isSpilled: output !== undefined };
  });
  return list("commands", entries, { keep: entries.filter(({ isSpilled }) => isSpilled) });
}
