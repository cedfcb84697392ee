import { leadingSystemCount } from "../core/message/structure.ts";
import type { ModelSummary } from "../models/summarizer.ts";
import { isSameMessage } from "./chain.ts";
import type { Message } from "../core/message/index.ts";
import type { CompactionTemplate } from "../core/summary/index.ts";

/** The base of a summary: the messages of a legal view up to where the tail starts. */
interface Beginning {
  readonly messages: readonly Message[];
  readonly tailStart: number;
  readonly template: CompactionTemplate;
}

/** A summary that is being written, or has been, while the agent works. */
export interface AheadSummary {
  readonly tailStart: number;
  /** The sections that it was asked for. */
  readonly template: CompactionTemplate;
  readonly answer: Promise<ModelSummary | undefined>;
  readonly isReady: boolean;
}

/** At most one summary ahead of need. */
export interface Ahead {
  readonly isUnderWay: boolean;
  /** Summaries that were thrown away: the history had changed, or was edited otherwise. */
  readonly discarded: number;
  /** At least `step` tokens have come since it last said yes, or some have gone. */
  isTimeToLook(tokens: number, step: number): boolean;
  /** By how much a step adds to the window, as a mean of the newest; infinite before two are known. */
  growth(tokens: number): number;
  begin(
    beginning: Beginning,
    start: (signal: AbortSignal) => Promise<ModelSummary | undefined>,
  ): void;
  /** The summary, if the view still begins with what it was written about; else it is dropped. */
  match(messages: readonly Message[]): AheadSummary | undefined;
  take(): void;
  /** Throws it away; what is under way is aborted. */
  drop(): void;
}

interface Pending extends AheadSummary {
  readonly prefix: readonly Message[];
  readonly abort: AbortController;
}

/** The weight of the newest step in the mean of them. */
const NEWEST = 0.3;

function createGrowth(): Ahead["growth"] {
  let before = Infinity;
  let mean = Infinity;
  return (tokens) => {
    const came = tokens - before;
    if (came > 0) mean = mean === Infinity ? came : mean * (1 - NEWEST) + came * NEWEST;
    before = tokens;
    return mean;
  };
}

export function createAhead(): Ahead {
  let pending: Pending | undefined;
  let discarded = 0;
  let looked = -Infinity;
  const drop = (): void => {
    if (pending === undefined) return;
    pending.abort.abort();
    pending = undefined;
    discarded++;
  };
  return {
    get isUnderWay() {
      return pending !== undefined;
    },
    get discarded() {
      return discarded;
    },
    isTimeToLook(tokens, step) {
      const isTime = tokens >= looked + step || tokens < looked;
      if (isTime) looked = tokens;
      return isTime;
    },
    growth: createGrowth(),
    begin({ messages, tailStart, template }, start) {
      const abort = new AbortController();
      // A summary that cannot be written is found out when it is needed.
      const answer = start(abort.signal).catch(() => undefined);
      const prefix = messages.slice(0, tailStart);
      const begun = { prefix, tailStart, template, answer, abort, isReady: false };
      void answer.then(() => (begun.isReady = true));
      pending = begun;
    },
    match(messages) {
      if (pending === undefined) return undefined;
      const { prefix } = pending;
      // A summary says nothing of the system prompt, which may change with every request.
      const lead = leadingSystemCount(prefix);
      const isSame =
        messages.length >= prefix.length &&
        leadingSystemCount(messages) === lead &&
        prefix.every((one, at) => at < lead || isSameMessage(one, messages[at]));
      if (isSame) return pending;
      drop();
      return undefined;
    },
    take() {
      pending = undefined;
    },
    drop,
  };
}
