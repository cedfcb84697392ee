import { describeCall, type CallFacts } from "../calls/describe-call.ts";
import { pathKey } from "../calls/path.ts";
import { onlyLooks } from "../calls/shell-text.ts";
import {
  messageText,
  resultText,
  type Message,
  type ToolCallPart,
  type ToolResultPart,
} from "../message/message.ts";
import { NO_RESULT_TEXT } from "../message/repair.ts";
import { findTruncation } from "../truncate/marker.ts";
import {
  createErrorBook,
  createFileBook,
  type ErrorBook,
  type FileBook,
  tellingLines,
} from "./books.ts";
import {
  bounded,
  type CommandFact,
  type InstructionFact,
  type Ledger,
  type TodoFact,
} from "./ledger.ts";
import { isFolderListing, madeBy, type Outcome, outcomeOf } from "./outcome.ts";
import { createStatementBook, type StatementBook } from "./statements.ts";
import { todosAfter } from "./todos.ts";
import type { FileAccess, ToolKinds } from "../calls/index.ts";

export interface ExtractOptions {
  /** Index of the first message, where they continue others. Default 0. */
  readonly offset?: number;
  /** The working directory; makes relative and absolute names of a file one entry. */
  readonly cwd?: string;
  /** Kinds of tools that the caller knows better, by exact name. */
  readonly toolKinds?: ToolKinds;
}

interface OpenCall {
  readonly call: ToolCallPart;
  readonly facts: CallFacts;
  readonly at: number;
  readonly runs: readonly CommandRun[];
}

interface CommandRun {
  fact: CommandFact;
  readonly tool: string;
  answered: boolean;
}

interface Fold {
  readonly options: ExtractOptions;
  readonly files: FileBook;
  readonly errors: ErrorBook;
  readonly statements: StatementBook;
  readonly commands: CommandRun[];
  readonly instructions: InstructionFact[];
  /** Calls without a result so far, by id; ids can repeat. */
  readonly open: Map<string, OpenCall[]>;
  /** Tools that have marked a failed command as failed: their unmarked results are successes. */
  readonly marking: Set<string>;
  todos: readonly TodoFact[];
  todosAt: number | undefined;
  /** The file in the editor of an agent whose `edit` names none (SWE-agent). */
  openFile: string | undefined;
}

/** The ledger of a conversation that grows: takes message after message. */
export interface LedgerBook {
  add(message: Message): void;
  /** The facts of all messages so far; asking changes nothing. */
  ledger(): Ledger;
}

/**
 * The facts that messages hold, taken without a model. Only structure counts: what a person typed
 * is an instruction, a call with a successful result is a deed; text inside a tool's output is
 * never read as either. Costs time in proportion to the messages.
 */
export function extractLedger(messages: readonly Message[], options: ExtractOptions = {}): Ledger {
  const book = createLedgerBook(options);
  for (const message of messages) book.add(message);
  return book.ledger();
}

/** {@link extractLedger} step by step: a message is read when it comes, facts are put in order when asked for. */
export function createLedgerBook(options: ExtractOptions = {}): LedgerBook {
  const keyOf = pathKeys(options.cwd);
  const fold: Fold = {
    options,
    files: createFileBook(keyOf),
    errors: createErrorBook(keyOf),
    statements: createStatementBook(),
    commands: [],
    instructions: [],
    open: new Map(),
    marking: new Set(),
    todos: [],
    todosAt: undefined,
    openFile: undefined,
  };
  let next = options.offset ?? 0;
  return {
    add: (message) => addMessage(fold, message, next++),
    ledger: () => factsOf(fold),
  };
}

function factsOf(fold: Fold): Ledger {
  const said = fold.statements.last();
  return bounded({
    files: fold.files.facts(),
    commands: fold.commands.map((command) => commandFact(command, fold.marking)),
    instructions: [...fold.instructions],
    todos: fold.todos,
    todosAt: fold.todosAt,
    errors: fold.errors.facts(),
    statements: fold.statements.facts(),
    ...(said !== undefined && { said: [said] }),
  });
}

/** Keys of paths; the same few names come again and again. */
function pathKeys(cwd: string | undefined): (path: string) => string {
  const keys = new Map<string, string>();
  return (path) => {
    const known = keys.get(path);
    if (known !== undefined) return known;
    const key = pathKey(path, cwd);
    keys.set(path, key);
    return key;
  };
}

function commandFact(
  { fact, tool, answered }: CommandRun,
  marking: ReadonlySet<string>,
): CommandFact {
  const wasFine = fact.outcome === "unknown" && answered && marking.has(tool);
  return wasFine ? { ...fact, outcome: "ok" } : fact;
}

function addMessage(fold: Fold, message: Message, at: number): void {
  if (message.role === "user" && message.kind === undefined) addInstruction(fold, message, at);
  if (message.role === "assistant" && message.kind === undefined) {
    const isAside = message.parts.some(({ type }) => type === "tool-call");
    fold.statements.say(messageText(message), at, isAside);
  }
  for (const part of message.parts) {
    if (part.type === "tool-call") addCall(fold, part, at);
    else if (part.type === "tool-result") addResult(fold, part, at);
  }
}

function addInstruction(fold: Fold, message: Message, at: number): void {
  const text = messageText(message);
  if (text.trim() === "") return;
  fold.instructions.push({ text, at });
  fold.statements.endTurn();
}

