import { checkNames, type OptionNames } from "../core/options.ts";
import {
  type Attributes,
  type Counter,
  type Histogram,
  type Meter,
  type MeterProvider,
  metrics,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
  type TracerProvider,
} from "@opentelemetry/api";
import type { AnyContextEvent, ContextPlugin, ContextReport, Failure } from "../context/index.ts";
import type { SummaryCall, SummaryUsage } from "../models/summarizer.ts";
import type { TruncatedEvent } from "../tools/index.ts";

/** The name under which spans and metrics are found. */
const SCOPE = "longhaul";

export interface TelemetryOptions {
  /** @default the one that is registered globally */
  readonly tracerProvider?: TracerProvider;
  /** @default the one that is registered globally */
  readonly meterProvider?: MeterProvider;
  /**
   * Attributes that every span and measurement gets, e.g. `gen_ai.agent.name`. Metrics have a series
   * for each value, so what differs with every conversation belongs into `spanAttributes`.
   */
  readonly attributes?: Attributes;
  /** Attributes that only spans get, e.g. `gen_ai.conversation.id`. */
  readonly spanAttributes?: Attributes;
  /**
   * Whether spans hold texts of the conversation: summaries, as `gen_ai.output.messages`, and what
   * was wrong with them. Conversations can hold secrets, so it is off. @default false
   */
  readonly captureContent?: boolean;
  /** The clock, in ms since the epoch; the context's own, if it has one. @default Date.now */
  readonly now?: () => number;
}

interface Telemetry {
  readonly tracer: Tracer;
  readonly instruments: ReturnType<typeof createInstruments>;
  readonly attributes: Attributes;
  readonly spanAttributes: Attributes;
  readonly captureContent: boolean;
  readonly now: () => number;
}

const TELEMETRY_OPTIONS: OptionNames<TelemetryOptions> = {
  tracerProvider: true,
  meterProvider: true,
  attributes: true,
  spanAttributes: true,
  captureContent: true,
  now: true,
};

/**
 * A plugin that tells OpenTelemetry about every edit, every call of a model, every truncated output
 * and every failure: `createContext({ plugins: [telemetry()] })`. Calls of models follow the GenAI
 * semantic conventions; for the rest, which those do not name, the names start with `longhaul.`.
 * Spans are children of whatever span is active when the context works.
 */
export function telemetry(options: TelemetryOptions = {}): ContextPlugin {
  checkNames(options, TELEMETRY_OPTIONS);
  const { tracerProvider = trace, meterProvider = metrics, now = Date.now } = options;
  const meter: Meter = meterProvider.getMeter(SCOPE);
  const told: Telemetry = {
    tracer: tracerProvider.getTracer(SCOPE),
    instruments: createInstruments(meter),
    attributes: options.attributes ?? {},
    spanAttributes: options.spanAttributes ?? {},
    captureContent: options.captureContent ?? false,
    now,
  };
  return { name: "telemetry", onEvent: (event) => tell(told, event) };
}

function tell(told: Telemetry, { name, event }: AnyContextEvent): void {
  if (name === "prepared") tellPrepared(told, event);
  if (name === "modelCalled") tellCall(told, event);
  if (name === "truncated") tellTruncated(told, event);
  if (name === "failed") tellFailure(told, event);
}

/** The window after every step, and a span for each edit. */
function tellPrepared(told: Telemetry, report: ContextReport): void {
  const { tracer, instruments, attributes, spanAttributes, now } = told;
  const { action, tokens, window, usable } = report;
  instruments.contextTokens.record(tokens.after, attributes);
  if (action === "none") return;
  const end = now();
  const about: Attributes = {
    ...attributes,
    "longhaul.action": action,
    ...(report.summary !== undefined && { "longhaul.summary.source": report.summary.source }),
  };
  const span = tracer.startSpan(`longhaul ${action}`, {
    kind: SpanKind.INTERNAL,
    startTime: end - report.durationMs,
    attributes: {
      ...spanAttributes,
      ...about,
      "longhaul.window": window,
      "longhaul.usable": usable,
      "longhaul.tokens.before": tokens.before,
      "longhaul.tokens.after": tokens.after,
      "longhaul.messages.before": report.messages.before,
      "longhaul.messages.after": report.messages.after,
      "longhaul.pruned": report.prune.length,
      "longhaul.clipped": report.clipped.length,
      "longhaul.waited_ms": report.summary?.waitedMs ?? 0,
      ...(report.head?.handle !== undefined && { "longhaul.head": report.head.handle }),
      ...content(told, report),
    },
  });
  span.end(end);
  instruments.edits.add(1, about);
  instruments.savedTokens.record(Math.max(0, tokens.before - tokens.after), about);
  instruments.editDuration.record(report.durationMs / 1000, about);
}

function content({ captureContent }: Telemetry, { summary }: ContextReport): Attributes {
  if (!captureContent || summary === undefined) return {};
  const text = Object.values(summary.sections).join("\n\n");
  const parts = [{ type: "text", content: text }];
  const message = { role: "assistant", parts, finish_reason: "stop" };
  return { "gen_ai.output.messages": JSON.stringify([message]) };
}

