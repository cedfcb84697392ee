import path from "node:path";
import type { Command } from "commander";
import pc from "picocolors";
import { ContextError, wrongUse } from "../core/error.ts";
import { clipLine } from "../core/text/clip.ts";
import { bytes, localTime, plural } from "../core/text/figures.ts";
import { type CommonOptions, type Io, printJson, printLines, talk, widthOf } from "./io.ts";
import { numberOption } from "./options.ts";
import { typedCommand } from "./program-call.ts";
import { literalNeedle, regexNeedle } from "./search/needle.ts";
import {
  type FoundIn,
  hitJson,
  searchSessions,
  type SearchOutcome,
} from "./search/search-sessions.ts";
import { filterOf, filterOptions } from "./sessions.ts";
import { agentName } from "./sessions/session-table.ts";

interface SearchFlags extends CommonOptions {
  readonly regex?: boolean;
  readonly limit?: number;
  readonly session?: string;
  readonly project?: string;
  /** ms since the epoch. */
  readonly since?: number;
  readonly agent?: string;
}

const DEFAULT_LIMIT = 50;

/** `longhaul search TEXT`: a text in all sessions on this computer. */
export function define(command: Command, io: Io): void {
  filterOptions(command)
    .description(
      "Looks for a text in every session on this computer, newest first: also in what was compacted away, in sub-agents, in outputs that agents keep beside a session, and in our archive. Each hit says how to open it.",
    )
    .argument("<text>", "what to look for, as it is; upper and lower case are told apart")
    .allowExcessArguments()
    .option("--regex", "the text is a regular expression (RE2); (?i) at its start ignores case")
    .option("--session <id>", "only in this session (the beginning of its id will do)")
    .option("--limit <hits>", "the most hits (default: 50)", numberOption)
    .addHelpText("after", EXAMPLES)
    .action((text: string, flags: SearchFlags) => {
      if (command.args.length > 1) throw severalTexts(command.args);
      return searchCommand(io, text, flags);
    });
}

function severalTexts(texts: readonly string[]): ContextError {
  const given = texts.map((text) => JSON.stringify(text)).join(", ");
  return wrongUse(
    `search takes one text and was given ${texts.length}: ${given}. Put it in quotes; --regex has no value of its own, it says that the text is an expression.`,
  );
}

const EXAMPLES = `
Examples:
  longhaul search "connection refused" --since 30d
  longhaul search --regex 'ECONN(REFUSED|RESET)' --project . --agent codex`;

async function searchCommand(io: Io, text: string, flags: SearchFlags): Promise<void> {
  const { regex, limit = DEFAULT_LIMIT, session, json } = flags;
  const needle = regex === true ? await regexNeedle(text) : literalNeedle(text);
  const outcome = await searchSessions(io, needle, {
    ...filterOf(io, flags),
    session,
    limit,
    quiet: json === true,
  });
  if (json === true) return printJson(io, outcomeJson(text, outcome));
  const lines = outcome.found.flatMap((each) => foundLines(io, each));
  if (lines.length > 0) printLines(io, lines);
  talk(io, summary(outcome));
  for (const hint of outcome.hints) talk(io, hint);
}

function outcomeJson(pattern: string, { found, ...rest }: SearchOutcome): object {
  const hits = found.flatMap((each) => each.hits.map((hit) => hitJson(each, hit)));
  return { version: 1, pattern, hits, ...rest };
}

function foundLines(io: Io, { target, about, hits, more }: FoundIn): string[] {
  const width = widthOf(io);
  const { project, title } = about;
  const name = target.agent === "longhaul" ? "archive" : agentName(target.agent);
  const place = project === undefined ? path.basename(target.path ?? "") : path.basename(project);
  const heading = [place, title === place ? undefined : title].filter(Boolean).join(": ");
  return [
    `${pc.bold(clipLine(heading, Math.max(8, width - name.length - 20)))}  ${pc.dim(`${name}, ${localTime(target.modifiedAt)}`)}`,
    ...hits.flatMap((hit) => [
      `  ${pc.cyan(hit.turn === undefined ? hit.kind : `turn ${hit.turn}, ${hit.kind}`)}  ${clipLine(hit.text, width * 2 - 30)}`,
      pc.dim(`    ${typedCommand(target.open(hit.record))}`),
    ]),
    ...(more > 0 ? [pc.dim(`  and ${plural(more, "more hit")} in it (--session shows them)`)] : []),
    "",
  ];
}

function summary({ found, searched, isFull, unread, hint }: SearchOutcome): string {
  const hits = found.reduce((sum, each) => sum + each.hits.length + each.more, 0);
  const left =
    unread === 0
      ? ""
      : `; ${plural(unread, "file")} could not be read${hint === undefined ? "" : `. ${hint}`}`;
  const more = isFull ? "; there may be more, see --limit" : "";
  return `${plural(hits, "hit")} in ${plural(searched.files, "file")} (${bytes(searched.bytes)})${more}${left}`;
}
