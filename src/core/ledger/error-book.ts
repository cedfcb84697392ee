import { changesFiles, clipLine, stepsThatWentWell } from "../calls/index.ts";
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

const ANSI = new RegExp(`${String.fromCodePoint(27)}\\[[0-9;?]*[A-Za-z]`, "g");
const TELLING =
  /error|fail|exception|cannot|can't|could not|not found|no such|denied|fatal|panic|undefined|unexpected|invalid|refused|timed? ?out|blocked|rejected|doesn't want|did not|must /i;
/** Lines of the program around the tool, not of the tool. */
const FRAME =
  /^(?:Exit code:? -?\d+|Chunk ID: .*|Wall time: .*|Process exited with code .*|Original token count: .*|Output:|Error:|ERROR:|Command exited with code -?\d+|\(no output\)|Total output lines: .*|```\w*|\[(?:The command completed|Command finished) with exit code .*|\[Current working directory: .*|\[Python interpreter: .*|Process Group PGID: \d+)$/;
const LINES = 4;
const LINE_UNITS = 240;
/** A longer line is minified code or data, where any word can stand. */
const PROSE_UNITS = 500;
const LOOK_UNITS = 16_000;

/** The first lines of a failed output that say what went wrong; "" when none says anything. */
export function tellingLines(output: string): string {
  const all = ends(output)
    .replace(ANSI, "")
    .replace(/<\/?tool_use_error>/g, "")
    .split(/\r\n|[\r\n]/)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !FRAME.test(line));
  const lines = [...new Set(all)];
  const telling = lines.filter((line) => line.length <= PROSE_UNITS && TELLING.test(line));
  const chosen = (telling.length > 0 ? telling : lines).slice(0, LINES);
  return chosen.map((line) => clipLine(line, LINE_UNITS)).join("\n");
}

/** The beginning and the end of a long output: errors stand there. */
function ends(output: string): string {
  if (output.length <= 2 * LOOK_UNITS) return output;
  return `${output.slice(0, LOOK_UNITS)}\n${output.slice(-LOOK_UNITS)}`;
}
