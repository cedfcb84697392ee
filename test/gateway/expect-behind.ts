import { expect } from "vitest";
import { agentForTest } from "../e2e/agent-script.ts";
import { upstreamForTest } from "../provider/for-test.ts";
import { gatewayForTest, rawRequest } from "./raw-upstream.ts";
import type { SdkAgent } from "./sdk-agents.ts";
import type { ConversationReceipt } from "../../src/gateway/metrics.ts";

export const WINDOW = 24_000;

/** One long task in a small window, and the gateway's own figures at its end. */
export async function expectBehindGateway(run: SdkAgent, stream: boolean): Promise<void> {
  const agent = await agentForTest({ steps: 40 });
  const upstream = await upstreamForTest({ script: agent.script, window: WINDOW });
  const { url, metrics } = await gatewayForTest(upstream, { window: WINDOW, recall: "tool" });
  const answer = await run({ agent, url, stream });
  expect(upstream.refusals).toEqual([]);
  expect(upstream.rejected).toBe(0);
  expect(agent.problems).toEqual([]);
  // What left the window comes back by the gateway's own tool, of which the SDK never hears.
  expect(agent.knows(answer)).toBe(true);
  const { counted } = metrics;
  expect(counted("planned_edits")).toBeGreaterThan(0);
  expect(counted("prefix_violations")).toBe(0);
  expect(counted("failed_open")).toBe(0);
  expect(counted("overflows_passed")).toBe(0);
  const { body } = await rawRequest(`${url}/receipts`);
  const { conversations } = JSON.parse(body.toString()) as {
    readonly conversations: readonly ConversationReceipt[];
  };
  expect(conversations).toHaveLength(1);
  expect(conversations[0]).toMatchObject({
    requests: upstream.requests.length,
    prefixViolations: 0,
    recalls: counted("recalls"),
    compactions: counted("compactions"),
  });
  expect(counted("recalls")).toBeGreaterThan(0);
}
