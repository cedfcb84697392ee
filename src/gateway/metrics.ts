import type { Usage } from "../core/message/index.ts";
import type { LeaseEvent } from "../archive/lease.ts";
import {
  addedUp,
  type Answered,
  type PriceOf,
  type Receipt,
  receiptOf,
  type Remembered,
} from "./receipts.ts";

export interface Taken extends Answered {
  /** A name without content, the same for all requests of one conversation. */
  readonly conversation: string;
}

interface Told {
  /** Requests whose beginning changed without a planned edit; always 0. */
  readonly prefixViolations: number;
  /** Calls of the gateway's own tools that it answered. */
  readonly recalls: number;
  /** Of its history; in an audit, those that would have been made. */
  readonly compactions: number;
}

export interface ConversationReceipt extends Told {
  readonly conversation: string;
  readonly model: string;
  readonly requests: number;
  /** As the provider reported it. */
  readonly usage: Required<Usage>;
  /** As it was reported last. */
  readonly latest?: Usage;
  /** The same without the gateway, reckoned; in an audit, with it. */
  readonly otherwise: Required<Usage>;
  readonly savedTokens: number;
  /** US dollars at list prices, net of what edits wrote to the cache; absent without a price. */
  readonly savedDollars?: number;
}

export type Metrics = ReturnType<typeof createMetrics>;

const COUNTERS = {
  requests: "Requests that came.",
  passed: "Requests that went on byte for byte.",
  edited: "Requests that went on with an edited history.",
  planned_edits: "Edits made to histories: prunings and compactions.",
  compactions: "Compactions among the planned edits.",
  client_compactions: "Compactions that clients asked for, by a history in messages.",
  recalls: "Calls of the gateway's own tools that it answered.",
  truncated: "Tool outputs truncated on arrival.",
  recovered: "Requests sent again, compacted, because the provider said they were too long.",
  overflows_passed: "Overflow errors that went on to the client.",
  failed_open: "Requests that went on unedited because something failed here.",
  lease_waits: "Edits that waited for another process, which edited the same conversation.",
  lease_wait_ms: "Milliseconds that they waited.",
  lease_takeovers: "Edits taken over from a process that was not heard of any more.",
  lease_lost: "Edits that were not stored, because another process had taken over.",
  lease_given_up: "Edits that were not made, after minutes of waiting for another process.",
  prefix_violations: "Histories whose beginning changed without a planned edit; always 0.",
  unreachable: "Requests for which the provider could not be reached.",
  input_tokens: "Input tokens that providers reported.",
  output_tokens: "Output tokens that providers reported.",
  saved_tokens: "Input tokens that were not sent, at the reported tokens a byte.",
} as const;

export type CounterName = keyof typeof COUNTERS;

const OF_LEASES: Readonly<Record<LeaseEvent["name"], CounterName>> = {
  waited: "lease_waits",
  "taken-over": "lease_takeovers",
  lost: "lease_lost",
  "given-up": "lease_given_up",
};

/** Conversations with a receipt; the one unused for longest gives way. */
const MOST_RECEIPTS = 1_000;

const TOLD = {
  prefix_violations: "prefixViolations",
  recalls: "recalls",
  compactions: "compactions",
} as const satisfies Partial<Record<CounterName, keyof Told>>;

type ToldName = keyof typeof TOLD;

type Sums = Omit<ConversationReceipt, keyof Told>;

interface Ledger {
  readonly told: Told;
  /** From its first answer on. */
  readonly bill?: { readonly sums: Sums; readonly remembered: Remembered };
}

const UNTOLD: Ledger = { told: { prefixViolations: 0, recalls: 0, compactions: 0 } };

