import { changesFiles, clipLine, pathKey } from "../tools/index.ts";
import type { CallFacts } from "../tools/index.ts";
import type { ErrorFact } from "./ledger.ts";

/** Collects failures and remembers which of them later went well. */
export interface ErrorBook {
  fail(toolName: string, facts: CallFacts, failure: { text: string; at: number }): void;
  succeed(toolName: string, facts: CallFacts): void;
  facts(): ErrorFact[];
}

/** @param cwd Makes relative and absolute names of a file one thing. */
export function createErrorBook(cwd?: string): ErrorBook {
  const errors: ErrorFact[] = [];
  const resolved = new Set<number>();
  const open = new Map<string, number[]>();

  const fail: ErrorBook["fail"] = (toolName, facts, { text, at }) => {
    const key = `${classOf(toolName, facts)} ${nameOf(facts, cwd)}`;
    const same = open.get(key);
    if (same === undefined) open.set(key, [errors.length]);
    else same.push(errors.length);
    errors.push({ tool: toolName, subject: failedSubject(facts), text, at, resolved: false });
  };

  const succeed: ErrorBook["succeed"] = (toolName, facts) => {
    if (open.size === 0) return;
    for (const key of settledKeys(toolName, facts, cwd)) {
      for (const index of open.get(key) ?? []) resolved.add(index);
      open.delete(key);
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

function classOf(toolName: string, facts: CallFacts): string {
  if (facts.kind === "command") return "command";
  if (!isAboutFile(facts)) return `tool ${toolName}`;
  return facts.kind === "read" ? "read" : "change";
}

/** What was tried, whole: only the very same thing settles it. */
function nameOf(facts: CallFacts, cwd: string | undefined): string {
  if (facts.kind === "command") return facts.commands.join("\n");
  return isAboutFile(facts) ? pathKey(failedSubject(facts), cwd) : facts.subject;
}

/** What a success settles: the same thing; and a file that was changed could also be read. */
function settledKeys(toolName: string, facts: CallFacts, cwd: string | undefined): string[] {
  if (!isAboutFile(facts)) return [`${classOf(toolName, facts)} ${nameOf(facts, cwd)}`];
  const names = facts.files.map(({ path }) => pathKey(path, cwd));
  const read = names.map((name) => `read ${name}`);
  return facts.kind === "read" ? read : [...read, ...names.map((name) => `change ${name}`)];
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
