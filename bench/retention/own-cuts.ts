/**
 * Where an agent compacted by itself and its summary can be read: what it had afterwards, what its model
 * wrote, and what it used then. The future was recorded with that summary, which favours it.
 */
import { messageText, type Message } from "../../src/core/message/index.ts";
import { contextBudget } from "../../src/core/overflow/index.ts";
import type { IsCommon } from "../../src/simulate/index.ts";
import { type Contestant, userMessage } from "./contestants.ts";
import { type Cut, cutBetween } from "./cuts.ts";
import { longhaulWith } from "./longhaul.ts";
import { type Segment, tokensOf } from "./segments.ts";

/** A compaction of the agent's own. */
export interface OwnCut extends Cut {
  readonly summary: string;
  /** What the agent had after it. */
  readonly had: readonly Message[];
}

const BEFORE = /#before (\d+)$/;

/** The compactions of recorded agents whose summaries can be read. */
export function ownCutsOf(segments: readonly Segment[], isCommon: IsCommon): readonly OwnCut[] {
  return segments.flatMap((segment): readonly OwnCut[] => {
    const round = Number(BEFORE.exec(segment.name)?.[1] ?? NaN);
    const named = (part: string): Segment | undefined =>
      segments.find(({ name }) => name === `${segment.session}#${part}`);
    const next = named(`before ${round + 1}`) ?? named("0");
    const summary = next?.messages.find(({ kind }) => kind === "summary");
    if (Number.isNaN(round) || next === undefined || summary === undefined) return [];
    const past = segment.messages;
    const known = new Set(past.map(keyOf));
    const start = next.messages.findIndex(
      (one) => one.kind !== "summary" && one.kind !== "continuation" && !known.has(keyOf(one)),
    );
    if (start < 0) return [];
    // Exactly full, as it was for the agent.
    const window = tokensOf(past) + contextBudget({ window: 200_000 }).reserved;
    const about = { kind: `own ${round}`, window, summary: messageText(summary), isCommon };
    const [had, future] = [next.messages.slice(0, start), next.messages.slice(start)];
    return cutBetween(segment, past, future, about).map((cut) => ({
      ...cut,
      summary: about.summary,
      had,
    }));
  });
}

function keyOf({ role, parts }: Message): string {
  return JSON.stringify([role, parts]);
}

/** Rows that need what the agent itself made. */
export const OWN: readonly Contestant[] = [
  {
    name: "the agent itself",
    does: "what the recording has after the compaction: the summary of its model, and what it kept",
    byDefault: async (past) => ({ messages: (past as OwnCut).had }),
  },
  {
    name: "the agent's summary alone",
    does: "the same without what it kept",
    byDefault: async ({ summary = "" }) => ({ messages: [userMessage(summary)] }),
  },
  {
    name: "the agent's summary, our tail",
    does: "the same in place of our summary",
    byDefault: async (past) => {
      const { messages } = await longhaulWith(past, { force: true });
      const rest = messages.filter(({ kind }) => kind !== "summary");
      return { messages: [userMessage(past.summary ?? ""), ...rest] };
    },
  },
  {
    name: "both summaries whole, our tail",
    does: "the agent's summary before our compaction",
    byDefault: async (past) => {
      const kept = await longhaulWith(past, { force: true });
      return { ...kept, messages: [userMessage(past.summary ?? ""), ...kept.messages] };
    },
  },
  {
    name: "Longhaul's summary alone",
    does: "without what stands below it",
    byDefault: async (past) => {
      const kept = await longhaulWith(past, { force: true });
      return { ...kept, messages: kept.messages.filter(({ kind }) => kind === "summary") };
    },
  },
  {
    name: "Longhaul with the agent's summary",
    does: "compaction forced; the summary, under our headings, is what its model answers",
    byDefault: (past) => longhaulWith(past, { force: true, answer: past.summary }),
  },
];
