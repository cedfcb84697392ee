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

async function describeSession(
  session: FoundSession,
  { deadline, settings }: { readonly deadline: number; readonly settings: MeasureOptions },
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
  settings: MeasureOptions,
): Pick<DescribedSession, "project" | "tokens" | "budget" | "isWindowSure"> {
  const { window } = chooseWindow(undefined, conversation);
  const { budget, tokens } = measureSession(conversation, { ...settings, window }).size;
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
