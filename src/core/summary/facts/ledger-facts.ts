import type { CommandFact, InstructionFact, Ledger } from "../../ledger/index.ts";
import { distinct, errorKey, NO_FACTS, requestStart } from "./facts.ts";
import type { CommandRuns, Facts, OpenError } from "./facts.ts";
import { mergeCommands } from "./merge-facts.ts";
import { cleanText, clipStart, oneLine } from "../plain-text.ts";

/** A command is for recognising, not for running again: the whole one is in the archive. */
const COMMAND_LENGTH = 200;
const ERROR_LENGTH = 400;
const STATEMENT_LENGTH = 1_200;
const TODO_LENGTH = 400;
/** A shorter text only says to go on (`yes`, `continue`) and is no request of its own. */
const SHORTEST_REQUEST = 16;

/** What a ledger knows. */
export function ledgerFacts(ledger: Ledger): Facts {
  const instructions = newestFirst(ledger.instructions, ({ at }) => at);
  const statements = newestFirst(ledger.statements, ({ at }) => at);
  const commands = commandRuns(ledger.commands);
  return {
    ...NO_FACTS,
    ...requests(instructions),
    instructions: distinct(instructions.map(({ text }) => entryText(text))),
    errors: openErrors(ledger),
    settled: settledSubjects(ledger, commands),
    statements: distinct(
      statements.map(({ text }) => clipStart(entryText(text), STATEMENT_LENGTH)),
    ),
    files: newestFirst(ledger.files, ({ last }) => last).map(({ path, ops }) => ({
      path: oneLine(path),
      ops,
    })),
    commands,
    done: todoTexts(ledger, true),
    open: todoTexts(ledger, false),
    hasTodos: ledger.todos.length > 0,
  };
}

/** A clean text without space around it: as an entry of a list, its first line has none. */
function entryText(text: string): string {
  return cleanText(text).trim();
}

function newestFirst<T>(values: readonly T[], at: (value: T) => number): readonly T[] {
  return values.toReversed().toSorted((a, b) => at(b) - at(a));
}

function requests(
  instructions: readonly InstructionFact[],
): Pick<Facts, "firstRequest" | "newestRequest"> {
  const isSaid = (text: string): boolean => text !== "";
  const isReal = (text: string): boolean => text.length >= SHORTEST_REQUEST;
  const newest = firstStart(instructions, isReal) ?? firstStart(instructions, isSaid);
  return { firstRequest: firstStart(instructions.toReversed(), isSaid), newestRequest: newest };
}

/** The start of the first of these instructions whose start is wanted. */
function firstStart(
  instructions: readonly InstructionFact[],
  isWanted: (start: string) => boolean,
): string | undefined {
  for (const { text } of instructions) {
    const start = requestStart(text);
    if (isWanted(start)) return start;
  }
  return undefined;
}

function openErrors(ledger: Ledger): readonly OpenError[] {
  const open = ledger.errors.filter(({ resolved }) => !resolved);
  const byKey = new Map<string, OpenError>();
  for (const { tool, subject, text } of newestFirst(open, ({ at }) => at)) {
    const error = {
      tool: oneLine(tool),
      subject: commandLine(subject),
      text: clipStart(entryText(text), ERROR_LENGTH),
    };
    if (!byKey.has(errorKey(error))) byKey.set(errorKey(error), error);
  }
  return [...byKey.values()];
}

function settledSubjects(ledger: Ledger, commands: readonly CommandRuns[]): ReadonlySet<string> {
  const failed = ledger.errors.map(({ subject }) => commandLine(subject));
  const succeeded = commands.filter(({ outcome }) => outcome === "ok");
  return new Set(distinct([...failed, ...succeeded.map(({ command }) => command)]));
}

/** A command on one line: the first line of a script says which one it is. */
function commandLine(command: string): string {
  const clean = cleanText(command);
  if (!clean.includes("\n")) return clipStart(oneLine(clean), COMMAND_LENGTH);
  const lines = clean.split("\n").filter((line) => line.trim() !== "");
  const more = lines.length > 1 ? ` … (${lines.length} lines)` : "";
  return `${clipStart(oneLine(lines[0] ?? ""), COMMAND_LENGTH)}${more}`;
}

function commandRuns(commands: readonly CommandFact[]): readonly CommandRuns[] {
  const runs = newestFirst(commands, ({ at }) => at).map((run) => ({ ...run, runs: 1 }));
  // Put together first as they were typed: the same command is run again and again.
  const each = mergeCommands(runs, []).map(({ command, outcome, exitCode, runs }) => {
    return { command: commandLine(command), outcome, exitCode, runs };
  });
  return mergeCommands(each, []);
}

function todoTexts(ledger: Ledger, done: boolean): readonly string[] {
  const some = ledger.todos.filter(({ status }) => (status === "done") === done);
  return distinct(some.map(({ text }) => clipStart(oneLine(text), TODO_LENGTH)));
}
