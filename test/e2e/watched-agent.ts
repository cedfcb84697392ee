import { expect } from "vitest";
import type { Context, ContextReport, Failure } from "../../src/context/index.ts";
import { agentForTest, type ScriptedAgent } from "./agent-script.ts";
import { upstreamForTest } from "../provider/for-test.ts";
import type { Upstream, UpstreamOptions } from "../provider/index.ts";

/** The scripted agent, the server that answers it, and what the contexts between them told. */
export interface WatchedAgent {
  readonly agent: ScriptedAgent;
  readonly server: Upstream;
  readonly reports: ContextReport[];
  readonly failures: Failure[];
  /** Listens to a context. */
  readonly watch: (context: Pick<Context, "on">) => void;
}

/** An agent of so many steps, and a server for it that ends with the test. */
export async function watchedAgent(
  steps: number,
  options: Omit<UpstreamOptions, "script">,
): Promise<WatchedAgent> {
  const agent = await agentForTest({ steps });
  const server = await upstreamForTest({ ...options, script: agent.script });
  const reports: ContextReport[] = [];
  const failures: Failure[] = [];
  return {
    agent,
    server,
    reports,
    failures,
    watch(context) {
      context.on("prepared", (report) => void reports.push(report));
      context.on("failed", (failure) => void failures.push(failure));
    },
  };
}

/** The agent got to its end through several compactions, and nobody refused or missed anything. */
export function expectFinished(watched: WatchedAgent, answer: string): void {
  const { server, agent, reports, failures } = watched;
  expect(server.refusals).toEqual([]);
  expect(server.rejected).toBe(0);
  expect(agent.problems).toEqual([]);
  expect(failures).toEqual([]);
  expect(agent.knows(answer)).toBe(true);
  expect(reports.filter(({ action }) => action === "compact").length).toBeGreaterThan(1);
}
