import pc from "picocolors";
import { unbroken } from "../columns.ts";
import { plural } from "../../core/text/figures.ts";
import {
  type CommonOptions,
  type Io,
  isTerminal,
  printJson,
  printLines,
  shown,
  shownJson,
  widthOf,
  talk,
} from "../io.ts";
import type { FoundSession } from "./session-search.ts";
import {
  headingLine,
  noSessions,
  queriedRows,
  SESSION_ORDERS,
  sessionJson,
  sessionLine,
  type SessionRow,
  sessionRow,
} from "./session-table.ts";
import { type Survey, type SurveyOptions, surveySessions } from "./survey.ts";

/** The time that a person waits for a list to choose from, in ms; what is not read then has no figures. */
const PATIENCE_MS = 6_000;
/** The sessions that a table without a terminal shows where nobody asked for all of them. */
const NEWEST = 20;

/** Prints the sessions on this computer: a table, or JSON with all of them. */
export async function listSessions(
  io: Io,
  { json, limit = Infinity, ...options }: CommonOptions & SurveyOptions & { limit?: number },
): Promise<void> {
  const survey = await surveySessions(io, { ...options, quiet: json === true });
  const rows = rowsOf({ ...survey, sessions: survey.sessions.slice(0, limit) });
  if (json !== true) return printLines(io, sessionTable(io, survey, rows));
  printJson(io, rows.map(sessionJson));
  for (const hint of survey.found.hints) talk(io, hint);
}

/**
 * Lets a person pick one of the sessions. Without a terminal, or with `json`, it lists the newest
 * instead. `undefined`: none was picked.
 */
export async function chooseSession(
  io: Io,
  { json }: CommonOptions = {},
): Promise<FoundSession | undefined> {
  if (json === true || !isTerminal(io)) {
    await listSessions(io, { json, limit: NEWEST, patienceMs: PATIENCE_MS });
    return undefined;
  }
  return (await (await sessionPicker(io))?.("Which session?"))?.known.session;
}

/** Lets a person pick from what is here now, as often as they like; `undefined` where there is nothing. */
export async function sessionPicker(
  io: Io,
): Promise<((message: string) => Promise<SessionRow | undefined>) | undefined> {
  const survey = await surveySessions(io, { patienceMs: PATIENCE_MS });
  const rows = rowsOf(survey);
  if (rows.length > 0) return (message) => pickRow(io, survey, rows, message);
  printLines(io, nothingFound(survey));
  return undefined;
}

function rowsOf({ sessions, settings }: Survey): SessionRow[] {
  return sessions.map((known) => sessionRow(known, settings.prices));
}

const PICKER_ROWS = 12;
/** The width of what the picker puts before each row. */
const PICKER_MARGIN = 6;

/** Lets a person filter, sort and pick; `undefined` when they leave. */
async function pickRow(
  io: Io,
  survey: Survey,
  rows: readonly SessionRow[],
  message: string,
): Promise<SessionRow | undefined> {
  // A table needs none of it.
  const { autocomplete, isCancel } = await import("@clack/prompts");
  const width = widthOf(io) - PICKER_MARGIN;
  const told = notes(survey)
    .flatMap((note) => note.split("\n"))
    .map((note) => `\n${pc.dim(`│  ${note}`)}`);
  // Asked for with every key; of thousands a dozen are drawn.
  const optionOf = (row: SessionRow) => ({
    value: row,
    get label() {
      return shown(sessionLine(row, width));
    },
    get disabled() {
      return row.known.facts?.state === "unreadable";
    },
  });
  let asked: { query: string; options: ReturnType<typeof optionOf>[] } | undefined;
  const picked = await autocomplete<SessionRow>({
    message: shown(`${message}${told.join("")}\n${pc.dim(`│    ${headingLine(width)}`)}`),
    placeholder: `type to filter; sort:${SESSION_ORDERS.join(", ")}`,
    maxItems: PICKER_ROWS,
    options() {
      const query = this?.userInput ?? "";
      if (asked?.query !== query)
        asked = { query, options: queriedRows(rows, query).map(optionOf) };
      return asked.options;
    },
  });
  return isCancel(picked) ? undefined : picked;
}

/** The table, with what to type for each session. */
function sessionTable(io: Io, survey: Survey, rows: readonly SessionRow[]): string[] {
  if (survey.found.sessions.length === 0) return nothingFound(survey);
  const width = widthOf(io);
  const older = survey.sessions.length - rows.length;
  if (rows.length === 0)
    return ["None of the sessions on this computer is asked for by these options."];
  return [
    pc.dim(headingLine(width)),
    ...rows.flatMap((row) => [
      sessionLine(row, width),
      pc.dim(`  ${shownPlace(row.known.session)}`),
    ]),
    "",
    ...(older > 0 ? [pc.dim(`${plural(older, "older session")} not shown.`)] : []),
    ...notes({ ...survey, sessions: rows.map(({ known }) => known) }).map((note) => pc.dim(note)),
    "Next: longhaul inspect ID, longhaul compact ID or longhaul resume ID (a file will do)",
  ];
}

/** The name as it is: as JSON where a terminal would not get all of it. */
function shownPlace({ path, id }: FoundSession): string {
  const place = path ?? id;
  return unbroken(/\p{C}/u.test(place) ? shownJson(JSON.stringify(place)) : place);
}

function nothingFound(survey: Survey): string[] {
  return [
    ...noSessions(survey),
    ...survey.found.hints,
    "A session from anywhere else works too: longhaul compact FILE",
  ];
}

function notes({ found: { skipped, hints }, sessions }: Survey): string[] {
  const unread = sessions.filter(({ facts }) => facts === undefined).length;
  const unsure = sessions.some(({ facts }) => facts?.isWindowSure === false);
  return [
    ...(unsure ? ["?: the session does not say how large its model's window is."] : []),
    ...(unread > 0
      ? [`${plural(unread, "session")} not read yet; longhaul sessions reads all of them.`]
      : []),
    ...(skipped > 0
      ? [`${skipped} that could not be read ${skipped === 1 ? "was" : "were"} left out.`]
      : []),
    ...hints,
  ];
}