/** A call of a model, as the GenAI conventions have it. */
function tellCall(
  { tracer, instruments, attributes, spanAttributes, captureContent, now }: Telemetry,
  { summarizer, attempt, usage, durationMs, isAnswered, problems }: SummaryCall,
): void {
  const end = now();
  const { provider, model } = providerAndModel(summarizer);
  const about: Attributes = {
    ...attributes,
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": provider,
    "gen_ai.request.model": model,
  };
  const span = tracer.startSpan(`chat ${model}`, {
    kind: SpanKind.CLIENT,
    startTime: end - durationMs,
    attributes: {
      ...spanAttributes,
      ...about,
      "longhaul.call.attempt": attempt,
      "longhaul.call.problem_count": problems.length,
      // They quote the answer, and name files and commands.
      ...(captureContent && problems.length > 0 && { "longhaul.call.problems": [...problems] }),
      ...(!isAnswered && { "error.type": "summarizer-failed" }),
      ...(usage !== undefined && usageAttributes(usage)),
    },
  });
  if (!isAnswered) span.setStatus({ code: SpanStatusCode.ERROR, message: problems.join(" ") });
  span.end(end);
  const measured = isAnswered ? about : { ...about, "error.type": "summarizer-failed" };
  instruments.callDuration.record(durationMs / 1000, measured);
  if (usage === undefined) return;
  instruments.callTokens.record(usage.input, { ...about, "gen_ai.token.type": "input" });
  instruments.callTokens.record(usage.output, { ...about, "gen_ai.token.type": "output" });
}

function usageAttributes({ input, cached, output }: SummaryUsage): Attributes {
  return {
    "gen_ai.usage.input_tokens": input,
    "gen_ai.usage.output_tokens": output,
    ...(cached !== undefined && { "gen_ai.usage.cache_read.input_tokens": cached }),
  };
}

function tellTruncated(
  { tracer, instruments, attributes, spanAttributes, now }: Telemetry,
  event: TruncatedEvent,
): void {
  const { toolName, truncation, entry } = event;
  const about: Attributes = { ...attributes, "gen_ai.tool.name": toolName };
  const at = now();
  const span = tracer.startSpan("longhaul truncate", {
    kind: SpanKind.INTERNAL,
    startTime: at,
    attributes: {
      ...spanAttributes,
      ...about,
      "longhaul.bytes": truncation.total.bytes,
      ...(truncation.total.lines !== undefined && { "longhaul.lines": truncation.total.lines }),
      ...(entry !== undefined && { "longhaul.handle": entry.handle }),
    },
  });
  span.end(at);
  instruments.truncations.add(1, about);
}

/** A failure that did not stop the agent is an error all the same. */
function tellFailure(
  { tracer, instruments, attributes, spanAttributes, captureContent, now }: Telemetry,
  { code, message }: Failure,
): void {
  const about: Attributes = { ...attributes, "error.type": code };
  const at = now();
  const span = tracer.startSpan("longhaul failure", {
    startTime: at,
    attributes: { ...spanAttributes, ...about },
  });
  // The reason of a refused summary quotes it; that of a failed call stands on that call's span.
  const isShown = captureContent || code !== "summarizer-failed";
  span.setStatus({ code: SpanStatusCode.ERROR, ...(isShown && { message }) });
  span.end(at);
  instruments.failures.add(1, about);
}

/** The boundaries that the GenAI conventions ask for, in tokens and in seconds. */
const TOKENS = [
  1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216,
  67_108_864,
];
const SECONDS = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];

export function createInstruments(meter: Meter) {
  const histogram =
    (unit: string, explicitBucketBoundaries: number[]) =>
    (name: string, description: string): Histogram =>
      meter.createHistogram(name, { unit, description, advice: { explicitBucketBoundaries } });
  const tokens = histogram("{token}", TOKENS);
  const seconds = histogram("s", SECONDS);
  const counter = (name: string, unit: string, description: string): Counter =>
    meter.createCounter(name, { unit, description });
  return {
    contextTokens: tokens("longhaul.context.tokens", "Tokens of the context that is sent."),
    edits: counter("longhaul.edits", "{edit}", "Edits of contexts: pruned or compacted."),
    savedTokens: tokens("longhaul.edit.saved_tokens", "Tokens that an edit took out of a context."),
    editDuration: seconds("longhaul.edit.duration", "How long an edit took."),
    callTokens: tokens("gen_ai.client.token.usage", "Tokens of calls of models for summaries."),
    callDuration: seconds("gen_ai.client.operation.duration", "How long such calls took."),
    truncations: counter(
      "longhaul.truncations",
      "{output}",
      "Tool outputs that were truncated on arrival.",
    ),
    failures: counter("longhaul.failures", "{failure}", "Failures that the agent went on without."),
  };
}

/** The providers' names in the GenAI conventions, by the beginning of a summarizer's name. */
const PROVIDERS: readonly (readonly [RegExp, string])[] = [
  [/^anthropic/, "anthropic"],
  [/^openai-compatible/, "openai_compatible"],
  [/^openai/, "openai"],
  [/^google\.vertex|^vertex/, "gcp.vertex_ai"],
  [/^google|^gemini/, "gcp.gemini"],
  [/^azure/, "azure.ai.openai"],
  [/^amazon-bedrock|^bedrock/, "aws.bedrock"],
  [/^mistral/, "mistral_ai"],
  [/^deepseek/, "deepseek"],
  [/^groq/, "groq"],
  [/^xai/, "x_ai"],
  [/^cohere/, "cohere"],
  [/^perplexity/, "perplexity"],
];

/** Takes the name of a summarizer, e.g. `anthropic:claude-haiku-4-5`, apart. */
export function providerAndModel(name: string): {
  readonly provider: string;
  readonly model: string;
} {
  const colon = name.indexOf(":");
  const start = colon < 0 ? "" : name.slice(0, colon);
  const rest = colon < 0 ? name : name.slice(colon + 1);
  const provider = PROVIDERS.find(([pattern]) => pattern.test(start))?.[1] ?? (start || "custom");
  // `URL#MODEL` for servers of one's own.
  return { provider, model: rest.slice(rest.lastIndexOf("#") + 1) };
}
