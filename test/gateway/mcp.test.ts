import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, it, onTestFinished } from "vitest";
import type { GatewayOptions } from "../../src/gateway/options.ts";
import { temporaryFolder } from "../cli/run-cli.ts";
import { gatewayForTest, rawRequest, rawUpstream } from "./raw-upstream.ts";

type Headers = Readonly<Record<string, string>>;
type Call = (name: string, input?: Record<string, unknown>) => Promise<string>;

/** A client of the gateway's tools that sends these headers. */
async function toolsAt(url: string, headers: Headers): Promise<{ client: Client; call: Call }> {
  const client = new Client({ name: "test", version: "1" });
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
    requestInit: { headers },
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    client,
    async call(name, input = {}) {
      const { content } = await client.callTool({ name, arguments: input });
      return content.map((piece) => (piece.type === "text" ? piece.text : piece.type)).join("\n");
    },
  };
}

const SECRET = "the release code is kingfisher\n";

/** A conversation in which an output was cut, so that there is something to recall. */
async function begun(headers: Headers, options: GatewayOptions = {}) {
  const usage = { input_tokens: 1_234, output_tokens: 5 };
  const answer = {
    type: "message",
    role: "assistant",
    content: [{ type: "text", text: "ok" }],
    usage,
  };
  const upstream = await rawUpstream((_, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(answer));
  });
  const gateway = await gatewayForTest(upstream, { archive: temporaryFolder(), ...options });
  const content = `${"a line\n".repeat(20_000)}${SECRET}${"a line\n".repeat(20_000)}`;
  const messages = [
    { role: "user", content: "Read it." },
    { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "read", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content }] },
  ];
  const body = JSON.stringify({ model: "m", max_tokens: 10, messages });
  await rawRequest(`${gateway.url}/v1/messages`, { method: "POST", headers, body });
  const sent = upstream.requests[0]?.body.toString() ?? "";
  const [handle = ""] = /(?:out|run)_[0-9a-f]{16}/.exec(sent) ?? [];
  expect(handle).not.toBe("");
  return { url: gateway.url, handle };
}

describe("recall, search and window over HTTP", () => {
  it("see what was archived for the credential that asks, and nothing of another one", async () => {
    const { url, handle } = await begun({ "x-api-key": "mine" });
    const { client, call } = await toolsAt(url, { "x-api-key": "mine" });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["recall", "search", "window"]);
    expect(await call("search", { pattern: "kingfisher" })).toContain(handle);
    expect(await call("recall", { handle, lines: [20_001, 20_001] })).toContain(SECRET.trim());
    expect(await call("window")).toMatch(/newest of 1 requests to m had 1234 input tokens/);

    const other = await toolsAt(url, { "x-api-key": "theirs" });
    expect(await other.call("search", { pattern: "kingfisher" })).not.toContain(handle);
    expect(await other.call("window")).toContain("No request");
    for (const asked of [handle, `../${handle}`, "/etc/passwd", "", "out_%2e%2e%2f"]) {
      expect(await other.call("recall", { handle: asked })).not.toContain("a line");
    }
  });

  it("see one conversation where a request names it", async () => {
    const own = { "x-api-key": "mine", "x-longhaul-conversation": "one" };
    const { url, handle } = await begun(own);
    const named = await toolsAt(url, own);
    expect(await named.call("search", { pattern: "kingfisher" })).toContain(handle);
    const another = await toolsAt(url, { ...own, "x-longhaul-conversation": "two" });
    expect(await another.call("search", { pattern: "kingfisher" })).not.toContain(handle);
  });

  it("want the gateway's token, and to know who asks", async () => {
    const token = "a token";
    const { url, handle } = await begun(
      { "x-longhaul-token": token, "x-api-key": "mine" },
      { token },
    );
    await expect(toolsAt(url, { "x-api-key": "mine" })).rejects.toThrow(/401|token/);
    const { call } = await toolsAt(url, { "x-longhaul-token": token, "x-api-key": "mine" });
    expect(await call("search", { pattern: "kingfisher" })).toContain(handle);
    const bearer = await toolsAt(url, { authorization: `Bearer ${token}` });
    expect(await bearer.call("search", { pattern: "kingfisher" })).not.toContain(handle);

    const open = await begun({ "x-api-key": "mine" });
    await expect(toolsAt(open.url, {})).rejects.toThrow(/credential/);
  });
});
