import type { FileOp } from "../../ledger/index.ts";
import { type Handle, isHandle } from "../../message/index.ts";
import { clipStart, codeSpan, codeSpans, leadingSpan, oneLine } from "../plain-text.ts";
import type { CommandRuns, FileMention, OpenError } from "./facts.ts";

/*
 * How each kind of fact is written, and beside it how it is read back, so that a summary of ours
 * can be merged into the next one as facts and not as prose. Readers give `undefined` for any other
 * entry.
 */

const OPS: readonly FileOp[] = ["read", "created", "modified", "deleted"];
const OP_WORDS: Readonly<Record<FileOp, string>> = {
  read: "Read",
  created: "Created",
  modified: "Modified",
  deleted: "Deleted",
};
const ROLE_LENGTH = 240;
/** Looking further for the end of a bare path would take too long on a long line. */
const PATH_LENGTH = 1_000;

/** `Modified: …` with whole paths, or with names below one folder: `` Modified in `src/`: … ``. */
export function filesLine(op: FileOp, folder: string, names: readonly string[]): string {
  const where = folder === "" ? "" : ` in ${codeSpan(folder)}`;
  return `${OP_WORDS[op]}${where}: ${names.map(codeSpan).join(", ")}`;
}

export function readFilesLine(entry: string): readonly FileMention[] | undefined {
  const op = OPS.find((word) => entry.startsWith(OP_WORDS[word]));
  if (op === undefined) return undefined;
  const after = entry.slice(OP_WORDS[op].length);
  const folder = after.startsWith(" in ") ? leadingSpan(after.slice(4)) : undefined;
  const names = codeSpans(folder?.rest ?? after);
  if (names.length === 0 || filesLine(op, folder?.text ?? "", names) !== entry) return undefined;
  return names.map((name) => ({ path: `${folder?.text ?? ""}${name}`, ops: [op] }));
}

/** `` `src/a.ts`: created, modified ``, or what an earlier summary said of the file. */
export function fileLine({ path, ops, role }: FileMention): string {
  const what = ops.join(", ");
  if (role === undefined) return what === "" ? codeSpan(path) : `${codeSpan(path)}: ${what}`;
  return `${codeSpan(path)}: ${role}${what === "" ? "" : ` (${what})`}`;
}

/** Also reads what models write: a bare or bold path, a dash, any words. */
export function readFileLine(entry: string): FileMention | undefined {
  const line = splitFileLine(entry);
  if (line === undefined) return undefined;
  const role = clipStart(oneLine(line.words), ROLE_LENGTH);
  return { path: line.path, ops: line.ops, ...(role === "" ? {} : { role }) };
}

/** {@link readFileLine} with all that is said of the file, as written. */
export function splitFileLine(
  entry: string,
): { path: string; words: string; ops: readonly FileOp[] } | undefined {
  const named = leadingPath(entry.replace(/^\*\*(.+?)\*\*/, "$1"));
  if (named === undefined) return undefined;
  const path = named.text;
  const [prose = ""] = named.rest.split("```");
  const said = /^\s*(?::|[-–—]+\s)?\s*([\s\S]*)$/.exec(prose)?.[1] ?? "";
  const only = readOps(said);
  if (only !== undefined) return { path, words: "", ops: only };
  // The operations stand at the end, or at the end of the first line if there are more.
  const lineEnd = said.indexOf("\n");
  for (const end of lineEnd < 0 ? [said.length] : [said.length, lineEnd]) {
    const [, words = "", inBrackets = ""] =
      /^([\s\S]*?)(?: \(([a-z, ]+)\))?$/.exec(said.slice(0, end)) ?? [];
    const ops = readOps(inBrackets);
    if (ops !== undefined) return { path, words: words + said.slice(end), ops };
  }
  return { path, words: said, ops: [] };
}

function leadingPath(text: string): { text: string; rest: string } | undefined {
  const span = leadingSpan(text);
  if (span !== undefined) return span.text.includes("\n") ? undefined : span;
  const start = text.slice(0, PATH_LENGTH);
  const path =
    /^(?:[A-Za-z]:)?(?:[\w@~.+-]*[/\\])*[\w@~+-]*\.?[\w-]+(?=$|[\s:,(])/.exec(start)?.[0] ?? "";
  return /[./\\]/.test(path) ? { text: path, rest: text.slice(path.length) } : undefined;
}

function readOps(text: string): readonly FileOp[] | undefined {
  const words = text.split(", ");
  const ops = words.flatMap((word) => OPS.filter((op) => op === word));
  return ops.length === words.length ? ops : undefined;
}

/** `` `npm test`: failed (exit 1), 3 runs `` with the outcome of the newest run. */
export function commandLine({ command, outcome, exitCode, runs }: CommandRuns): string {
  const exit = exitCode === undefined || outcome === "ok" ? "" : ` (exit ${exitCode})`;
  const result = outcome === "unknown" ? "outcome unknown" : `${outcome}${exit}`;
  return `${codeSpan(command)}: ${result}${runs > 1 ? `, ${runs} runs` : ""}`;
}

export function readCommandLine(entry: string): CommandRuns | undefined {
  const span = leadingSpan(entry);
  const pattern = /^: (ok|failed|outcome unknown)(?: \(exit (-?\d+)\))?(?:, (\d+) runs)?$/;
  const match = span === undefined ? null : pattern.exec(span.rest);
  if (span === undefined || match === null) return undefined;
  const [, result, exit, runs = "1"] = match;
  const outcome = result === "ok" || result === "failed" ? result : "unknown";
  const exitCode = exit === undefined ? undefined : Number(exit);
  return { command: span.text, outcome, exitCode, runs: Number(runs) };
}

/** `` Unresolved: `bash` on `npm test`: what went wrong ``. */
export function errorLine({ tool, subject, text }: OpenError): string {
  const on = subject === "" ? "" : ` on ${codeSpan(subject)}`;
  return `Unresolved: ${codeSpan(tool)}${on}: ${text}`;
}

export function readErrorLine(entry: string): OpenError | undefined {
  const after = readPrefixed("Unresolved", entry);
  const tool = after === undefined ? undefined : leadingSpan(after);
  if (tool === undefined) return undefined;
  const subject = tool.rest.startsWith(" on ") ? leadingSpan(tool.rest.slice(4)) : undefined;
  const rest = subject?.rest ?? tool.rest;
  if (!rest.startsWith(": ")) return undefined;
  return { tool: tool.text, subject: subject?.text ?? "", text: rest.slice(2) };
}

/** The newest heads of earlier compactions; each one holds a summary that names those before it. */
export function headsLine(handles: readonly Handle[], most: number): string {
  const named = handles.slice(0, most).join(", ");
  const older = handles.length > most ? "; the last one names those before it" : "";
  return `Earlier heads: recall ${named}${older}`;
}

export function readHeadsLine(entry: string): readonly Handle[] | undefined {
  const after = readPrefixed("Earlier heads", entry);
  return after?.split(/\W+/).filter(isHandle);
}

/** What follows `prefix: ` in an entry that starts so. */
export function readPrefixed(prefix: string, entry: string): string | undefined {
  return entry.startsWith(`${prefix}: `) ? entry.slice(prefix.length + 2) : undefined;
}
