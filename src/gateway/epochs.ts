import type { Context, EarlyPrune } from "../context/index.ts";
import { goesOnByOneAnswer } from "../hooks/conversations.ts";
import { beginsWith } from "../hooks/follow-natives.ts";
import { type Protocol, type OpenedRequest, modelOf } from "./protocols.ts";
import type { GatewaySettings } from "./options.ts";
import type { TokenPrice } from "./receipts.ts";

interface Newest {
  readonly list: readonly unknown[];
  readonly requests: number;
  /** In ms since the epoch. */
  readonly time: number;
}

/** Entries of 5 minutes were mostly still there after 15, and a cache that is warm after all costs. */
const GRACE_MS = 15 * 60_000;
/** A gain is looked for in every eighth request: the look itself takes time. */
const LOOK_EVERY = 8;
/** Further requests expected for each that was; few, because a wrong guess costs. */
const EXPECTED = 0.25;

/** Decides when old outputs are pruned although there is room. */
export function createEpochs({ epochs, priceOf }: Pick<GatewaySettings, "epochs" | "priceOf">) {
  const newest = new WeakMap<Context, Newest>();
  return {
    /** For the next request of a conversation: asked of what may be pruned; absent where nothing is. */
    before(
      { context, given }: Pick<OpenedRequest, "context" | "given">,
      protocol: Protocol,
    ): ((prune: EarlyPrune) => boolean) | undefined {
      const list = protocol.messagesOf(given) ?? [];
      const [before, time] = [newest.get(context), Date.now()];
      const requests = (before?.requests ?? 0) + 1;
      newest.set(context, { list, requests, time });
      // Another gateway may have sent what is not known here; and sealed thinking wants its prefix.
      if (epochs === "full" || before === undefined || protocol.bindsReasoning(given))
        return undefined;
      const goesOn = beginsWith(list, before.list);
      if (goesOn && !goesOnByOneAnswer(before.list, list)) return undefined;
      const idle = time - before.time;
      const isCold = idle > GRACE_MS && idle > protocol.cacheLifeOf(given) + GRACE_MS;
      const isLook = epochs === "gain" && requests % LOOK_EVERY === 0;
      const expected = isLook ? requests * EXPECTED : 0;
      if (!isCold && goesOn && expected === 0) return undefined;
      const price = priceOf?.(modelOf(given), 0);
      return (prune) => gainOf({ ...prune, ...(isCold && { broken: 0 }), expected }, price) > 0;
    },
    /** The provider has answered, so its cache is as warm as it can be. */
    answered(context: Context): void {
      const known = newest.get(context);
      if (known !== undefined) newest.set(context, { ...known, time: Date.now() });
    },
  };
}

/**
 * The gain of pruning, in dollars for a million tokens: what is left out is not written now and not
 * read by the requests that are expected; what stands behind the first change is written, not read.
 * Without prices, only what breaks no cache brings anything.
 */
export function gainOf(
  { saved, broken, expected }: EarlyPrune & { readonly expected: number },
  price: TokenPrice | undefined,
): number {
  if (price === undefined) return broken === 0 ? saved : -broken;
  const { cacheRead, cacheWrite = price.input } = price;
  return saved * (cacheWrite + expected * cacheRead) - broken * (cacheWrite - cacheRead);
}
