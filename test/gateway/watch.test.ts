import { describe, expect, it } from "vitest";
import { pageWatch } from "../../src/cli/gateway.ts";
import type { ConversationRow, PageData } from "../../src/page/data.ts";
import { agentForTest } from "../e2e/agent-script.ts";
import { runs } from "../property/runs.ts";
import { upstreamForTest } from "../provider/for-test.ts";
import type { ProtocolName } from "../provider/index.ts";
import { gatewayForTest } from "./raw-upstream.ts";
import { wireAgents } from "./wire-agent.ts";

const PROTOCOLS: readonly ProtocolName[] = ["anthropic", "openai-chat", "openai-responses"];

describe.each(PROTOCOLS.slice(0, runs(1, 3)))("the page of a gateway over %s", (protocol) => {
  it("shows what went through, with every edit, to whoever has its token", async () => {
    const agent = await agentForTest();
    const upstream = await upstreamForTest({ script: agent.script, window: 32_000 });
    const watch = await pageWatch();
    const gateway = await gatewayForTest(upstream, { window: 32_000, watch });
    await wireAgents[protocol]({ agent, stream: true, url: () => gateway.url });
    expect(upstream.rejected).toBe(0);
    const ask = (path: string, token: string): Promise<Response> =>
      fetch(`${gateway.url}/page/${path}`, { headers: { authorization: `Bearer ${token}` } });

    expect((await ask("conversations", "guessed")).status).toBe(401);
    const rows = (await (await ask("conversations", watch.token)).json()) as ConversationRow[];
    expect(rows).toHaveLength(1);
    const [row] = rows;
    const data = (await (await ask(`data?id=${row?.id}`, watch.token)).json()) as PageData;
    const edits = data.edits.filter(({ view }) => view !== undefined);
    expect(edits.length).toBeGreaterThan(1);
    expect(new Set(edits.map(({ by }) => by))).toEqual(new Set(["longhaul"]));
    expect(edits.every(({ saved }) => saved > 0)).toBe(true);
    // What the provider reported stands at the requests that it answered.
    const reported = data.steps.filter((step) => step.reported !== undefined);
    expect(reported.length).toBeGreaterThan(data.steps.length / 2);
    const shell = await fetch(`${gateway.url}/`);
    expect(shell.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(await shell.text()).not.toContain(agent.turns[0]);
  });
});

describe("the page of a gateway", () => {
  it("is not there unless it was asked for", async () => {
    const upstream = await upstreamForTest({ script: () => "never" });
    const gateway = await gatewayForTest(upstream);
    expect(await (await fetch(`${gateway.url}/`)).text()).not.toContain("Longhaul");
  });

  it("is refused to a page under another name", async () => {
    const upstream = await upstreamForTest({ script: () => "never" });
    const watch = await pageWatch();
    const gateway = await gatewayForTest(upstream, { watch });
    const { port } = new URL(gateway.url);
    const { request } = await import("node:http");
    const status = await new Promise<number | undefined>((resolve) => {
      const headers = { host: "evil.example", authorization: `Bearer ${watch.token}` };
      request({ port, host: "127.0.0.1", path: "/page/conversations", headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).end();
    });
    expect(status).toBe(403);
  });
});
