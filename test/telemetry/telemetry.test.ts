import { context as otelContext, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Context, type ContextOptions, createContext } from "../../src/context/index.ts";
import type { Message } from "../../src/core/message/index.ts";
import { telemetry, type TelemetryOptions } from "../../src/telemetry/index.ts";
import { providerAndModel } from "../../src/telemetry/telemetry.ts";
import { quarter, step, system, user, words } from "../build-messages.ts";
import { goodSummary } from "../good-summary.ts";

const spans = new InMemorySpanExporter();
const tracerProvider = new BasicTracerProvider({
  spanProcessors: [new SimpleSpanProcessor(spans)],
});
const exported = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const reader = new PeriodicExportingMetricReader({ exporter: exported });
const meterProvider = new MeterProvider({ readers: [reader] });

beforeAll(() => {
  otelContext.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});
afterAll(async () => {
  otelContext.disable();
  await meterProvider.shutdown();
});

const history: Message[] = [
  system("rules"),
  user("do the work"),
  ...Array.from({ length: 60 }, (_, n) => [
    ...step(`c${n}`, "bash", { command: `run ${n}` }, words(100, `${n}`)),
    { role: "assistant" as const, parts: [{ type: "text" as const, text: words(250, `${n}`) }] },
  ]).flat(),
];

function create(options: ContextOptions = {}, own: TelemetryOptions = {}): Context {
  spans.reset();
  return createContext({
    window: 32_000,
    counter: quarter,
    plugins: [telemetry({ tracerProvider, meterProvider, ...own })],
    ...options,
  });
}

function named(name: string): ReadableSpan | undefined {
  return spans.getFinishedSpans().find((span) => span.name === name);
}

const summarizer = {
  name: "anthropic:claude-haiku-4-5",
  summarize: async (request: Parameters<typeof goodSummary>[0]) => ({
    text: await goodSummary(request),
    usage: { input: 900, cached: 800, output: 90 },
  }),
};

