import pc from "picocolors";
import path from "node:path";
import { isCancel, select } from "@clack/prompts";
import { clipLine } from "../../core/text/clip.ts";
import { bar, bytes, localTime, percent, plural, tokens } from "../figures.ts";
import { type CommonOptions, type Io, printJson, printLines, talk, widthOf } from "../io.ts";
import type { FoundSession } from "./session-search.ts";
import { findSessions, type FoundSessions } from "./sessions.ts";
import type { ContextBudget } from "../../core/overflow/budget.ts";
import { messageText } from "../../core/message/message.ts";
import { startsTurn } from "../../core/message/structure.ts";
import { readTranscript } from "../../transcripts/read.ts";
import { measureSession } from "../measure-session.ts";
import { startProgress } from "../progress.ts";
import { readSettings, type Settings } from "../settings.ts";
import { chooseWindow, measureOptions } from "../load.ts";
import type { Conversation } from "../../transcripts/index.ts";

/** Prints the newest sessions on this computer: a table, or JSON. */
export async function listSessions(io: Io, { json }: CommonOptions): Promise<void> {
  const found = await findSessions(io);
  const described = await describeSessions(io, found.sessions);
  if (json === true) printJson(io, jsonList(found, described));
  else printLines(io, sessionList(io, found, described));
}

/**
 * Lets a person pick one of the newest sessions. Without a terminal, or with `json`, it lists them
 * instead. `undefined`: none was picked.
 */
export async function chooseSession(
  io: Io,
  { json }: CommonOptions = {},
): Promise<FoundSession | undefined> {
  if (json === true || io.stdout.isTTY !== true || !process.stdin.isTTY) {
    await listSessions(io, { json: json === true });
    return undefined;
  }
  const found = await findSessions(io);
  const described = await describeSessions(io, found.sessions);
  if (described.length === 0) {
    printLines(io, nothingFound(found));
    return undefined;
  }
  for (const note of notes(found, described)) talk(io, pc.dim(note));
  const picked = await select({
    message: "Which session?",
    maxItems: PICKER_ROWS,
    options: described.map((one) => ({
      value: one.session,
      label: row(one, widthOf(io) - PICKER_MARGIN),
      disabled: one.state === "unreadable",
    })),
  });
  return isCancel(picked) ? undefined : picked;
}

const PICKER_ROWS = 12;
/** Five characters stand before each row; the picker counts their colour codes as well. */
const PICKER_MARGIN = 16;

function sessionList(
  io: Io,
  found: FoundSessions,
  described: readonly DescribedSession[],
): string[] {
  if (described.length === 0) return nothingFound(found);
  const width = widthOf(io);
  return [
    pc.dim(tableRow(HEADINGS, width)),
    ...described.flatMap((one) => [row(one, width), pc.dim(`  ${whereabouts(one.session)}`)]),
    "",
    ...notes(found, described).map((note) => pc.dim(note)),
    "Next: longhaul compact FILE",
  ];
}

/** What to give as FILE. */
function whereabouts({ path, name }: FoundSession): string {
  return path ?? `opencode export ${name} > ${name}.json`;
}

function nothingFound({ places, hints }: FoundSessions): string[] {
  return [
    "No agent sessions were found on this computer. Looked in:",
    ...places.map((place) => `  ${place}`),
    ...hints,
    "A session from anywhere else works too: longhaul compact FILE",
  ];
}

function notes(
  { sessions, skipped, hints }: FoundSessions,
  described: readonly DescribedSession[],
): string[] {
  const older = sessions.length - described.length;
  const unsure = described.some((one) => one.budget !== undefined && !one.isWindowSure);
  return [
    ...(unsure ? ["?: the session does not say how large its model's window is."] : []),
    ...(older > 0 ? [`${plural(older, "older session")} not shown.`] : []),
    ...(skipped > 0
      ? [`${skipped} that could not be read ${skipped === 1 ? "was" : "were"} left out.`]
      : []),
    ...hints,
  ];
}

/** Agents as people call them. */
const AGENTS: Readonly<Record<string, string>> = {
  "claude-code": "Claude Code",
  codex: "Codex",
  pi: "pi",
  "gemini-cli": "Gemini CLI",
  opencode: "opencode",
};

/** From these widths on, a row also has the time, and the size and a bar. */
const MIDDLE = 56;
const WIDE = 84;
const BAR_WIDTH = 10;

interface Cells {
  readonly agent: string;
  readonly about: string;
  readonly size: string;
  readonly time: string;
  readonly tokens: string;
  readonly bar: string;
  readonly full: string;
  readonly paint: (text: string) => string;
}

const HEADINGS: Cells = {
  agent: "Agent",
  about: "Session",
  size: "Size",
  time: "Last used",
  tokens: "Tokens",
  bar: "Window",
  full: "",
  paint: String,
};

