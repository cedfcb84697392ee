import { describe, expect, it } from "vitest";
import { agentForTest } from "../e2e/agent-script.ts";
import { FACT, SECRET_FILE } from "../e2e/agent-tools.ts";
import { upstreamForTest } from "../provider/for-test.ts";
import type { ProtocolName, Script } from "../provider/index.ts";
import { gatewayForTest } from "./raw-upstream.ts";
import { wireAgents } from "./wire-agent.ts";

const PROTOCOLS: readonly ProtocolName[] = ["anthropic", "openai-chat", "openai-responses"];
const READS = 14;

/**
 * Reads a fact, then much else, and at the end looks for the fact as a model would that no longer
 * sees it: in the folder that its context names.
 */
function recallingScript(): { script: Script; sawFact: () => boolean } {
  let step = 0;
  let isSeen = false;
  const script: Script = ({ messages }) => {
    step += 1;
    const call = (name: string, input: object) => ({
      parts: [{ type: "call" as const, name, input }],
    });
    if (step === 1) return call("read", { path: SECRET_FILE });
    if (step <= READS) return call("read", { path: `src/module-${step}.ts` });
    const said = messages.map(({ text, results }) => [text, ...results.map((one) => one.output)]);
    const all = said.flat().join("\n");
    if (step > READS + 1) return `The code is ${all.includes(FACT) ? FACT : "gone"}.`;
    isSeen = all.includes(FACT);
    const [, folder = "."] = /in the folder (\S+) \./.exec(all) ?? [];
    return call("bash", { command: `grep -rhoE "[a-z]+-[0-9]{4}-[a-z]+" '${folder}' | sort -u` });
  };
  return { script, sawFact: () => isSeen };
}

describe.each(PROTOCOLS)("an agent over %s", (protocol) => {
  it("gets back what left its context, with the tools that it has", async () => {
    const { script, sawFact } = recallingScript();
    const upstream = await upstreamForTest({ script, window: 16_000 });
    const gateway = await gatewayForTest(upstream, { window: 16_000 });
    const { tools, system } = await agentForTest();
    const agent = { system, tools, turns: ["Read all, then tell me the release code."] };
    const answer = await wireAgents[protocol]({ agent, stream: true, url: () => gateway.url });
    expect(sawFact()).toBe(false);
    expect(answer).toBe(`The code is ${FACT}.`);
    expect(upstream.refusals).toEqual([]);
  });
});
