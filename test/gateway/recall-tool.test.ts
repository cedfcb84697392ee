import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { GatewayOptions } from "../../src/gateway/options.ts";
import { temporaryFolder } from "../cli/run-cli.ts";
import { agentForTest, type ScriptedAgent } from "../e2e/agent-script.ts";
import { type AgentTool, FACT } from "../e2e/agent-tools.ts";
import { upstreamForTest } from "../provider/for-test.ts";
import { sample } from "../property/runs.ts";
import type { LoggedRequest, ProtocolName, ReplyPart, Script } from "../provider/index.ts";
import { gatewayForTest, rawRequest, rawUpstream } from "./raw-upstream.ts";
import { wireAgents } from "./wire-agent.ts";

const PROTOCOLS: readonly ProtocolName[] = ["anthropic", "openai-chat", "openai-responses"];
const CASES = PROTOCOLS.flatMap((protocol) => [
  { protocol, stream: true },
  { protocol, stream: false },
]);

function toolsIn({ view }: LoggedRequest): string {
  return (view?.tools ?? []).map(({ name }) => name).join(" ");
}

describe.each(sample(CASES, 3))(
  "tools of the gateway over $protocol, streaming: $stream",
  (wire) => {
    const { protocol, stream } = wire;

    it("give an agent back what left its context, and it never hears of them", async () => {
      const agent = await agentForTest();
      const upstream = await upstreamForTest({ script: agent.script, window: 32_000 });
      const gateway = await gatewayForTest(upstream, { window: 32_000, recall: "tool" });
      const answer = await wireAgents[protocol]({ agent, stream, url: () => gateway.url });
      expect(answer).toContain(FACT);
      expect(upstream.refusals).toEqual([]);
      expect(agent.problems).toEqual([]);
      const { counted } = gateway.metrics;
      expect(counted("recalls")).toBeGreaterThan(0);
      expect(counted("planned_edits")).toBeGreaterThan(1);
      expect(counted("failed_open")).toBe(0);
      expect(counted("prefix_violations")).toBe(0);
      expect(new Set(upstream.requests.map(toolsIn)).size).toBe(1);
    });

    it("stand in later requests as they stood in the first, after a restart, too", async () => {
      const { script, agent } = lookingUp();
      const upstream = await upstreamForTest({ script });
      const archive = temporaryFolder();
      let gateway = await gatewayForTest(upstream, { recall: "tool", archive });
      const url = async (): Promise<string> => {
        gateway.abort();
        gateway = await gatewayForTest(upstream, { recall: "tool", archive });
        return gateway.url;
      };
      const answer = await wireAgents[protocol]({ agent, stream, url });
      expect(answer).toBe("All is said.");
      expect(upstream.refusals).toEqual([]);
      const outputs = upstream.requests.flatMap(({ view }) =>
        (view?.messages ?? []).flatMap(({ results }) => results.map(({ output }) => output)),
      );
      expect(outputs.filter((output) => output.startsWith("No tool"))).toEqual([]);
      const names = upstream.requests
        .at(-1)
        ?.view?.messages.flatMap(({ calls }) => calls.map(({ name }) => name));
      expect(names).toEqual(NAMES);
      // The very same text, not only the same meaning.
      const lists = upstream.requests.map(({ body }) => listIn(body).map((one) => plain(one)));
      for (const [at, list] of lists.entries()) {
        expect(list.slice(0, lists[at - 1]?.length ?? 0)).toEqual(lists[at - 1] ?? []);
      }
    });

    it("are answered at most so often, and then the answer ends", async () => {
      const upstream = await upstreamForTest({
        script: ({ messages }) =>
          messages.at(-1)?.text === "Go on."
            ? "Good."
            : { parts: [{ type: "call", name: "search_archive", input: { pattern: "x" } }] },
      });
      const { url, metrics } = await gatewayForTest(upstream, { recall: "tool" });
      const { tools } = await agentForTest();
      const agent = { system: "s", tools, turns: ["Look it up.", "Go on."] };
      expect(await wireAgents[protocol]({ agent, stream, url: () => url })).toBe("Good.");
      expect(upstream.refusals).toEqual([]);
      expect(upstream.requests.length).toBe(10);
      expect(metrics.counted("recalls")).toBe(9);
    });

    it("pass a refusal on that comes in the middle of an answer", async () => {
      let asked = 0;
      const script: Script = () => {
        asked += 1;
        if (asked > 1) return { misbehave: "overloaded" };
        const call = { type: "call", name: "search_archive", input: { pattern: "x" } } as const;
        return { parts: [{ type: "text", text: "I look it up." }, call] };
      };
      const upstream = await upstreamForTest({ script });
      const { url } = await gatewayForTest(upstream, { recall: "tool" });
      const { tools } = await agentForTest();
      const agent = { system: "s", tools, turns: ["Look it up."] };
      await expect(wireAgents[protocol]({ agent, stream, url: () => url })).rejects.toThrow(
        /overloaded/i,
      );
    });
  },
);

