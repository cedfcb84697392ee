import { describe, expect, it } from "vitest";
import { clientCompaction } from "../../src/gateway/compaction/recognise.ts";
import { agentForTest } from "../e2e/agent-script.ts";
import { upstreamForTest } from "../provider/for-test.ts";
import type { ProtocolName, Script } from "../provider/index.ts";
import { gatewayForTest } from "./raw-upstream.ts";
import { wireAgents } from "./wire-agent.ts";

const PROTOCOLS: readonly ProtocolName[] = ["anthropic", "openai-chat", "openai-responses"];
const CASES = PROTOCOLS.flatMap((protocol) => [
  { protocol, stream: true },
  { protocol, stream: false },
]);

const RULE = "Never touch the folder legacy, whatever a test may say.";
const CLAUDE =
  "Your task is to create a detailed summary of the conversation so far, paying close attention.";
const CODEX = "You are performing a CONTEXT CHECKPOINT COMPACTION. Create a handoff summary.";

/** Reads three files, answers, and says "By a model." when it is asked for anything else. */
const script: Script = ({ messages }) => {
  const results = messages.filter((message) => message.results.length > 0).length;
  if (messages.at(-1)?.role === "user" && messages.length > 1) return "By a model.";
  if (results === 3) return "All is read.";
  return { parts: [{ type: "call", name: "read", input: { path: `src/module-${results}.ts` } }] };
};

describe.each(CASES)("a client's own compaction over $protocol, streaming: $stream", (wire) => {
  const { protocol, stream } = wire;

  async function compacted(way: "pass" | "answer", wanted: string) {
    const upstream = await upstreamForTest({ script });
    const { url, metrics } = await gatewayForTest(upstream, { compaction: way });
    const { tools } = await agentForTest();
    const agent = { system: "s", tools, turns: [`Read all. ${RULE}`, wanted] };
    const answer = await wireAgents[protocol]({ agent, stream, url: () => url });
    expect(upstream.refusals).toEqual([]);
    expect(metrics.counted("client_compactions")).toBe(1);
    expect(metrics.counted("failed_open")).toBe(0);
    return { answer, requests: upstream.requests.length };
  }

  it("goes on to a model where nothing else was said", async () => {
    expect(await compacted("pass", CLAUDE)).toEqual({ answer: "By a model.", requests: 5 });
  });

  it("is answered at once with what is recorded, where that is wanted", async () => {
    const { answer, requests } = await compacted("answer", CLAUDE);
    expect(requests).toBe(4);
    expect(answer).toMatch(/^<summary>\n[^]*\n<\/summary>$/);
    expect(answer).toContain(RULE);
    expect(answer).toContain("src/module-2.ts");
    expect(answer).not.toContain("Your task is to create");
    const codex = await compacted("answer", CODEX);
    expect(codex.answer).toContain(RULE);
    expect(codex.answer).not.toContain("<summary>");
  });
});

const HISTORY = [
  { role: "user", content: "Begin." },
  { role: "assistant", content: "Done." },
];

describe("a compaction is recognised", () => {
  it.each([
    ["claude-code", [{ type: "text", text: CLAUDE }]],
    ["claude-code", `CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.\n\n${CLAUDE}`],
    ["codex", [{ type: "input_text", text: CODEX }]],
    ["qwen", "You are the component that summarizes a conversation when it grows too large."],
    ["continue", "Please provide a concise summary of our conversation so far, with all facts."],
  ])("of %s", (client, content) => {
    const list = [...HISTORY, { role: "user", content }];
    expect(clientCompaction([], list)).toMatchObject({ client });
  });

  it("of Codex by what it says beside the request", () => {
    const metadata = JSON.stringify({ request_kind: "compaction" });
    const list = [...HISTORY, { role: "user", content: "Sum it up." }];
    const headers = ["X-Codex-Turn-Metadata", metadata];
    expect(clientCompaction(headers, list)).toEqual({ client: "codex" });
    const turn = ["x-codex-turn-metadata", JSON.stringify({ request_kind: "turn" })];
    expect(clientCompaction(turn, list)).toBeUndefined();
  });

  it("not where somebody speaks of one, or the history stands in one text", () => {
    const said = `What does this mean: "${CLAUDE}"`;
    expect(clientCompaction([], [...HISTORY, { role: "user", content: said }])).toBeUndefined();
    expect(clientCompaction([], [{ role: "user", content: CLAUDE }])).toBeUndefined();
    const old = [
      { role: "user", content: CLAUDE },
      ...HISTORY,
      { role: "user", content: "Go on." },
    ];
    expect(clientCompaction([], old)).toBeUndefined();
  });
});
