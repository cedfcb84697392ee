import { afterEach, describe, expect, it } from "vitest";
import { isContextError } from "../../src/core/error.ts";
import {
  type LoggedRequest,
  MISBEHAVIOURS,
  type Misbehaviour,
  startUpstream,
  type Upstream,
  type UpstreamOptions,
} from "../provider/index.ts";
import { aiSdkDrivers, type Driver, httpDrivers, KEY } from "./drivers.ts";
import { summaryRequest } from "./summary-request.ts";

const running: Upstream[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((upstream) => upstream.close()));
});

async function start(options: UpstreamOptions): Promise<Upstream> {
  const upstream = await startUpstream(options);
  running.push(upstream);
  return upstream;
}

/** What a summarizer made of a misbehaviour: its answer, or the error as plain data. */
async function outcome(driver: Driver, misbehave: Misbehaviour) {
  const upstream = await start({
    script: () => ({ misbehave, text: "word ".repeat(1_000), retryAfter: 7 }),
  });
  const request = summaryRequest({ signal: AbortSignal.timeout(20_000) });
  try {
    const answer = await driver.make({ url: upstream.url }).summarize(request);
    return { answer, requests: upstream.requests.length };
  } catch (error) {
    if (!isContextError(error)) throw error;
    const { code, message, details } = error;
    return { code, message, details, requests: upstream.requests.length };
  }
}

const drivers = [...httpDrivers, ...aiSdkDrivers];

describe.each(drivers)("$name", (driver) => {
  it("answers with text, usage and finish; thinking is left out", async () => {
    const upstream = await start({
      apiKey: KEY,
      script: () => ({
        parts: [
          { type: "reasoning", text: "Let me think about this." },
          { type: "text", text: "### Goal\nGreen tests. 你好 🎉" },
        ],
      }),
    });
    const summarizer = driver.make({ url: upstream.url });
    const answer = await summarizer.summarize(summaryRequest());
    const { usage } = upstream.requests[0]!;
    expect(answer).toMatchObject({
      text: "### Goal\nGreen tests. 你好 🎉",
      finish: "stop",
      toolCalls: 0,
      usage: { input: usage!.input, cached: 0, output: usage!.output },
    });
    expect(upstream.refusals).toEqual([]);
    const [{ view }] = upstream.requests as readonly [LoggedRequest];
    expect(view).toMatchObject({
      system: "You write summaries.",
      lastUserText: "Summarize: the tests are green.",
      maxOutput: 12_000,
      tools: [],
    });
    expect(summarizer.name).toContain("scripted-model");
  });

  it("asks once, whatever happens", async () => {
    const found: Record<string, unknown> = {};
    const asked: Record<string, number> = {};
    for (const misbehaviour of MISBEHAVIOURS) {
      if (misbehaviour === "hang") continue;
      const { requests, ...rest } = await outcome(driver, misbehaviour);
      found[misbehaviour] = rest;
      asked[misbehaviour] = requests;
    }
    expect(new Set(Object.values(asked))).toEqual(new Set([1]));
    expect(found).toMatchObject({
      empty: { answer: { text: "", toolCalls: 0 } },
      "cut-off": { answer: { finish: "length" } },
      "answers-chat": { answer: { finish: "stop" } },
      "error-text": { answer: { finish: "stop" } },
      "too-long": { answer: { text: expect.any(String) } },
      "rate-limit": {
        code: "summarizer-failed",
        details: { status: 429, retryAfterMs: 7_000 },
      },
      "server-error": { code: "summarizer-failed", details: { status: 500 } },
      overloaded: {
        code: "summarizer-failed",
        details: { status: driver.protocol === "anthropic" ? 529 : 503, retryAfterMs: 7_000 },
      },
      disconnect: { code: "summarizer-failed" },
    });
  });

  it("says why a key is refused, and not which it was", async () => {
    const upstream = await start({ apiKey: "another", script: () => "never" });
    const refused = driver.make({ url: upstream.url }).summarize(summaryRequest());
    await expect(refused).rejects.toMatchObject({
      code: "summarizer-failed",
      details: { status: 401 },
      message: expect.not.stringContaining(KEY),
    });
  });

  it("passes on what the provider says of a prompt that is too long", async () => {
    const upstream = await start({ window: 10, script: () => "never" });
    const refused = driver.make({ url: upstream.url }).summarize(summaryRequest());
    await expect(refused).rejects.toMatchObject({
      code: "summarizer-failed",
      details: { status: 400 },
      message: expect.stringMatching(/prompt is too long|maximum context length/),
    });
  });

  it.each(["start", "middle"] as const)("stops when it is told to, at the %s", async (at) => {
    const giveUp = new AbortController();
    const upstream = await start({
      script: () => {
        setImmediate(() => giveUp.abort(new Error("enough")));
        return { misbehave: "hang", at };
      },
    });
    const call = driver.make({ url: upstream.url });
    await expect(call.summarize(summaryRequest({ signal: giveUp.signal }))).rejects.toThrow(
      "enough",
    );
  });

  it("asks nobody once it was told to stop", async () => {
    const upstream = await start({ script: () => "never" });
    const signal = AbortSignal.abort(new Error("enough"));
    const call = driver.make({ url: upstream.url }).summarize(summaryRequest({ signal }));
    await expect(call).rejects.toThrow("enough");
    expect(upstream.requests).toEqual([]);
  });

  it("says that nobody is there", async () => {
    const upstream = await startUpstream({ script: () => "never" });
    await upstream.close();
    await expect(
      driver.make({ url: upstream.url }).summarize(summaryRequest()),
    ).rejects.toMatchObject({ code: "summarizer-failed" });
  });
});
