/** A recorded session, request by request, under one policy. */
import type { Message } from "../core/message/index.ts";
import { anthropic } from "../dialects/index.ts";
import { type CachePiece, type CacheRules, type CacheUse, createCache } from "./cache.ts";
import { createEye, type Fate, FATES } from "./fate.ts";
import type { Policy, Sent, Setting } from "./policies.ts";
import type { RecordedRequest, Use } from "./uses.ts";

/** A session that is played again. */
export interface Played {
  readonly messages: readonly Message[];
  readonly requests: readonly RecordedRequest[];
  readonly cwd?: string;
}

export type Fates = Readonly<Record<Fate, number>>;

/** Tokens of prompts at one provider, and of summaries beside them. */
export interface CacheTotal extends CacheUse {
  readonly rules: CacheRules;
  /** Tokens that models wrote for summaries. */
  readonly output: number;
}

export interface Outcome {
  readonly policy: string;
  readonly requests: number;
  /** Of each request, in tokens, in order. */
  readonly sizes: readonly number[];
  /** Requests larger than the window: no provider would have answered them. */
  readonly over: number;
  /** Requests that break the rules of a provider. */
  readonly illegal: number;
  /** Requests that do not begin with the one before: every one makes a cached prompt worthless. */
  readonly edits: number;
  /** Edits within five requests of the one before. */
  readonly rebounds: number;
  /** Of everything that was used, and of what had stood more than 8,000 tokens back. */
  readonly fates: Fates;
  readonly far: Fates;
  readonly farByKind: Readonly<Record<string, { readonly kept: number; readonly all: number }>>;
  readonly summaries: number;
  readonly caches: readonly CacheTotal[];
}

const REBOUND_REQUESTS = 5;

/** Plays a session; `rules` are the caches that every request is sent through. */
export async function simulate(
  { messages, requests, cwd }: Played,
  policy: Policy,
  setting: Setting,
  rules: readonly CacheRules[],
): Promise<Outcome> {
  const decide = policy.start(setting);
  const look = createEye(messages, cwd);
  const tally = createTally(setting, rules);
  let sent: readonly Message[] = [];
  let said = 0;
  for (const request of requests) {
    const since = messages.slice(said, request.length);
    const list = [...sent, ...since];
    const kept = await decide({
      get history() {
        return messages.slice(0, request.length);
      },
      list,
    });
    tally.add(kept, list, request.time);
    if (request.uses.length > 0) tally.judge(request.uses, look(kept));
    sent = kept.messages;
    said = request.length;
  }
  return { policy: policy.name, ...tally.total() };
}

function createTally(setting: Setting, rules: readonly CacheRules[]) {
  const sizes: number[] = [];
  const [fates, far] = [noFates(), noFates()];
  const farByKind: Record<string, { kept: number; all: number }> = {};
  const bill = createBill(setting, rules);
  let [over, illegal, edits, rebounds, summaries] = [0, 0, 0, 0, 0];
  let wasLegal = true;
  let editedAt = -Infinity;
  return {
    /** One request: what is sent, and what it would have been without an edit. */
    add(sent: Sent, list: readonly Message[], time: number | undefined): void {
      if (sent.asked !== undefined) {
        summaries += 1;
        bill.ask(sent.asked, time);
      }
      const size = bill.send(sent.messages, time);
      if (size > setting.budget.window) over += 1;
      if (!isSame(sent.messages, list)) {
        edits += 1;
        if (sizes.length - editedAt <= REBOUND_REQUESTS) rebounds += 1;
        editedAt = sizes.length;
        wasLegal = anthropic.check(anthropic.encode(sent.messages)).length === 0;
      }
      if (!wasLegal) illegal += 1;
      sizes.push(size);
    },
    judge(uses: readonly Use[], fateOf: (use: Use) => Fate): void {
      for (const use of uses) {
        const fate = fateOf(use);
        fates[fate] += 1;
        if (!use.isFar) continue;
        far[fate] += 1;
        const kind = (farByKind[use.kind] ??= { kept: 0, all: 0 });
        kind.all += 1;
        if (fate === "bound" || fate === "kept") kind.kept += 1;
      }
    },
    total: (): Omit<Outcome, "policy"> => ({
      requests: sizes.length,
      sizes,
      over,
      illegal,
      edits,
      rebounds,
      fates,
      far,
      farByKind,
      summaries,
      caches: bill.totals(),
    }),
  };
}

function noFates(): Record<Fate, number> {
  return Object.fromEntries(FATES.map((fate) => [fate, 0])) as Record<Fate, number>;
}

function isSame(list: readonly Message[], other: readonly Message[]): boolean {
  if (list === other) return true;
  return list.length === other.length && list.every((message, at) => message === other[at]);
}

function createBill({ fixed, sizeOf }: Setting, rules: readonly CacheRules[]) {
  const caches = rules.map((one) => createCache(one));
  const totals = rules.map((one) => ({ rules: one, read: 0, written: 0, fresh: 0, output: 0 }));
  const keyOf = createKeys();
  const system: CachePiece = { key: "system", tokens: fixed, blocks: 1, isMarked: true };
  const own = fixed > 0 ? [system] : [];
  let before: readonly Message[] = [];
  let pieces: CachePiece[] = [...own];
  /** By message of the newest request: the tokens up to its end. */
  let sums: number[] = [];
  /** Returns the tokens of the request. */
  const send = (messages: readonly Message[], time: number | undefined): number => {
    // Most requests go on from the one before them.
    const differs = before.findIndex((message, at) => message !== messages[at]);
    const same = differs < 0 ? before.length : differs;
    pieces = pieces.slice(0, own.length + same);
    sums = sums.slice(0, same);
    for (const message of messages.slice(same)) {
      const tokens = sizeOf([message]);
      pieces.push({ key: keyOf(message), tokens, blocks: message.parts.length });
      sums.push((sums.at(-1) ?? 0) + tokens);
    }
    before = messages;
    for (const [at, cache] of caches.entries()) {
      const total = totals[at] as (typeof totals)[number];
      const use = cache.send(pieces, time);
      for (const field of ["read", "written", "fresh"] as const) total[field] += use[field];
    }
    return fixed + (sums.at(-1) ?? 0);
  };
  return {
    send,
    ask({ messages, output }: NonNullable<Sent["asked"]>, time: number | undefined): void {
      send(messages, time);
      for (const total of totals) total.output += output;
    },
    totals: (): readonly CacheTotal[] => totals,
  };
}

/** Names messages by their content: what is decoded anew is the same to a provider. */
function createKeys(): (message: Message) => string {
  const known = new WeakMap<Message, string>();
  const keys = new Map<string, string>();
  return (message) => {
    const before = known.get(message);
    if (before !== undefined) return before;
    const { role, parts } = message;
    const text = JSON.stringify({ role, parts });
    const key = keys.get(text) ?? String(keys.size);
    keys.set(text, key);
    known.set(message, key);
    return key;
  };
}

/** US dollars for a million tokens. */
export interface TokenPrice {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  /** @default the price of input */
  readonly cacheWrite?: number;
}

const MILLION = 1_000_000;

/** US dollars of all prompts and of the summaries; answers of the agent cost the same everywhere. */
export function costOf(total: Omit<CacheTotal, "rules">, price: TokenPrice): number {
  const { input, output, cacheRead, cacheWrite = input } = price;
  const prompts = total.fresh * input + total.read * cacheRead + total.written * cacheWrite;
  return (prompts + total.output * output) / MILLION;
}
