import { archiveFolder } from "../archive/home.ts";
import type { SessionAgent } from "../resume/write-session.ts";
import type { Settings } from "../settings/settings.ts";
import { outcomeView } from "./compact-report.ts";
import type { Outcome } from "./compaction.ts";
import { unbroken } from "./columns.ts";
import { field, nextLines, warningLines } from "./figures.ts";
import { type Io, printJson, printLines, talk } from "./io.ts";
import { keptWords } from "./kept.ts";
import { typedCommands } from "./program-call.ts";
import type { Written } from "./resume-write.ts";

export interface ResumeResult {
  readonly from: string;
  readonly to: SessionAgent;
  readonly outcome: Outcome;
  /** Absent: there was nothing to do. */
  readonly written: Written | undefined;
  readonly retention: Settings["retention"];
}

/** Tells what became of a session: to a person the warnings on stderr, to a program all in one. */
export function tellResume(io: Io, result: ResumeResult, asJson: boolean): void {
  if (asJson) return printJson(io, resumeJson(result));
  printLines(io, [...outcomeView(io, result.outcome), ...places(io, result), ""]);
  const warnings = warningLines(warningsOf(result));
  for (const line of [...warnings, ...(warnings.length > 0 ? [""] : [])]) talk(io, line);
  printLines(io, nextSteps(io, result));
}

/** Everything that a person should know, in one list for both. */
function warningsOf({ outcome: { report }, written }: ResumeResult): readonly string[] {
  const failures = report.failures.map(({ message }) => message);
  return [...failures, ...report.warnings, ...(written?.warnings ?? [])];
}

/** The files that were written, and for how long originals are there. */
function places(io: Io, { written, retention }: ResumeResult): string[] {
  if (written === undefined) return [];
  const { path: file, isInPlace, promptCommand } = written;
  const scripted = typedLines(io, written, [...promptCommand, "PROMPT"]);
  const place = isInPlace
    ? field("Appended", `to ${unbroken(file)} (longhaul resume --undo takes it back)`)
    : field("Written", `${unbroken(file)} (the old session is as it was)`);
  return [
    "",
    ...field("Archive", unbroken(archiveFolder(io.env))),
    ...field("Kept", keptWords("session", retention)),
    ...place,
    ...field("Scripted", ...scripted),
  ];
}

/** The commands that go on with it, the last of all lines. */
function nextSteps(io: Io, { outcome, written }: ResumeResult): string[] {
  if (written !== undefined) return nextLines(typedLines(io, written, written.command));
  const more = outcome.isForced
    ? "there is nothing to take out"
    : "--force makes it smaller anyway";
  return nextLines([`go on working; ${more}`]);
}

/** A command of the agent as it works from where the person is. */
function typedLines(io: Io, written: Written, command: readonly string[]): readonly string[] {
  const { before, cwd, isCwdThere } = written;
  const folder = cwd === io.cwd || !isCwdThere ? undefined : cwd;
  return typedCommands([...(before ? [before] : []), command], folder);
}

/** Fields are only ever added. */
function resumeJson(result: ResumeResult): unknown {
  const { from, to, outcome, written } = result;
  const { report } = outcome;
  return {
    version: 1,
    agent: to,
    from,
    action: report.action,
    written: written?.path ?? null,
    sessionId: written?.id ?? null,
    command: written?.command ?? null,
    promptCommand: written?.promptCommand ?? null,
    importCommand: written?.before ?? null,
    inPlace: written?.isInPlace ?? false,
    cwd: written?.cwd ?? null,
    tokens: { before: report.tokens.before, after: report.tokens.after },
    messages: report.messages,
    warnings: warningsOf(result),
  };
}