describe("spans", () => {
  it("tell about an edit and the call of a model, below what is active", async () => {
    const context = create({ summarizer });
    const tracer = tracerProvider.getTracer("test");
    const traceId = await tracer.startActiveSpan("agent step", async (parent) => {
      await otelContext.with(trace.setSpan(otelContext.active(), parent), () =>
        context.prepare(history),
      );
      parent.end();
      return parent.spanContext().traceId;
    });
    const edit = named("longhaul compact");
    expect(edit?.attributes).toMatchObject({
      "longhaul.action": "compact",
      "longhaul.summary.source": "model",
      "longhaul.usable": 16_000,
      "longhaul.head": expect.stringMatching(/^head_/),
    });
    expect(edit?.attributes).not.toHaveProperty("gen_ai.output.messages");
    const call = named("chat claude-haiku-4-5");
    expect(call?.kind).toBe(SpanKind.CLIENT);
    expect(call?.attributes).toMatchObject({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "anthropic",
      "gen_ai.request.model": "claude-haiku-4-5",
      "gen_ai.usage.input_tokens": 900,
      "gen_ai.usage.cache_read.input_tokens": 800,
      "gen_ai.usage.output_tokens": 90,
    });
    expect([edit, call].map((span) => span?.spanContext().traceId)).toEqual([traceId, traceId]);
  });

  it("hold nothing of the conversation, unless that is wanted", async () => {
    const wrong = { summarize: () => Promise.resolve({ text: "I deleted src/secret.ts." }) };
    const told = async (captureContent: boolean): Promise<string> => {
      const context = create({ summarizer: { name: "wrong", ...wrong } }, { captureContent });
      await context.prepare(history);
      const call = named("chat wrong");
      expect(call?.attributes["longhaul.call.problem_count"]).toBeGreaterThan(0);
      // The model did answer.
      expect(call?.status.code).toBe(SpanStatusCode.UNSET);
      expect(named("longhaul failure")?.status.code).toBe(SpanStatusCode.ERROR);
      const all = spans.getFinishedSpans().map(({ attributes, status }) => [attributes, status]);
      return JSON.stringify(all);
    };
    await expect(told(false)).resolves.not.toMatch(/secret|do the work|run 59/);
    await expect(told(true)).resolves.toContain("do the work");
  });

  it("have attributes of their own, which no metric gets", async () => {
    const conversation = "gen_ai.conversation.id";
    const context = create({}, { spanAttributes: { [conversation]: "c-1" } });
    await context.prepare(history);
    await context.truncate("a line\n".repeat(9_000), { toolName: "bash" });
    const finished = spans.getFinishedSpans();
    expect(finished.map(({ attributes }) => attributes[conversation])).toEqual(["c-1", "c-1"]);
    await reader.forceFlush();
    expect(JSON.stringify(exported.getMetrics())).not.toContain(conversation);
  });

  it("hold the summary if that is wanted", async () => {
    const context = create({}, { captureContent: true, attributes: { "gen_ai.agent.name": "a" } });
    await context.prepare(history);
    const { attributes } = named("longhaul compact") as ReadableSpan;
    expect(attributes).toMatchObject({ "gen_ai.agent.name": "a" });
    const [message] = JSON.parse(String(attributes["gen_ai.output.messages"])) as unknown[];
    expect(message).toMatchObject({ role: "assistant", finish_reason: "stop" });
    expect(JSON.stringify(message)).toContain("do the work");
  });

  it("tell about failures, calls that fail and truncated outputs", async () => {
    const context = create({ summarizer: () => Promise.reject(new Error("down")) });
    await context.prepare(history);
    await context.truncate("a line\n".repeat(9_000), { toolName: "bash" });
    const names = spans.getFinishedSpans().map(({ name, status }) => [name, status.code]);
    expect(names).toContainEqual(["longhaul failure", SpanStatusCode.ERROR]);
    expect(names).toContainEqual(["chat summarizer", SpanStatusCode.ERROR]);
    expect(named("longhaul truncate")?.attributes).toMatchObject({
      "gen_ai.tool.name": "bash",
      "longhaul.lines": 9_000,
      "longhaul.handle": expect.stringMatching(/^out_/),
    });
  });

  it("are none where nothing was done", async () => {
    await create().prepare(history.slice(0, 5));
    expect(spans.getFinishedSpans()).toEqual([]);
  });
});

describe("metrics", () => {
  it("count edits, tokens and failures", async () => {
    const context = create({ summarizer });
    await context.prepare(history);
    await reader.forceFlush();
    const all = exported
      .getMetrics()
      .flatMap(({ scopeMetrics }) =>
        scopeMetrics.flatMap((scope) => scope.metrics.map(({ descriptor }) => descriptor.name)),
      );
    expect(new Set(all)).toEqual(
      new Set([
        "longhaul.context.tokens",
        "longhaul.edits",
        "longhaul.edit.saved_tokens",
        "longhaul.edit.duration",
        "gen_ai.client.token.usage",
        "gen_ai.client.operation.duration",
        "longhaul.truncations",
        "longhaul.failures",
      ]),
    );
  });
});

describe("the provider of a summarizer", () => {
  it.each([
    ["anthropic.messages:claude-haiku-4-5", "anthropic", "claude-haiku-4-5"],
    ["google.vertex.chat:gemini-3-flash", "gcp.vertex_ai", "gemini-3-flash"],
    ["vertex.anthropic.messages:claude-x", "gcp.vertex_ai", "claude-x"],
    ["google.generative-ai:gemini-3-flash", "gcp.gemini", "gemini-3-flash"],
    ["cohere.chat:command-a", "cohere", "command-a"],
    ["openai-compatible:http://localhost:1234/v1#qwen3:8b", "openai_compatible", "qwen3:8b"],
    ["mine", "custom", "mine"],
  ])("has the conventions' name: %s", (name, provider, model) => {
    expect(providerAndModel(name)).toEqual({ provider, model });
  });
});

describe("without OpenTelemetry set up", () => {
  it("costs nothing and breaks nothing", async () => {
    const context = createContext({ window: 32_000, counter: quarter, plugins: [telemetry()] });
    expect((await context.prepare(history)).report.action).toBe("compact");
  });
});
