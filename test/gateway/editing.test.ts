import { describe, expect, it } from "vitest";
import { startGateway } from "../../src/gateway/server.ts";
import { temporaryFolder } from "../cli/run-cli.ts";
import { agentForTest } from "../e2e/agent-script.ts";
import { sample } from "../property/runs.ts";
import { upstreamForTest } from "../provider/for-test.ts";
import type { LoggedRequest, ProtocolName } from "../provider/index.ts";
import { saysTheSame } from "../../src/hooks/follow-natives.ts";
import { gatewayForTest } from "./raw-upstream.ts";
import { wireAgents } from "./wire-agent.ts";

const PROTOCOLS: readonly ProtocolName[] = ["anthropic", "openai-chat", "openai-responses"];
const CASES = PROTOCOLS.flatMap((protocol) => [
  { protocol, stream: true },
  { protocol, stream: false },
]);

/** How often a request did not begin as the one before it, in what was really sent. */
function prefixBreaks(requests: readonly LoggedRequest[]): number {
  const lists = requests.map(({ body }) => {
    const { messages, input = messages } = body as { messages?: unknown; input?: unknown };
    return input as readonly unknown[];
  });
  const breaks = lists.filter((list, at) => {
    const before = lists[at - 1] ?? [];
    return !before.every((one, index) => saysTheSame(one, list[index]));
  });
  return breaks.length;
}

describe.each(sample(CASES, 3))(
  "an agent over $protocol, streaming: $stream",
  ({ protocol, stream }) => {
    it("works on for ever in a small window, and nobody refuses anything", async () => {
      const agent = await agentForTest();
      const upstream = await upstreamForTest({ script: agent.script, window: 32_000 });
      const gateway = await gatewayForTest(upstream, { window: 32_000 });
      await wireAgents[protocol]({ agent, stream, url: () => gateway.url });
      expect(upstream.refusals).toEqual([]);
      expect(upstream.rejected).toBe(0);
      expect(agent.problems).toEqual([]);
      const { counted } = gateway.metrics;
      expect(counted("planned_edits")).toBeGreaterThan(1);
      expect(counted("failed_open")).toBe(0);
      expect(counted("prefix_violations")).toBe(0);
      expect(counted("saved_tokens")).toBeGreaterThan(10_000);
      expect(prefixBreaks(upstream.requests)).toBeLessThanOrEqual(counted("planned_edits"));
    });

    it("never hears of an overflow, where nobody told the window", async () => {
      const agent = await agentForTest();
      const upstream = await upstreamForTest({ script: agent.script, window: 32_000 });
      const gateway = await gatewayForTest(upstream);
      await wireAgents[protocol]({ agent, stream, url: () => gateway.url });
      const { counted } = gateway.metrics;
      expect(agent.problems).toEqual([]);
      expect(counted("recovered")).toBeGreaterThan(0);
      expect(upstream.rejected).toBe(counted("recovered"));
      // The limit is learned: one refusal or two, not one for each compaction.
      expect(counted("recovered")).toBeLessThan(4);
      expect(upstream.requests.every(({ outcome }) => /answered|overflow/.test(outcome))).toBe(
        true,
      );
      expect(counted("prefix_violations")).toBe(0);
    });

    it("hears of one that nothing can be done about in the provider's own words", async () => {
      const upstream = await upstreamForTest({ script: () => "never", window: 2_000 });
      const gateway = await gatewayForTest(upstream);
      const { tools } = await agentForTest();
      const agent = { system: "word ".repeat(4_000), turns: ["Hello."], tools };
      const direct = wireAgents[protocol]({ agent, stream, url: () => upstream.url });
      const behind = wireAgents[protocol]({ agent, stream, url: () => gateway.url });
      const [own, passed] = await Promise.allSettled([direct, behind]);
      const said = own.status === "rejected" ? (own.reason as Error).message : "";
      expect(said).toMatch(/prompt is too long|context/);
      expect(passed).toMatchObject({ status: "rejected" });
      const heard = passed.status === "rejected" ? (passed.reason as Error).message : "";
      expect(withoutIds(heard)).toBe(withoutIds(said));
      expect(gateway.metrics.counted("overflows_passed")).toBe(1);
    });
  },
);

function withoutIds(text: string): string {
  return text.replaceAll(/req_\w+/g, "req");
}

describe.each(PROTOCOLS)("a gateway for %s that is killed again and again", (protocol) => {
  it("goes on with the same bytes from its journal", async () => {
    const agent = await agentForTest();
    const upstream = await upstreamForTest({ script: agent.script, window: 32_000 });
    const archive = temporaryFolder();
    let [asked, edits, violations] = [0, 0, 0];
    let gateway = await gatewayForTest(upstream, { window: 32_000, archive });
    const url = async (): Promise<string> => {
      asked += 1;
      if (asked % 3 !== 0) return gateway.url;
      edits += gateway.metrics.counted("planned_edits");
      violations += gateway.metrics.counted("prefix_violations");
      // As a killed one: nothing is closed, and the next one knows only what is on the disk.
      gateway.abort();
      gateway = await gatewayForTest(upstream, { window: 32_000, archive });
      return gateway.url;
    };
    await wireAgents[protocol]({ agent, stream: true, url });
    edits += gateway.metrics.counted("planned_edits");
    expect(upstream.refusals).toEqual([]);
    expect(agent.problems).toEqual([]);
    expect(violations).toBe(0);
    expect(edits).toBeGreaterThan(1);
    expect(prefixBreaks(upstream.requests)).toBeLessThanOrEqual(edits);
  });
});

describe("an audit", () => {
  it("edits nothing, and tells what it would have edited", async () => {
    const agent = await agentForTest();
    const upstream = await upstreamForTest({ script: agent.script, window: 400_000 });
    const archive = temporaryFolder();
    const gateway = await startGateway({
      port: 0,
      anthropic: upstream.url,
      window: 32_000,
      audit: true,
      archive,
    });
    await wireAgents.anthropic({ agent, stream: true, url: () => gateway.url });
    await gateway.close();
    const { counted } = gateway.metrics;
    expect(counted("edited")).toBe(0);
    expect(prefixBreaks(upstream.requests)).toBe(0);
    expect(counted("saved_tokens")).toBeGreaterThan(10_000);
    const [receipt] = gateway.metrics.receipts().conversations;
    expect(receipt?.requests).toBe(upstream.requests.length);
    const { input, output, cacheRead, cacheWrite } = upstream.totals;
    expect(receipt?.usage).toEqual({ input, output, cacheRead, cacheWrite });
    expect(receipt?.savedTokens).toBeGreaterThan(10_000);
    const other = receipt!.otherwise;
    const prompt = other.input + other.cacheRead + other.cacheWrite;
    expect(prompt).toBe(input + cacheRead + cacheWrite - receipt!.savedTokens);
  });
});
