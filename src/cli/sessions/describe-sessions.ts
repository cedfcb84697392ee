import path from "node:path";
import type { ContextBudget } from "../../core/overflow/budget.ts";
import { messageText } from "../../core/message/message.ts";
import { startsTurn } from "../../core/message/structure.ts";
import { readTranscript } from "../../transcripts/read.ts";
import type { Io } from "../io.ts";
import { type MeasureOptions, measureSession } from "../measure-session.ts";
import { startProgress } from "../progress.ts";
import { readSettings } from "../settings.ts";
import type { FoundSession } from "./session-search.ts";
import { chooseWindow } from "../load.ts";
import type { Conversation } from "../../transcripts/index.ts";

/** What a list says about a session. */
export interface DescribedSession {
  readonly session: FoundSession;
  /** `unmeasured`: there was no time to read it. */
  readonly state: "measured" | "unmeasured" | "unreadable";
  /** What it is about. */
  readonly title: string;
  /** The name of its working directory. */
  readonly project: string | undefined;
  /** Size as it is stored, or as it was read. */
  readonly bytes: number | undefined;
  /** Tokens of its next request. */
  readonly tokens: number | undefined;
  readonly budget: ContextBudget | undefined;
  /** False when the window is a guess, or when the session has held more than that. */
  readonly isWindowSure: boolean;
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
  const { fixedTokens, tokenFactor, reserved } = await readSettings(io);
  const settings = { fixedTokens, tokenFactor, reserved };
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

interface Describing {
  readonly deadline: number;
  readonly settings: MeasureOptions;
}

async function describeSession(
  session: FoundSession,
  { deadline, settings }: Describing,
): Promise<DescribedSession> {
  const left = deadline - Date.now();
  if (left <= 0) return unread(session, "unmeasured");
  const signal = AbortSignal.timeout(left);
  let bytes = session.bytes;
  try {
    const { conversations } = await readTranscript(await session.load(), {
      format: session.agent,
      signal,
      onProgress: (read) => (bytes = session.bytes ?? read),
    });
    const [conversation] = conversations;
    if (conversation === undefined) return unread(session, "unreadable");
    return {
      session,
      bytes,
      state: "measured",
      ...describeConversation(session, conversation, settings),
    };
  } catch {
    return unread(session, signal.aborted ? "unmeasured" : "unreadable");
  }
}

function unread(session: FoundSession, state: DescribedSession["state"]): DescribedSession {
  const { title, bytes } = session;
  return {
    session,
    state,
    title,
    bytes,
    project: undefined,
    tokens: undefined,
    budget: undefined,
    isWindowSure: false,
  };
}

function describeConversation(
  session: FoundSession,
  conversation: Conversation,
  settings: MeasureOptions,
): Pick<DescribedSession, "title" | "project" | "tokens" | "budget" | "isWindowSure"> {
  const { window } = chooseWindow(undefined, conversation);
  const { size } = measureSession(conversation, { ...settings, window });
  const { budget, tokens } = size;
  const peak = conversation.timeline.reduce((most, sample) => Math.max(most, sample.tokens), 0);
  return {
    title: conversation.title ?? (firstWords(conversation) || session.title),
    project: conversation.cwd === undefined ? undefined : lastName(conversation.cwd),
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

/** The session may come from another system, so that either separator counts. */
function lastName(folder: string): string {
  return path.posix.basename(folder.replaceAll("\\", "/"));
}
