import type { Digest } from "../message/index.ts";
import type { MessageMeter, TokenCounter } from "../tokens/index.ts";
import type { ToolKinds } from "../calls/index.ts";
import type { ProtectedTools } from "./protection.ts";

export interface PruneOptions {
  /** @default ["skill"] */
  readonly protectedTools?: ProtectedTools;
  /** Tokens. @default 20000, or 10 % of the window if that is less */
  readonly minimumSaving?: number;
  /** Tokens of newest steps protected where user turns give no boundary. @default 40000 */
  readonly protectedTokens?: number;
}

/** What pruning needs to know; token figures are the meter's. */
export interface PruneContext {
  readonly options?: PruneOptions;
  readonly window: number;
  readonly usable: number;
  /** How many tokens have to go; pruning stops once they are gone. */
  readonly excess: number;
  readonly counter: TokenCounter;
  readonly meter: MessageMeter;
  readonly digest: Digest;
  readonly toolKinds?: ToolKinds;
  /** For `time.compacted`, in ms since the epoch. */
  readonly now: number;
}
