import type { Usage } from "../core/message/index.ts";

/** US dollars for a million tokens. */
export interface TokenPrice {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  /** @default the price of input */
  readonly cacheWrite?: number;
}

/** The price of a model for a prompt of so many tokens; `undefined` for one that is not known. */
export type PriceOf = (model: string, promptTokens: number) => TokenPrice | undefined;

export interface Answered {
  readonly model: string;
  /** As the provider reported it; absent where it did not. */
  readonly usage: Usage | undefined;
  /** Of the body that the client sent, and of the edited one; 0 for a request of the gateway's own. */
  readonly givenBytes: number;
  readonly sentBytes: number;
  /** Only told, not done: the usage is that of the client's own body. */
  readonly isAudit: boolean;
  /** An edited history has another cached beginning. */
  readonly isEdit: boolean;
  /** In ms since the epoch. */
  readonly time: number;
}

/** The tokens of one request, and those of the other way: without the gateway, or in an audit with it. */
export interface Receipt {
  readonly with: Required<Usage>;
  readonly without: Required<Usage>;
  /** Input tokens that were left out, cached or not. */
  readonly savedTokens: number;
  /** US dollars, net of what edits wrote to the cache anew; absent where the model's price is not known. */
  readonly savedDollars?: number;
}

/** The requests of a conversation so far. */
export interface Remembered {
  /** The newest prompt, as it was and as it would have been the other way, and when that was. */
  readonly own: Size;
  readonly other: Size;
  /** All that came with new requests: what is left out later is of that kind. */
  readonly grown: Size;
  readonly time: number;
  readonly isCached: boolean;
  readonly isWritten: boolean;
}

interface Size {
  readonly tokens: number;
  readonly bytes: number;
}

/** The life of cache entries, for providers that charge for writing, and for others. */
const WRITTEN_LIFE_MS = 5 * 60_000;
const LIFE_MS = 10 * 60_000;

/**
 * The receipt of a request. The way that was not gone is reckoned; of its prompt are read from the cache
 * as many tokens as its last one had, while that is warm and no edit stands between. Without an
 * edit both are what was reported.
 */
export function receiptOf(
  answered: Answered,
  before: Remembered | undefined,
  priceOf: PriceOf | undefined,
): { readonly receipt: Receipt; readonly now: Remembered } {
  const { usage, givenBytes, sentBytes, isAudit, model, time } = answered;
  const own = whole(usage);
  const isCached = before?.isCached === true || own.cacheRead + own.cacheWrite > 0;
  const isWritten = before?.isWritten === true || own.cacheWrite > 0;
  const [ownBytes, otherBytes] = isAudit ? [givenBytes, sentBytes] : [sentBytes, givenBytes];
  const ownSize = { tokens: promptOf(own), bytes: ownBytes };
  const tokens = otherTokens(ownSize, otherBytes, { ...answered, before });
  const isWarm =
    before !== undefined && time - before.time <= (isWritten ? WRITTEN_LIFE_MS : LIFE_MS);
  const isKept = isCached && isWarm && !(isAudit && answered.isEdit);
  const read = isKept ? Math.min(tokens, before.other.tokens) : 0;
  const rest = tokens - read;
  const fresh = isWritten ? Math.min(rest, own.input) : rest;
  const reckoned = { input: fresh, cacheRead: read, cacheWrite: rest - fresh, output: own.output };
  const isOwn = otherBytes === 0;
  const other = isOwn ? whole() : otherBytes === ownBytes ? own : reckoned;
  const [edited, given] = isAudit ? [other, own] : [own, other];
  const [cost, costWithout] = [edited, given].map((one) => dollarsOf(one, model, priceOf));
  const savedDollars =
    cost === undefined || costWithout === undefined ? undefined : costWithout - cost;
  return {
    receipt: {
      with: edited,
      without: given,
      savedTokens: promptOf(given) - promptOf(edited),
      ...(savedDollars !== undefined && { savedDollars }),
    },
    now: {
      grown: isOwn ? (before?.grown ?? NONE) : grownBy(ownSize, before),
      own: isOwn && before ? before.own : ownSize,
      other: isOwn && before ? before.other : { tokens: promptOf(other), bytes: otherBytes },
      time,
      isCached,
      isWritten,
    },
  };
}

const NONE: Size = { tokens: 0, bytes: 0 };

/** Beside what went before; an edit makes the own way shorter, and says nothing of what comes. */
function grownBy(own: Size, before: Remembered | undefined): Size {
  const { grown = NONE, own: last = own } = before ?? {};
  const [tokens, bytes] = [own.tokens - last.tokens, own.bytes - last.bytes];
  if (tokens <= 0 || bytes <= 0) return grown;
  return { tokens: grown.tokens + tokens, bytes: grown.bytes + bytes };
}

/**
 * The prompt of the way that was not gone. The answer is counted by the provider, where its own
 * prompt was not edited for this request; what is left out of it is of the same kind. All else is
 * reckoned at the tokens a byte of the conversation.
 */
function otherTokens(
  own: Size,
  otherBytes: number,
  {
    before,
    isEdit,
    isAudit,
  }: Pick<Answered, "isEdit" | "isAudit"> & { readonly before: Remembered | undefined },
): number {
  const last = before ?? { own, other: own, grown: NONE };
  const growth = { tokens: own.tokens - last.own.tokens, bytes: own.bytes - last.own.bytes };
  const isKnown = !isEdit && growth.tokens > 0 && growth.bytes > 0;
  const came = isEdit && !isAudit ? NONE : growth;
  const { tokens, bytes } = isKnown ? growth : last.grown.bytes > 0 ? last.grown : last.own;
  const leftOut = otherBytes - last.other.bytes - came.bytes;
  const reckoned = (leftOut * tokens) / Math.max(1, bytes);
  return Math.max(0, Math.round(last.other.tokens + came.tokens + reckoned));
}

function whole({
  input = 0,
  output = 0,
  cacheRead = 0,
  cacheWrite = 0,
}: Partial<Usage> = {}): Required<Usage> {
  return { input, output, cacheRead, cacheWrite };
}

function promptOf({ input, cacheRead, cacheWrite }: Required<Usage>): number {
  return input + cacheRead + cacheWrite;
}

function dollarsOf(
  usage: Required<Usage>,
  model: string,
  priceOf: PriceOf | undefined,
): number | undefined {
  const price = priceOf?.(model, promptOf(usage));
  if (price === undefined) return undefined;
  const { cacheWrite = price.input } = price;
  const prompt = usage.input * price.input + usage.cacheRead * price.cacheRead;
  return (prompt + usage.cacheWrite * cacheWrite + usage.output * price.output) / 1_000_000;
}

export function addedUp(one: Required<Usage>, other: Required<Usage>): Required<Usage> {
  return {
    input: one.input + other.input,
    output: one.output + other.output,
    cacheRead: one.cacheRead + other.cacheRead,
    cacheWrite: one.cacheWrite + other.cacheWrite,
  };
}
