import { changesFiles, stepsThatWentWell } from "../calls/index.ts";
import { clipLine, failureLines, toldLines } from "../text/index.ts";
import type { CallFacts } from "../calls/index.ts";
import type { ErrorFact } from "./ledger.ts";

/** Collects failures and remembers which of them later went well. */
export interface ErrorBook {
  fail(toolName: string, facts: CallFacts, failure: { text: string; at: number }): void;
  succeed(toolName: string, facts: CallFacts): void;
  facts(): ErrorFact[];
}

type Tried = "read" | "change" | "command" | "tool";

/** @param keyOf The same key for all names of a file. */
export function createErrorBook(keyOf: (path: string) => string): ErrorBook {
  const errors: ErrorFact[] = [];
  const resolved = new Set<number>();
  /** Places of the errors that stand, by what was tried and on what. */
  const open: Readonly<Record<Tried, Map<string, number[]>>> = {
    read: new Map(),
    change: new Map(),
    command: new Map(),
    tool: new Map(),
  };

  const settle = (tried: Tried, name: string): void => {
    for (const index of open[tried].get(name) ?? []) resolved.add(index);
    open[tried].delete(name);
  };

  const fail: ErrorBook["fail"] = (toolName, facts, { text, at }) => {
    const tried = triedBy(facts);
    const subject = failedSubject(facts);
    const isFile = tried === "read" || tried === "change";
    const name = isFile ? keyOf(subject) : nameOf(tried, toolName, facts);
    const same = open[tried].get(name);
    if (same === undefined) open[tried].set(name, [errors.length]);
    else same.push(errors.length);
    errors.push({ tool: toolName, subject, text, at, resolved: false });
  };

  const succeed: ErrorBook["succeed"] = (toolName, facts) => {
    const tried = triedBy(facts);
    if (tried === "command" || tried === "tool") {
      if (open[tried].size === 0) return;
      settle(tried, nameOf(tried, toolName, facts));
      for (const step of facts.commands.flatMap(stepsThatWentWell)) settle("command", step);
    } else if (open.read.size + open.change.size > 0) {
      for (const { path } of facts.files) {
        const key = keyOf(path);
        // A file that was changed could also be read.
        settle("read", key);
        if (tried === "change") settle("change", key);
      }
    }
  };

  const facts = (): ErrorFact[] =>
    errors.map((error, index) => (resolved.has(index) ? { ...error, resolved: true } : error));

  return { fail, succeed, facts };
}

const COMMAND_UNITS = 300;

/** A command as the subject of an error: long enough to tell attempts apart. */
export function commandSubject(commands: readonly string[]): string {
  return clipLine(commands.join("; "), COMMAND_UNITS);
}

function failedSubject(facts: CallFacts): string {
  if (facts.kind === "command") return commandSubject(facts.commands) || facts.subject;
  return isAboutFile(facts) ? (facts.files[0]?.path ?? facts.subject) : facts.subject;
}

function isAboutFile({ kind, files }: CallFacts): boolean {
  return (kind === "read" || changesFiles(kind)) && files.length > 0;
}

function triedBy(facts: CallFacts): Tried {
  if (facts.kind === "command") return "command";
  if (!isAboutFile(facts)) return "tool";
  return facts.kind === "read" ? "read" : "change";
}

/** What was tried, whole: only the very same thing settles it, alone or as a step of more. */
function nameOf(tried: "command" | "tool", toolName: string, facts: CallFacts): string {
  return tried === "command" ? facts.commands.join("\n") : `${toolName} ${facts.subject}`;
}

const LINES = 4;
const LINE_UNITS = 240;

/** The first lines of a failed output that say what went wrong, else its first lines. */
export function tellingLines(output: string): string {
  const telling = failureLines(output, LINES, LINE_UNITS);
  if (telling.length > 0) return telling.join("\n");
  const first = toldLines(output).slice(0, LINES);
  return first.map((line) => clipLine(line, LINE_UNITS)).join("\n");
}