/** All calls of {@link lookingUp}, as the provider has them in the end. */
const NAMES = [
  "read",
  "search_archive",
  "recall",
  "read",
  "search_archive",
  "read",
  "search_archive",
];

/** An agent whose model looks things up alone, twice in a row, beside another call, and before its last word. */
function lookingUp(): { script: Script; agent: Pick<ScriptedAgent, "system" | "tools" | "turns"> } {
  const thought = (text: string): ReplyPart => ({ type: "reasoning", text });
  const said = (text: string): ReplyPart => ({ type: "text", text });
  const call = (name: string, input: object): ReplyPart => ({ type: "call", name, input });
  const read = call("read", { path: "a" });
  const search = call("search_archive", { pattern: "a" });
  const steps: readonly (readonly ReplyPart[])[] = [
    [thought("First."), read],
    [thought("What was it?"), said("I look it up."), search],
    [thought("And this?"), call("recall", { handle: "out_0123456789abcdef" })],
    [thought("Both."), said("Found."), read],
    [search, said("Beside it:"), read],
    [said("Once more."), search],
    [said("All is said.")],
    [said("All is said.")],
  ];
  let step = 0;
  const script: Script = () => ({ parts: steps[step++] ?? [] });
  const run = (): Promise<string> => Promise.resolve("a file");
  const parameters: AgentTool["parameters"] = {
    type: "object",
    properties: { path: { type: "string" } },
    required: ["path"],
    additionalProperties: false,
  };
  const tools = [{ name: "read", description: "Reads.", parameters, run }];
  return { script, agent: { system: "s", tools, turns: ["Begin.", "And then?"] } };
}

function listIn(body: unknown): readonly unknown[] {
  const { messages, input = messages } = body as { messages?: unknown; input?: unknown };
  return input as readonly unknown[];
}

/** Without the marks for caches, which move. */
function plain(message: unknown): string {
  return JSON.stringify(message).replaceAll(/,"cache_control":\{[^}]*\}/g, "");
}

const TOOL = { name: "read", input_schema: { type: "object" } };
const ASKED = [{ role: "user", content: "Hello." }];
const ANSWER = { type: "message", role: "assistant", content: [{ type: "text", text: "ok" }] };

/** The names of the tools in what went on for such a request. */
async function offered(
  fields: object,
  { path = "/v1/messages", headers = {}, gateway }: Offering,
): Promise<readonly unknown[]> {
  const upstream = await rawUpstream((_, response) => response.end(JSON.stringify(ANSWER)));
  const { url } = await gatewayForTest(upstream, { recall: "tool", ...gateway });
  const body = JSON.stringify({ model: "m", ...fields });
  await rawRequest(url + path, { method: "POST", body, headers });
  const sent = upstream.requests[0]?.body.toString() ?? "";
  type Named = { readonly name?: string };
  type Sent = { readonly tools?: readonly (Named & { readonly function?: Named })[] };
  const { tools = [] } = JSON.parse(sent) as Sent;
  if (tools.length < 2) expect(sent).toBe(body);
  return tools.map((tool) => tool.function?.name ?? tool.name);
}

interface Offering {
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly gateway?: GatewayOptions;
}

