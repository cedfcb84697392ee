import type { OptionNames } from "../core/options.ts";

/** What an archive of many machines is to remove. */
export interface CollectOptions {
  /** How long a conversation must not have been used, in ms. */
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
