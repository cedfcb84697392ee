/**
 * How long a client waits for the answer to its own compaction: `npx tsx bench/gateway/answer.ts
 * [SESSIONS] [FOLDER]`. Recorded sessions as one request each to a gateway with `--compaction answer`,
 * over HTTP: first to one that has never seen the session, then again.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { anthropic } from "../../src/dialects/index.ts";
import { startGateway } from "../../src/gateway/server.ts";
import { figure, markdownTable, publish } from "../speed/table.ts";
import { longestSessions, requestsOf, type Session } from "./sessions.ts";

const ASKED =
  "Your task is to create a detailed summary of the conversation so far, paying close attention.";

interface Took {
  readonly ms: number;
  /** Of client and gateway together, which are one process here. */
  readonly cpuMs: number;
  readonly length: number;
}

async function answered(url: string, name: string, body: string): Promise<Took> {
  const [began, before] = [performance.now(), process.cpuUsage()];
  const headers = { "content-type": "application/json", "x-longhaul-conversation": name };
  const answer = await fetch(`${url}/v1/messages`, { method: "POST", headers, body });
  const { length } = await answer.text();
  if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
  const { user, system } = process.cpuUsage(before);
  return { ms: performance.now() - began, cpuMs: (user + system) / 1_000, length };
}

/** The history at its last request, and the words that ask for a summary of it. */
function bodyOf(session: Session): string {
  const list = session.messages.slice(0, requestsOf(session).at(-1));
  const { system, messages } = anthropic.encode(list);
  const asked = { role: "user", content: ASKED };
  const own = { model: "claude-sonnet-5", max_tokens: 8_000, tools: [], system };
  return JSON.stringify({ ...own, messages: [...messages, asked] });
}

const archive = mkdtempSync(path.join(tmpdir(), "longhaul-answer-"));
// Nobody is asked: every request is answered here.
const nobody = "http://127.0.0.1:9";
const gateway = await startGateway({
  port: 0,
  anthropic: nobody,
  openai: nobody,
  archive,
  compaction: "answer",
});
const rows: string[][] = [];
for (const session of await longestSessions(Number(process.argv[2] ?? 12), process.argv[3])) {
  const body = bodyOf(session);
  const first = await answered(gateway.url, session.name, body);
  const again: Took[] = [];
  for (let left = 5; left > 0; left--) again.push(await answered(gateway.url, session.name, body));
  rows.push([
    session.name,
    String(session.messages.length),
    figure(body.length / 1_000),
    figure(first.ms),
    figure(Math.min(...again.map(({ ms }) => ms))),
    figure(Math.min(...again.map(({ cpuMs }) => cpuMs))),
    figure(first.length / 1_000),
  ]);
}
gateway.abort();
await gateway.close();
rmSync(archive, { recursive: true, force: true });
const head = ["session", "messages", "kB", "first, ms", "again, ms", "CPU ms", "answer, kB"];
publish("gateway-answer", markdownTable(head, rows));
