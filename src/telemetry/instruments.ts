import type { Counter, Histogram, Meter } from "@opentelemetry/api";

/** Everything that is measured. */
export interface Instruments {
  /** Tokens that the next request will hold, after every step. */
  readonly contextTokens: Histogram;
  readonly edits: Counter;
  readonly savedTokens: Histogram;
  readonly editDuration: Histogram;
  readonly callTokens: Histogram;
  readonly callDuration: Histogram;
  readonly truncations: Counter;
  readonly failures: Counter;
}

/** The boundaries that the GenAI conventions ask for, in tokens and in seconds. */
const TOKENS = [
  1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216,
  67_108_864,
];
const SECONDS = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];

export function createInstruments(meter: Meter): Instruments {
  const tokens = (name: string, description: string): Histogram =>
    meter.createHistogram(name, {
      unit: "{token}",
      description,
      advice: { explicitBucketBoundaries: TOKENS },
    });
  const seconds = (name: string, description: string): Histogram =>
    meter.createHistogram(name, {
      unit: "s",
      description,
      advice: { explicitBucketBoundaries: SECONDS },
    });
  return {
    contextTokens: tokens("longhaul.context.tokens", "Tokens of the context that is sent."),
    edits: meter.createCounter("longhaul.edits", {
      unit: "{edit}",
      description: "Edits of contexts: pruned or compacted.",
    }),
    savedTokens: tokens("longhaul.edit.saved_tokens", "Tokens that an edit took out of a context."),
    editDuration: seconds("longhaul.edit.duration", "How long an edit took."),
    callTokens: tokens("gen_ai.client.token.usage", "Tokens of calls of models for summaries."),
    callDuration: seconds("gen_ai.client.operation.duration", "How long such calls took."),
    truncations: meter.createCounter("longhaul.truncations", {
      unit: "{output}",
      description: "Tool outputs that were truncated on arrival.",
    }),
    failures: meter.createCounter("longhaul.failures", {
      unit: "{failure}",
      description: "Failures that the agent went on without.",
    }),
  };
}
