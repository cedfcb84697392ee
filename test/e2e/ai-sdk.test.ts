import { describe, expect, test } from "vitest";
import type { ContextReport, Failure } from "../../src/context/index.ts";
import { aiSdkContext, type AiSdkContext } from "../../src/hooks/ai-sdk/index.ts";
import { agentForTest, STEPS } from "./agent-script.ts";
import { type AiSdkTask, runVersion6, runVersion7 } from "./ai-sdk-agent.ts";
import { upstreamForTest } from "../provider/for-test.ts";
import { runs, sample } from "../property/runs.ts";

const WINDOW = 32_000;
const VERSIONS = [
  { version: "ai 6", run: runVersion6, turn: 0 },
  { version: "ai 7", run: runVersion7, turn: 1 },
];

interface Watched {
  readonly context: AiSdkContext;
  readonly failures: Failure[];
  readonly edits: ContextReport[];
}

function watched(): Watched {
  const context = aiSdkContext({ window: WINDOW });
  const failures: Failure[] = [];
  const edits: ContextReport[] = [];
  context.on("failed", (failure) => void failures.push(failure));
  context.on("prepared", (report) => {
    if (report.action !== "none") edits.push(report);
  });
  return { context, failures, edits };
}

type Way = Pick<AiSdkTask, "provider" | "stream" | "keeps" | "hooks" | "providerOptions"> & {
  readonly steps: number;
};

/** Older models of Anthropic want the thinking of the last turn back, whatever stood before it. */
const BUDGET = { anthropic: { thinking: { type: "enabled", budgetTokens: 1_024 } } };
/** Newer ones want nothing before it changed. */
const ADAPTIVE = { anthropic: { thinking: { type: "adaptive" } } };
/** OpenAI keeps nothing, so reasoning goes back sealed and items have no ids. */
const STATELESS = { openai: { store: false, include: ["reasoning.encrypted_content"] } };

const WAYS: readonly Way[] = [
  { provider: "anthropic", stream: false, steps: STEPS },
  { provider: "responses", stream: true, steps: STEPS },
  { provider: "chat", stream: false, steps: 24, keeps: "whole" },
  { provider: "responses", stream: false, steps: 24, keeps: "whole", hooks: "prepareStep" },
  { provider: "anthropic", stream: true, steps: 24, hooks: "prepareStep" },
  { provider: "chat", stream: true, steps: 24, hooks: "middleware", keeps: "whole" },
  { provider: "anthropic", stream: false, steps: 24, hooks: "middleware", keeps: "whole" },
  { provider: "anthropic", stream: true, steps: 24, keeps: "whole", providerOptions: BUDGET },
  {
    provider: "anthropic",
    stream: false,
    steps: 24,
    hooks: "prepareStep",
    providerOptions: BUDGET,
  },
  { provider: "anthropic", stream: false, steps: 24, keeps: "whole", providerOptions: ADAPTIVE },
  { provider: "compatible", stream: true, steps: 24 },
  { provider: "compatible", stream: false, steps: 24, hooks: "middleware", keeps: "whole" },
  { provider: "responses", stream: false, steps: 24, keeps: "whole", providerOptions: STATELESS },
  { provider: "responses", stream: true, steps: 24, providerOptions: STATELESS },
];

/** In `npm test` each version goes other ways. */
const EVERY = runs(7, 1);

describe.each(VERSIONS)("$version", ({ run, turn }) => {
  test.each(WAYS.filter((_, at) => at % EVERY === turn % EVERY))(
    "an agent ends in a small window: $provider, $steps steps, stream $stream, $hooks, $keeps, $providerOptions",
    { timeout: 180_000 },
    async ({ steps, ...way }) => {
      const isOlder = way.providerOptions === BUDGET;
      const alwaysThinks = isOlder || way.provider === "compatible";
      const agent = await agentForTest({ steps, alwaysThinks });
      const upstream = await upstreamForTest({
        script: agent.script,
        window: WINDOW,
        prefixCheck: !isOlder,
        ...(way.provider === "compatible" && { server: "deepseek" as const }),
      });
      const { context, failures, edits } = watched();
      const modelId = isOlder ? "claude-sonnet-4-5" : "scripted";
      const answer = await run({ ...way, modelId, url: upstream.url, agent, context });
      await context.close();
      expect(upstream.refusals).toEqual([]);
      expect(failures).toEqual([]);
      expect(agent.problems).toEqual([]);
      expect(agent.knows(answer)).toBe(true);
      expect(agent.answered).toBeGreaterThanOrEqual(steps + 3);
      expect(edits.length).toBeGreaterThan(steps / 20);
    },
  );

  test.each(sample(["anthropic", "chat", "responses"] as const, 1))(
    "without Longhaul it fails: %s",
    async (provider) => {
      for (const stream of [false, true]) {
        const agent = await agentForTest();
        const upstream = await upstreamForTest({ script: agent.script, window: WINDOW });
        await expect(run({ url: upstream.url, provider, stream, agent })).rejects.toThrow(
          /too long|context/,
        );
        expect(upstream.rejected).toBe(1);
        expect(upstream.requests.at(-1)?.outcome).toBe("overflow");
      }
    },
  );
});

/** What switches the provider's own management on; version 6 of OpenAI's provider has nothing. */
const MANAGED = {
  anthropic: {
    anthropic: { contextManagement: { edits: [{ type: "clear_tool_uses_20250919" }] } },
  },
  responses: {
    openai: { contextManagement: [{ type: "compaction", compactThreshold: 20_000 }] },
  },
};

test.each([
  { version: "ai 6", run: runVersion6, provider: "anthropic", hooks: "both" },
  { version: "ai 6", run: runVersion6, provider: "anthropic", hooks: "prepareStep" },
  { version: "ai 7", run: runVersion7, provider: "anthropic", hooks: "both" },
  { version: "ai 7", run: runVersion7, provider: "responses", hooks: "middleware" },
] as const)(
  "it stands back where the provider manages the conversation: $version, $provider, $hooks",
  async ({ run, provider, hooks }) => {
    const agent = await agentForTest({ steps: 24 });
    const upstream = await upstreamForTest({ script: agent.script, window: WINDOW });
    const { context, failures, edits } = watched();
    const way = { url: upstream.url, provider, stream: false, agent, context, hooks };
    const managed = run({ ...way, providerOptions: MANAGED[provider] });
    await expect(managed).rejects.toThrow(/too long|context/);
    expect(upstream.requests[0]?.body).toHaveProperty("context_management");
    expect(edits).toEqual([]);
    expect(failures.map(({ code }) => code)).toEqual(["managed-elsewhere"]);
  },
);