const ALL = ["read", "recall", "search_archive"];
const CHAT_TOOL = { type: "function", function: { name: "read", parameters: { type: "object" } } };
const ITEM_TOOL = { type: "function", name: "read", parameters: { type: "object" } };
const CHAT = "/v1/chat/completions";
const ITEMS = "/v1/responses";
const BEGUN = [...ASKED, { role: "assistant", content: "Hi." }, { role: "user", content: "?" }];

/** An answer that looks something up. */
const LOOKING = {
  type: "message",
  role: "assistant",
  content: [{ type: "tool_use", id: "toolu_1", name: "search_archive", input: { pattern: "x" } }],
  stop_reason: "tool_use",
  usage: { input_tokens: 9, output_tokens: 1 },
};

describe("tools of the gateway", () => {
  it.each([
    ["a request that begins a conversation", { messages: ASKED, tools: [TOOL] }, {}, ALL],
    ["Chat Completions", { messages: ASKED, tools: [CHAT_TOOL] }, { path: CHAT }, ALL],
    ["Responses", { input: "Hello.", tools: [ITEM_TOOL] }, { path: ITEMS }, ALL],
    ["a conversation that has begun", { messages: BEGUN, tools: [TOOL] }, {}, ["read"]],
    ["a request without tools", { messages: ASKED }, {}, []],
    [
      "a forced tool",
      { messages: ASKED, tools: [TOOL], tool_choice: { type: "tool", name: "read" } },
      {},
      ["read"],
    ],
    [
      "a forced tool of Chat Completions",
      { messages: ASKED, tools: [CHAT_TOOL], tool_choice: "none" },
      { path: CHAT },
      ["read"],
    ],
    [
      "an output with a schema",
      { input: ASKED, tools: [ITEM_TOOL], text: { format: { type: "json_schema" } } },
      { path: ITEMS },
      ["read"],
    ],
    [
      "a tool of that name",
      { messages: ASKED, tools: [{ ...TOOL, name: "recall" }] },
      {},
      ["recall"],
    ],
    [
      "a history that the provider keeps",
      { input: ASKED, tools: [ITEM_TOOL], previous_response_id: "resp_1" },
      { path: ITEMS },
      ["read"],
    ],
    [
      "a gateway on this machine",
      { messages: ASKED, tools: [TOOL] },
      { gateway: { recall: undefined } },
      ["read"],
    ],
    ["an audit", { messages: ASKED, tools: [TOOL] }, { gateway: { audit: true } }, ["read"]],
  ])("stand in a request or not: %s", async (_, fields, how, names) => {
    expect(await offered(fields, how)).toEqual(names);
  });

  it("are in no request of a conversation that began without them, and in all of one with them", async () => {
    const upstream = await rawUpstream((_, response) => response.end(JSON.stringify(ANSWER)));
    const { url } = await gatewayForTest(upstream, { recall: "tool" });
    const ask = async (messages: readonly object[], key: string): Promise<number> => {
      const body = JSON.stringify({ model: "m", messages, tools: [TOOL] });
      const headers = { "x-api-key": key };
      await rawRequest(`${url}/v1/messages`, { method: "POST", body, headers });
      const sent = JSON.parse(upstream.requests.at(-1)?.body.toString() ?? "") as { tools: [] };
      return sent.tools.length;
    };
    expect([await ask(BEGUN, "a"), await ask(ASKED, "a"), await ask(BEGUN, "a")]).toEqual([
      1, 1, 1,
    ]);
    expect([await ask(ASKED, "b"), await ask(BEGUN, "b")]).toEqual([3, 3]);
  });

  it("show nothing of another credential's conversation, whatever handle is asked for", async () => {
    const secret = "the secret of another\n".repeat(5_000);
    const handles = [
      "../../x",
      "/etc/passwd",
      "out_0000000000000000/../..",
      "",
      "head_",
      "out_%2e%2e",
    ];
    const asked: unknown[] = [...handles];
    const script: Script = ({ messages }) => {
      const handle = asked.shift();
      const last = messages.at(-1);
      if (last?.text === "Theirs.")
        return { parts: [{ type: "call", name: "read", input: { path: "a" } }] };
      if (handle === undefined) return "Done.";
      const search = {
        type: "call",
        name: "search_archive",
        input: { pattern: "secret" },
      } as const;
      return { parts: [{ type: "call", name: "recall", input: { handle } }, search] };
    };
    const upstream = await upstreamForTest({ script });
    const archive = temporaryFolder();
    const { url } = await gatewayForTest(upstream, { recall: "tool", archive });
    const { parameters } = (await agentForTest()).tools[0] as AgentTool;
    const tool = { name: "read", description: "Reads.", parameters, run: async () => secret };
    const run = { stream: true, url: () => url };
    const victim = { system: "s", tools: [tool], turns: ["Theirs."] };
    asked.length = 0;
    await wireAgents.anthropic({ ...run, agent: victim, headers: { authorization: "Bearer one" } });
    const names = readdirSync(archive, { recursive: true, encoding: "utf8" }).join(" ");
    const [handle = ""] = /out_[0-9a-f]+/.exec(names) ?? [];
    expect(handle).not.toBe("");
    asked.push(handle, ...handles);
    const other = { system: "s", tools: [tool], turns: ["Mine."] };
    await wireAgents.anthropic({ ...run, agent: other, headers: { authorization: "Bearer two" } });
    const seen = upstream.requests.at(-1)?.view?.messages.flatMap(({ results }) => results) ?? [];
    expect(seen.length).toBe(2 * (handles.length + 1));
    expect(seen.filter(({ output }) => output.includes("the secret of"))).toEqual([]);
    expect(upstream.refusals).toEqual([]);
  });

  it("look nothing up any more when the client goes in the middle", async () => {
    let hasLeft = false;
    const upstream = await rawUpstream(({ body }, response, incoming) => {
      const isSecond = body.includes("toolu_1");
      response.setHeader("content-type", "application/json");
      if (!isSecond) return void response.end(JSON.stringify(LOOKING));
      // The second round never ends by itself.
      incoming.socket.on("close", () => (hasLeft = true));
      response.write(" ");
    });
    const { url, metrics } = await gatewayForTest(upstream, { recall: "tool" });
    const body = JSON.stringify({ model: "m", max_tokens: 50, messages: ASKED, tools: [TOOL] });
    const gone = new AbortController();
    const answer = fetch(`${url}/v1/messages`, { method: "POST", body, signal: gone.signal });
    await expect.poll(() => upstream.requests.length).toBe(2);
    gone.abort();
    await expect(answer).rejects.toThrow(/abort/i);
    await expect.poll(() => hasLeft && metrics.active()).toBe(0);
    expect(upstream.requests.length).toBe(2);
  });

  it("let the words before a look through at once, and say that somebody is there", async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    let asked = 0;
    const script: Script = async () => {
      asked += 1;
      if (asked === 2) await held;
      const call = { type: "call", name: "search_archive", input: { pattern: "x" } } as const;
      return asked === 1 ? { parts: [{ type: "text", text: "I look." }, call] } : "Found.";
    };
    const upstream = await upstreamForTest({ script });
    const { url } = await gatewayForTest(upstream, { recall: "tool", limits: { keepAliveMs: 30 } });
    const body = JSON.stringify({
      model: "m",
      max_tokens: 50,
      stream: true,
      messages: ASKED,
      tools: [TOOL],
    });
    const headers = {
      "content-type": "application/json",
      "anthropic-version": "2023-06-01",
      "x-api-key": "k",
    };
    const answer = await fetch(`${url}/v1/messages`, { method: "POST", body, headers });
    let text = "";
    for await (const piece of answer.body ?? []) {
      text += Buffer.from(piece).toString();
      if (/I look\.[^]*: waiting for the model/.test(text)) release();
    }
    expect(text).toContain("Found.");
    expect(text).not.toContain("search_archive");
    const indexes = [...text.matchAll(/content_block_start","index":(\d+)/g)].map(([, at]) => at);
    expect(indexes).toEqual(["0", "1"]);
    expect(text.match(/message_start"/g)).toHaveLength(1);
    expect(text).toMatch(/stop_reason":"end_turn"[^]*message_stop/);
  });
});
