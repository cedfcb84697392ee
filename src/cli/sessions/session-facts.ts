import { readFileSync } from "node:fs";
import { sha256Hex } from "../../archive/digest.ts";
import { messageText } from "../../core/message/message.ts";
import { startsTurn } from "../../core/message/structure.ts";
import { DEFAULT_WINDOW } from "../../core/overflow/budget.ts";
import { readTranscript } from "../../transcripts/read.ts";
import { chooseWindow, measureOptions } from "../load.ts";
import { measureSession } from "../measure-session.ts";
import { type DayUse, requestKey, usesOf } from "../money/spent.ts";
import type { Settings } from "../../settings/settings.ts";
import type { FoundSession } from "./session-search.ts";
import type { Conversation, RequestUsage } from "../../transcripts/index.ts";

/** The facts of a session that reading it told; the prices that a person set are not in them. */
export interface SessionFacts {
  readonly state: "measured" | "unreadable";
  /** As the session itself has it: for a sub-agent's file, that of its parent. */
  readonly id?: string;
  readonly title?: string;
  readonly cwd?: string;
  readonly model?: string;
  /** Of its context; the whole file may hold more. */
  readonly messages?: number;
  /** The number of times that its agent compacted it. */
  readonly compactions?: number;
  /** Tokens that were in the window before its compactions and not after them. */
  readonly compactedAway?: number;
  /** Tokens of its next request. */
  readonly tokens?: number;
  readonly window?: number;
  /** False when the window is a guess, or when the session has held more than that. */
  readonly isWindowSure?: boolean;
  readonly usable?: number;
  readonly uses: readonly DayUse[];
  /** The first of its requests, in short: copies of the session have the same. */
  readonly first?: string;
}

const UNREADABLE: SessionFacts = { state: "unreadable", uses: [] };
const TITLE_UNITS = 200;
/** Files up to this are read on this thread: to wait for a stream takes longer than to read them. */
const SMALL_BYTES = 1024 * 1024;

/** Reads a session; never throws but for what `signal` says. */
export async function readFacts(
  session: FoundSession,
  settings: Settings,
  signal?: AbortSignal,
): Promise<SessionFacts> {
  try {
    const { path, bytes = Infinity } = session;
    const isSmall = path !== undefined && bytes <= SMALL_BYTES;
    const input = isSmall ? readFileSync(path) : await session.load();
    const { conversations, compactions } = await readTranscript(input, {
      format: session.agent,
      signal,
    });
    const [conversation] = conversations;
    if (conversation === undefined) return UNREADABLE;
    return factsOf(conversation, compactions, { settings, agent: session.agent });
  } catch {
    signal?.throwIfAborted();
    return UNREADABLE;
  }
}

function factsOf(
  conversation: Conversation,
  compactions: number,
  { settings, agent }: { readonly settings: Settings; readonly agent: string },
): SessionFacts {
  const { id, cwd, model, messages, requests = [] } = conversation;
  const chosen = chooseWindow(settings.window, conversation);
  const measuring = measureOptions(settings, chosen, agent);
  const { budget, tokens } = measureSession(conversation, measuring).size;
  const peak = conversation.timeline.reduce((most, sample) => Math.max(most, sample.tokens), 0);
  const title = conversation.title ?? firstWords(conversation);
  return {
    state: "measured",
    id,
    ...(title !== "" && { title: title.slice(0, TITLE_UNITS) }),
    cwd,
    model,
    messages: messages.length,
    compactions,
    compactedAway: compactedAway(conversation, compactions),
    tokens: Math.round(tokens),
    window: chosen.window ?? DEFAULT_WINDOW,
    isWindowSure: budget.isWindowKnown && peak <= budget.window,
    usable: budget.usable,
    uses: usesOf(requests),
    first: shortKey(requests[0]),
  };
}

function shortKey(request: RequestUsage | undefined): string | undefined {
  const key = request && requestKey(request);
  return key === undefined ? undefined : sha256Hex(key).slice(0, 12);
}

/** The beginning of what the person asked first. */
function firstWords({ messages }: Conversation): string {
  const first = messages.find(startsTurn);
  return first === undefined ? "" : messageText(first).slice(0, TITLE_UNITS).trim();
}

/** The largest falls between two requests, as many as there were compactions. */
function compactedAway({ timeline }: Conversation, compactions: number): number {
  const falls = timeline
    .map(({ tokens }, at) => (timeline[at - 1]?.tokens ?? 0) - tokens)
    .filter((fall) => fall > 0)
    .sort((a, b) => b - a);
  return falls.slice(0, compactions).reduce((total, fall) => total + fall, 0);
}
