import { describe, expect, it } from "vitest";
import { createMetrics } from "../../src/gateway/metrics.ts";
import { receiptOf, type TokenPrice } from "../../src/gateway/receipts.ts";
import { agentForTest } from "../e2e/agent-script.ts";
import { upstreamForTest } from "../provider/for-test.ts";
import type { ProtocolName, Upstream } from "../provider/index.ts";
import { gatewayForTest } from "./raw-upstream.ts";
import { wireAgents } from "./wire-agent.ts";

const PRICE: TokenPrice = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
const priceOf = (): TokenPrice => PRICE;

function dollars({ input, output, cacheRead, cacheWrite }: Upstream["totals"]): number {
  const { cacheWrite: write = 0 } = PRICE;
  const prompt = input * PRICE.input + cacheRead * PRICE.cacheRead + cacheWrite * write;
  return (prompt + output * PRICE.output) / 1_000_000;
}

/** OpenAI counts what it read from its cache as input, too. */
function totalsOf({ totals }: Upstream, protocol: ProtocolName): Upstream["totals"] {
  const { input, cacheRead } = totals;
  return protocol === "anthropic" ? totals : { ...totals, input: input - cacheRead };
}

/** What the strict server counts when the same agent runs against it with nothing between. */
async function direct(protocol: ProtocolName): Promise<Upstream["totals"]> {
  const agent = await agentForTest();
  const upstream = await upstreamForTest({ script: agent.script, window: 800_000 });
  await wireAgents[protocol]({ agent, stream: true, url: () => upstream.url });
  return totalsOf(upstream, protocol);
}

describe.each(["anthropic", "openai-chat", "openai-responses"] as const)(
  "receipts of %s",
  (protocol) => {
    it("say what the provider counted, and what it would have counted without", async () => {
      const agent = await agentForTest();
      const upstream = await upstreamForTest({ script: agent.script, window: 32_000 });
      const gateway = await gatewayForTest(upstream, { window: 32_000, priceOf });
      await wireAgents[protocol]({ agent, stream: true, url: () => gateway.url });
      const [receipt] = gateway.metrics.receipts().conversations;
      const { input, output, cacheRead, cacheWrite } = totalsOf(upstream, protocol);
      // What a model thought is no part of what Chat sends again, and not counted here.
      const said = protocol === "openai-chat" ? expect.any(Number) : output;
      expect(receipt?.usage).toEqual({ input, output: said, cacheRead, cacheWrite });
      const without = await direct(protocol);
      const promptOf = (one: Upstream["totals"]): number =>
        one.input + one.cacheRead + one.cacheWrite;
      const reckoned = receipt!.otherwise;
      // Partly reckoned by bytes, so never to the token.
      const prompt = reckoned.input + reckoned.cacheRead + reckoned.cacheWrite;
      expect(prompt / promptOf(without)).toBeGreaterThan(0.94);
      expect(prompt / promptOf(without)).toBeLessThan(1.02);
      const saved = dollars(without) - dollars(totalsOf(upstream, protocol));
      expect((receipt?.savedDollars ?? 0) / saved).toBeGreaterThan(0.9);
      expect((receipt?.savedDollars ?? 0) / saved).toBeLessThan(1.05);
      expect(gateway.metrics.savedDollars()).toBeCloseTo(receipt?.savedDollars ?? 0);
    });
  },
);

describe("a receipt", () => {
  const usage = { input: 10, output: 5, cacheRead: 900, cacheWrite: 90 };
  const answered = {
    model: "m",
    usage,
    givenBytes: 4_000,
    sentBytes: 4_000,
    isAudit: false,
    isEdit: false,
    time: 0,
  };

  it("is what was reported where nothing was edited", () => {
    const { receipt } = receiptOf(answered, undefined, priceOf);
    expect(receipt).toEqual({ with: usage, without: usage, savedTokens: 0, savedDollars: 0 });
  });

  it("counts against an edit what it wrote to the cache anew", () => {
    const { now } = receiptOf(answered, undefined, priceOf);
    const edited = {
      ...answered,
      usage: { input: 10, output: 5, cacheRead: 0, cacheWrite: 490 },
      givenBytes: 4_200,
      sentBytes: 2_000,
      isEdit: true,
    };
    const { receipt } = receiptOf({ ...edited, time: 60_000 }, now, priceOf);
    expect(receipt.without).toEqual({ input: 10, output: 5, cacheRead: 1_000, cacheWrite: 40 });
    expect(receipt.savedTokens).toBe(550);
    // 1,000 read and 40 written would have cost less than 490 written.
    expect(receipt.savedDollars).toBeLessThan(0);
    const cold = receiptOf({ ...edited, time: 10 * 60_000 }, now, priceOf).receipt;
    expect(cold.without).toMatchObject({ cacheRead: 0, cacheWrite: 1_040 });
    expect(cold.savedDollars).toBeGreaterThan(0);
  });

  it("counts a request of the gateway's own against it, and no money without a price", () => {
    const own = { ...answered, givenBytes: 0 };
    expect(receiptOf(own, undefined, priceOf).receipt).toMatchObject({ savedTokens: -1_000 });
    expect(receiptOf(own, undefined, undefined).receipt).not.toHaveProperty("savedDollars");
  });
});

describe("the receipts of a gateway", () => {
  const usage = { input: 10, output: 5 };
  const size = { givenBytes: 40, sentBytes: 40, isAudit: false, isEdit: false, time: 0 };

  it("tell of each conversation what happened in it, the time before its first answer too", () => {
    const { countIn, counted, take, receipts } = createMetrics();
    countIn("a", "recalls");
    countIn("a", "prefix_violations");
    countIn("never answered", "compactions");
    for (const conversation of ["a", "b"]) take({ conversation, model: "m", usage, ...size });
    for (let at = 0; at < 2; at++) countIn("b", "compactions");
    expect(receipts().conversations).toMatchObject([
      { conversation: "a", requests: 1, recalls: 1, prefixViolations: 1, compactions: 0 },
      { conversation: "b", requests: 1, recalls: 0, prefixViolations: 0, compactions: 2 },
    ]);
    expect([counted("recalls"), counted("prefix_violations"), counted("compactions")]).toEqual([
      1, 1, 3,
    ]);
  });

  it("are forgotten from the one unused for longest on", () => {
    const { countIn, take, receipts } = createMetrics();
    const name = (at: number): string => `c${at}`;
    for (let at = 0; at < 1_000; at++) take({ conversation: name(at), model: "m", usage, ...size });
    countIn(name(0), "recalls");
    countIn("another", "recalls");
    const kept = receipts().conversations.map(({ conversation }) => conversation);
    expect(kept).toHaveLength(999);
    expect(kept).toContain(name(0));
    expect(kept).not.toContain(name(1));
  });
});