function row(one: DescribedSession, width: number): string {
  const { session, project, title, state, tokens: held, budget } = one;
  const cells: Cells = {
    agent: AGENTS[session.agent] ?? session.agent,
    about: project === undefined ? title : `${project}: ${title}`,
    size: one.bytes === undefined ? "–" : bytes(one.bytes),
    time: localTime(session.modifiedAt),
    tokens: "–",
    bar: "",
    full: state === "unreadable" ? "damaged" : "",
    paint: pc.dim,
  };
  if (held === undefined || budget === undefined) return tableRow(cells, width);
  const ratio = held / budget.usable;
  return tableRow(
    {
      ...cells,
      tokens: tokens(held),
      bar: bar(held, budget.window, BAR_WIDTH),
      full: percent(held, budget.window) + (one.isWindowSure ? "" : "?"),
      paint: ratio >= 1 ? pc.red : ratio >= 0.8 ? pc.yellow : pc.green,
    },
    width,
  );
}

function tableRow(cells: Cells, width: number): string {
  const isWide = width >= WIDE;
  const left = cells.agent.padEnd(11);
  const right = [
    ...(isWide ? [cells.size.padStart(8)] : []),
    ...(width >= MIDDLE ? [cells.time.padEnd(16)] : []),
    cells.tokens.padStart(6),
    ...(isWide ? [cells.bar.padEnd(BAR_WIDTH)] : []),
    cells.full.padStart(7),
  ].join("  ");
  const room = Math.max(8, width - left.length - right.length - 4);
  const [about, painted] = [clipLine(cells.about, room).padEnd(room), cells.paint(right)];
  return `${left}  ${about}  ${painted}`;
}

function jsonList(found: FoundSessions, described: readonly DescribedSession[]): unknown {
  return {
    version: 1,
    sessions: described.map(
      ({ session, state, title, project, bytes, tokens, budget, ...one }) => ({
        agent: session.agent,
        title,
        project,
        name: session.name,
        path: session.path,
        bytes,
        modifiedAt: new Date(session.modifiedAt).toISOString(),
        state,
        tokens,
        window: budget?.window,
        isWindowSure: budget && one.isWindowSure,
        usable: budget?.usable,
      }),
    ),
    found: found.sessions.length,
    skipped: found.skipped,
    places: found.places,
    hints: found.hints,
  };
}

/** What a list says about a session. */
interface DescribedSession {
  readonly session: FoundSession;
  /** `unmeasured`: there was no time to read it. */
  readonly state: "measured" | "unmeasured" | "unreadable";
  /** What it is about. */
  readonly title: string;
  /** The name of its working directory. */
  readonly project?: string;
  /** Size as it is stored, or as it was read. */
  readonly bytes?: number;
  /** Tokens of its next request. */
  readonly tokens?: number;
  readonly budget?: ContextBudget;
  /** False when the window is a guess, or when the session has held more than that. */
  readonly isWindowSure?: boolean;
}

/** How long the reading of all of them may take, in ms: a person is waiting for the list. */
const READING_MS = 6_000;

/**
 * Reads the first `limit` sessions and says how full their windows are. What is not read after six
 * seconds stays unmeasured.
 */
export async function describeSessions(
  io: Io,
  sessions: readonly FoundSession[],
  limit = 20,
): Promise<readonly DescribedSession[]> {
  const settings = await readSettings(io);
  const deadline = Date.now() + READING_MS;
  const progress = startProgress(io, false);
  const described: DescribedSession[] = [];
  try {
    for (const session of sessions.slice(0, limit)) {
      progress.update("Reading the sessions", described.length, Math.min(limit, sessions.length));
      described.push(await describeSession(session, { deadline, settings }));
    }
  } finally {
    progress.stop();
  }
  return described;
}

async function describeSession(
  session: FoundSession,
  { deadline, settings }: { readonly deadline: number; readonly settings: Settings },
): Promise<DescribedSession> {
  let { bytes } = session;
  const unread = { session, title: session.title } as const;
  const left = deadline - Date.now();
  if (left <= 0) return { ...unread, bytes, state: "unmeasured" };
  const signal = AbortSignal.timeout(left);
  try {
    const { conversations } = await readTranscript(await session.load(), {
      format: session.agent,
      signal,
      onProgress: (read) => (bytes = session.bytes ?? read),
    });
    const [conversation] = conversations;
    if (conversation === undefined) return { ...unread, bytes, state: "unreadable" };
    const { title = firstWords(conversation) || session.title } = conversation;
    return { session, state: "measured", title, bytes, ...fullness(conversation, settings) };
  } catch {
    return { ...unread, bytes, state: signal.aborted ? "unmeasured" : "unreadable" };
  }
}

function fullness(
  conversation: Conversation,
  settings: Settings,
): Pick<DescribedSession, "project" | "tokens" | "budget" | "isWindowSure"> {
  const chosen = chooseWindow(settings.window, conversation);
  const { budget, tokens } = measureSession(conversation, measureOptions(settings, chosen)).size;
  const peak = conversation.timeline.reduce((most, sample) => Math.max(most, sample.tokens), 0);
  return {
    // The session may come from another system, so that either separator counts.
    project: conversation.cwd && path.posix.basename(conversation.cwd.replaceAll("\\", "/")),
    tokens,
    budget,
    isWindowSure: budget.isWindowKnown && peak <= budget.window,
  };
}

/** The beginning of what the person asked first. */
function firstWords({ messages }: Conversation): string {
  const first = messages.find(startsTurn);
  return first === undefined ? "" : messageText(first).slice(0, 200).trim();
}
