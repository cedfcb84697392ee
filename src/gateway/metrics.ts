import type { Usage } from "../core/message/index.ts";

/** What one request of a conversation cost, and what it would have been. */
export interface Receipt {
  /** A name without content, the same for all requests of one conversation. */
  readonly conversation: string;
  readonly model: string;
  readonly status: number;
  /** As the provider reported it; absent where it did not. */
  readonly usage?: Usage;
  /** Of the body that the client sent, and of the one that went on. */
  readonly givenBytes: number;
  readonly sentBytes: number;
  /** Input tokens that did not go: the bytes left out, at the tokens a byte that were reported. */
  readonly savedTokens: number;
}

export interface ConversationReceipt {
  readonly conversation: string;
  readonly model: string;
  readonly requests: number;
  readonly usage: Required<Usage>;
  readonly savedTokens: number;
}

/** Counters of one gateway; labels are closed sets. */
export interface Metrics {
  /** Notes a request under way; call the result at its end. */
  begin(): () => void;
  active(): number;
  readonly count: (name: CounterName, by?: number) => void;
  readonly counted: (name: CounterName) => number;
  take(receipt: Receipt): void;
  receipts(): { readonly conversations: readonly ConversationReceipt[] };
  /** All of it, for Prometheus. */
  text(): string;
}

const COUNTERS = {
  requests: "Requests that came.",
  passed: "Requests that went on byte for byte.",
  edited: "Requests that went on with an edited history.",
  planned_edits: "Edits made to histories: prunings and compactions.",
  truncated: "Tool outputs truncated on arrival.",
  recovered: "Requests sent again, compacted, because the provider said they were too long.",
  overflows_passed: "Overflow errors that went on to the client.",
  failed_open: "Requests that went on unedited because something failed here.",
  prefix_violations: "Histories whose beginning changed without a planned edit; always 0.",
  unreachable: "Requests for which the provider could not be reached.",
  input_tokens: "Input tokens that providers reported.",
  output_tokens: "Output tokens that providers reported.",
  saved_tokens: "Input tokens that were not sent, at the reported tokens a byte.",
} as const;

export type CounterName = keyof typeof COUNTERS;

/** So many conversations have a receipt; the one unused for longest gives way. */
const MOST_RECEIPTS = 1_000;

export function createMetrics(): Metrics {
  const counts = new Map<CounterName, number>();
  const receipts = new Map<string, ConversationReceipt>();
  let active = 0;
  const counted = (name: CounterName): number => counts.get(name) ?? 0;
  const count = (name: CounterName, by = 1): void => void counts.set(name, counted(name) + by);
  return {
    begin() {
      active += 1;
      count("requests");
      return () => (active -= 1);
    },
    active: () => active,
    count,
    counted,
    take(receipt) {
      const { conversation, usage, savedTokens } = receipt;
      count("saved_tokens", savedTokens);
      count("input_tokens", inputOf(usage));
      count("output_tokens", usage?.output ?? 0);
      const before = receipts.get(conversation);
      receipts.delete(conversation);
      receipts.set(conversation, summed(before, receipt));
      const [oldest] = receipts.keys();
      if (receipts.size > MOST_RECEIPTS && oldest !== undefined) receipts.delete(oldest);
    },
    receipts: () => ({ conversations: [...receipts.values()] }),
    text() {
      const names = Object.entries(COUNTERS) as [CounterName, string][];
      const lines = names.flatMap(([name, help]) => [
        `# HELP longhaul_gateway_${name}_total ${help}`,
        `# TYPE longhaul_gateway_${name}_total counter`,
        `longhaul_gateway_${name}_total ${counted(name)}`,
      ]);
      const gauge = "longhaul_gateway_active_requests";
      return `${[...lines, `# TYPE ${gauge} gauge`, `${gauge} ${active}`].join("\n")}\n`;
    },
  };
}

function inputOf(usage: Usage | undefined): number {
  if (usage === undefined) return 0;
  return usage.input + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0);
}

function summed(
  before: ConversationReceipt | undefined,
  { conversation, model, usage, savedTokens }: Receipt,
): ConversationReceipt {
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = before?.usage ?? {};
  return {
    conversation,
    model,
    requests: (before?.requests ?? 0) + 1,
    savedTokens: (before?.savedTokens ?? 0) + savedTokens,
    usage: {
      input: input + (usage?.input ?? 0),
      output: output + (usage?.output ?? 0),
      cacheRead: cacheRead + (usage?.cacheRead ?? 0),
      cacheWrite: cacheWrite + (usage?.cacheWrite ?? 0),
    },
  };
}