/** Counters of one gateway; labels are closed sets. */
export function createMetrics(priceOf?: PriceOf) {
  const counts = new Map<CounterName, number>();
  const ledgers = new Map<string, Ledger>();
  let [active, dollars] = [0, 0];
  const counted = (name: CounterName): number => counts.get(name) ?? 0;
  const count = (name: CounterName, by = 1): void => void counts.set(name, counted(name) + by);
  const ledgerOf = (conversation: string): Ledger => ledgers.get(conversation) ?? UNTOLD;
  const keep = (conversation: string, ledger: Ledger): void => {
    ledgers.delete(conversation);
    ledgers.set(conversation, ledger);
    const [oldest] = ledgers.keys();
    if (ledgers.size > MOST_RECEIPTS && oldest !== undefined) ledgers.delete(oldest);
  };
  return {
    /** Notes a request under way; call the result at its end. */
    begin(): () => void {
      active += 1;
      count("requests");
      return () => void (active -= 1);
    },
    active: () => active,
    count,
    counted,
    /** Counts in the receipt of the conversation, too. */
    countIn(conversation: string, name: ToldName): void {
      count(name);
      const { told, ...ledger } = ledgerOf(conversation);
      const key = TOLD[name];
      keep(conversation, { ...ledger, told: { ...told, [key]: told[key] + 1 } });
    },
    /** The receipt of a request, which is added to those of its conversation. */
    take(taken: Taken): Receipt {
      const { conversation, usage } = taken;
      const { told, bill } = ledgerOf(conversation);
      const { receipt, now: remembered } = receiptOf(taken, bill?.remembered, priceOf);
      count("saved_tokens", Math.max(0, receipt.savedTokens));
      const { input = 0, cacheRead = 0, cacheWrite = 0, output = 0 } = usage ?? {};
      count("input_tokens", input + cacheRead + cacheWrite);
      count("output_tokens", output);
      dollars += receipt.savedDollars ?? 0;
      keep(conversation, { told, bill: { sums: summed(bill?.sums, taken, receipt), remembered } });
      return receipt;
    },
    /** US dollars at list prices, net; 0 where no price is known. */
    savedDollars: () => dollars,
    receipts: (): { readonly conversations: readonly ConversationReceipt[] } => ({
      conversations: [...ledgers.values()].flatMap(({ told, bill }) =>
        bill === undefined ? [] : [{ ...bill.sums, ...told }],
      ),
    }),
    /** All of it, for Prometheus. */
    text(): string {
      const names = Object.entries(COUNTERS) as [CounterName, string][];
      const lines = names.flatMap(([name, help]) => [
        `# HELP longhaul_gateway_${name}_total ${help}`,
        `# TYPE longhaul_gateway_${name}_total counter`,
        `longhaul_gateway_${name}_total ${counted(name)}`,
      ]);
      const gauges = [gauge("active_requests", active), gauge("saved_dollars", dollars)];
      return `${[...lines, ...gauges.flat()].join("\n")}\n`;
    },
  };
}

export function countLease({ count }: Metrics, { name, waitedMs }: LeaseEvent): void {
  count(OF_LEASES[name]);
  if (name !== "taken-over") count("lease_wait_ms", Math.round(waitedMs));
}

function gauge(name: string, value: number): string[] {
  return [`# TYPE longhaul_gateway_${name} gauge`, `longhaul_gateway_${name} ${value}`];
}

const NOTHING: Required<Usage> = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

function summed(
  before: Sums | undefined,
  { conversation, model, usage, isAudit }: Taken,
  { savedTokens, savedDollars, ...ways }: Receipt,
): Sums {
  const [reported, other] = isAudit ? [ways.without, ways.with] : [ways.with, ways.without];
  const latest = usage ?? before?.latest;
  const dollars = savedDollars ?? before?.savedDollars;
  return {
    ...(latest !== undefined && { latest }),
    conversation,
    model,
    requests: (before?.requests ?? 0) + 1,
    usage: addedUp(before?.usage ?? NOTHING, reported),
    otherwise: addedUp(before?.otherwise ?? NOTHING, other),
    savedTokens: (before?.savedTokens ?? 0) + savedTokens,
    ...(dollars !== undefined && {
      savedDollars: (before?.savedDollars ?? 0) + (savedDollars ?? 0),
    }),
  };
}
