import type { OptionNames } from "../core/options.ts";

/** Conditions under which an archive of many machines removes a conversation. */
export interface CollectOptions {
  /** The time without use, in ms. */
  readonly maxAgeMs: number;
  /** Also conversations that can go on, because they have a journal. @default false */
  readonly journals?: boolean;
  /** Conversations in one transaction, in a database. @default 100 */
  readonly batch?: number;
}

export interface Collected {
  readonly conversations: number;
  /** Of their originals. */
  readonly bytes: number;
}

export const COLLECT_OPTIONS: OptionNames<CollectOptions> = {
  maxAgeMs: true,
  journals: true,
  batch: true,
};
