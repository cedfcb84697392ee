import { describe, expect, it } from "vitest";
import { agentForTest } from "../e2e/agent-script.ts";
import { upstreamForTest } from "../provider/for-test.ts";
import { expectBehindGateway, WINDOW } from "./expect-behind.ts";
import { SDK_AGENTS } from "./sdk-agents.ts";

const CASES = Object.entries(SDK_AGENTS).flatMap(([sdk, ways]) =>
  Object.entries(ways).flatMap(([api, run]) =>
    [true, false].map((stream) => ({ sdk, api, run, stream })),
  ),
);

describe.each(CASES)("an agent of $sdk ($api, streaming: $stream)", ({ run, stream }) => {
  it("works on behind the gateway", () => expectBehindGateway(run, stream));

  it("dies without it", async () => {
    const agent = await agentForTest({ steps: 40 });
    const upstream = await upstreamForTest({ script: agent.script, window: WINDOW });
    await expect(run({ agent, url: upstream.url, stream })).rejects.toThrow(/too long|context/);
    expect(upstream.rejected).toBeGreaterThan(0);
  });
});