function addCall(fold: Fold, call: ToolCallPart, at: number): void {
  const facts = describeCall(call, fold.options.toolKinds);
  const tool = call.toolName;
  const isUnknown = facts.kind === "other";
  const runs = (isUnknown ? [facts.subject || tool] : facts.commands).map((command): CommandRun => {
    const more = isUnknown ? { tool } : onlyLooks(command) && { looks: true as const };
    return { fact: { command, outcome: "unknown", ...more, at }, tool, answered: false };
  });
  // One by one: a call takes only so many arguments.
  for (const run of runs) fold.commands.push(run);
  const open: OpenCall = { call, facts, at, runs };
  const others = fold.open.get(call.toolCallId);
  if (others === undefined) fold.open.set(call.toolCallId, [open]);
  else others.push(open);
}

/** The first open call of the newest message that has one under this id. */
function takeCall(fold: Fold, { toolCallId }: ToolResultPart): OpenCall | undefined {
  const open = fold.open.get(toolCallId);
  const newest = open?.at(-1);
  if (open === undefined || newest === undefined) return undefined;
  let index = open.length - 1;
  while (open[index - 1]?.at === newest.at) index--;
  const [call] = open.splice(index, 1);
  if (open.length === 0) fold.open.delete(toolCallId);
  return call;
}

function addResult(fold: Fold, result: ToolResultPart, at: number): void {
  const open = takeCall(fold, result);
  if (open === undefined) return;
  const { call, facts, runs } = open;
  const output = resultText(result);
  if (output === NO_RESULT_TEXT) return;
  const outcome = outcomeOf(call, facts, result);
  for (const run of runs) {
    run.fact = { ...run.fact, ...outcome, ...wholeOutput(result) };
    run.answered = true;
  }
  if (outcome.outcome !== "failed") {
    fold.errors.succeed(call.toolName, facts);
    addDeeds(fold, open, result);
    return;
  }
  if (result.isError === true) fold.marking.add(call.toolName);
  const text = tellingLines(output);
  const ran = outcome.exitCode !== undefined;
  if (ran) addFiles(fold, open, facts.files.filter(isEarlyChange));
  // `diff` ends with 1 and says nothing: an answer, not an error; nor is what a look did not find.
  if ((text === "" && outcome.exitCode === 1) || looksOnly(facts)) return;
  fold.errors.fail(call.toolName, facts, { text: text || exitText(outcome), at });
}

function looksOnly({ commands }: CallFacts): boolean {
  return commands.length > 0 && commands.every(onlyLooks);
}

/** In `cat > file …; npm test` the file was written, whatever became of the test. */
function isEarlyChange({ early, op }: FileAccess): boolean {
  return early === true && op !== "read";
}

function exitText({ exitCode }: Outcome): string {
  return exitCode === undefined ? "" : `exit code ${exitCode}`;
}

/** The handle or path of the whole of an output that was cut on its arrival. */
function wholeOutput(result: ToolResultPart): Pick<CommandFact, "output"> {
  const output = result.original ?? findTruncation(resultText(result))?.handle;
  return output === undefined ? {} : { output };
}

function addDeeds(fold: Fold, open: OpenCall, result: ToolResultPart): void {
  const { call, facts, at } = open;
  if (facts.kind === "todo") {
    const todos = todosAfter(fold.todos, call, resultText(result));
    if (todos === undefined) return;
    fold.todos = todos;
    fold.todosAt = at;
  } else if (facts.kind === "read") {
    if (isFolderListing(result)) return;
    fold.openFile = facts.files[0]?.path ?? fold.openFile;
    addFiles(fold, open, facts.files);
  } else if (facts.kind === "command") {
    addFiles(fold, open, readable(facts.files, result));
  } else {
    addChanges(fold, open, result);
  }
}

function addChanges(fold: Fold, open: OpenCall, result: ToolResultPart): void {
  const { facts } = open;
  if (facts.files.length === 0) {
    const path = fold.openFile;
    if (facts.kind === "edit" && path !== undefined) addFiles(fold, open, [{ path, op: "edit" }]);
    return;
  }
  if (facts.kind === "write") fold.openFile = facts.files[0]?.path;
  addFiles(fold, open, facts.files, facts.kind === "write" ? madeBy(result) : undefined);
}

function addFiles(
  fold: Fold,
  { at }: OpenCall,
  files: readonly FileAccess[],
  made?: "created" | "modified",
): void {
  for (const file of files) fold.files.add(file, at, made);
  if (files.some(({ op }) => op !== "read")) fold.statements.settle();
}

const MISSING = ": No such file or directory";
const LOOK_UNITS = 20_000;

/** A command line can end well although one of its `cat`s found nothing; the output says so. */
function readable(files: readonly FileAccess[], result: ToolResultPart): readonly FileAccess[] {
  if (files.length === 0) return files;
  const output = resultText(result).slice(0, LOOK_UNITS);
  if (!output.includes(MISSING)) return files;
  return files.filter(({ op, path }) => op !== "read" || !saysMissing(output, path));
}

function saysMissing(output: string, path: string): boolean {
  return output.includes(path.slice(path.lastIndexOf("/") + 1) + MISSING);
}
