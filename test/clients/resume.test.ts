import { existsSync, mkdirSync, mkdtempSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { SESSION_AGENTS, type SessionAgent } from "../../src/resume/write-session.ts";
import { startUpstream, type Upstream, type ViewMessage } from "../provider/index.ts";
import { CLIENTS, clients, homeEnv, run, runClient } from "./clients.ts";

const MAIN = path.resolve("test/.built/main.js");
const FIRST = "BEGIN: do the six steps, and never touch the file secret.txt";
const NEXT = "GO ON: ten more steps";

/** Long outputs in six steps after the first prompt, and in ten after the next one. */
async function startScripted(agent: SessionAgent): Promise<Upstream> {
  const { tool } = clients[agent];
  return startUpstream({
    script: ({ tools, messages }) => {
      if (!tools.some(({ name }) => name === tool.name)) return "A title";
      const from = messages.findLastIndex(isPrompt);
      const step = messages.slice(from).flatMap(({ results }) => results).length + 1;
      if (step > (messages[from]?.text.includes("GO ON") === true ? 10 : 6)) return "All is done.";
      const command = `seq 1 600 | sed 's/^/line of step ${step} number /'; echo FACT-${step}`;
      const call = { type: "call" as const, name: tool.name, input: tool.input(command) };
      return { parts: [{ type: "text", text: `Step ${step}.` }, call] };
    },
  });
}

/** What Qwen Code sends beside the messages takes 18,000 tokens. */
function windowOf(agent: SessionAgent): string {
  return agent === "qwen-code" ? "64k" : "32k";
}

function isPrompt({ role, text }: ViewMessage): boolean {
  return role === "user" && /BEGIN|GO ON/.test(text);
}

describe.each(SESSION_AGENTS)("%s goes on with a session that was compacted", (agent) => {
  const isInstalled = existsSync(path.join(CLIENTS, clients[agent].folder));

  it.skipIf(!isInstalled)("is sent summary, tail and prompt, and works on", async () => {
    const home = mkdtempSync(path.join(os.tmpdir(), `longhaul-${agent}-`));
    const cwd = path.join(home, "work");
    mkdirSync(cwd);
    const upstream = await startScripted(agent);
    try {
      const place = { home, cwd, upstream };
      clients[agent].configure(place);
      const first = await runClient(agent, place, FIRST);
      expect(first).toMatchObject({ code: 0 });

      const args = [MAIN, "resume", "--last", "--force", "--json"];
      const env = { ...homeEnv(home), LONGHAUL_HOME: path.join(home, "state") };
      const resumed = await run(process.execPath, [...args, "--window", windowOf(agent)], {
        cwd,
        env,
      });
      expect(resumed).toMatchObject({ code: 0 });
      const told = JSON.parse(resumed.stdout);
      expect(told).toMatchObject({ agent, action: "compact", importCommand: null });

      // The words of our command are among those that the real program is started with.
      const session = { id: told.sessionId, path: told.written };
      const started = [told.command[0], ...clients[agent].args(NEXT, session)];
      expect(started).toEqual(expect.arrayContaining(told.promptCommand));

      const before = upstream.requests.length;
      const next = await runClient(agent, place, NEXT, session);
      expect(next).toMatchObject({ code: 0 });
      expect(next.stdout).toContain("All is done.");
      expect(upstream.refusals).toEqual([]);

      const requests = upstream.requests.slice(before).filter(({ view }) => view?.tools.length);
      expect(requests).toHaveLength(11);
      const [request] = requests;
      const sent = request?.view?.messages ?? [];
      const said = sent.map(({ text }) => text).join("\n");
      expect(said.match(/<prior-conversation-summary/g)).toHaveLength(1);
      expect(said).toContain("never touch the file secret.txt");
      expect(said).toContain(NEXT);
      const outputs = sent.flatMap(({ results }) => results.map(({ output }) => output));
      expect(outputs.at(-1)).toContain("FACT-6");
      expect(outputs.join("\n")).not.toMatch(/FACT-[1-4]\b/);
    } finally {
      await upstream.close();
    }
  });
});
