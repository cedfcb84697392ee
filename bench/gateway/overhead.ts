/**
 * What a gateway adds to the time until the first byte: `npx tsx bench/gateway/overhead.ts [RUNS]`. The
 * provider answers at once; beside the gateway stands a bare pass-through of Node's own parts.
 */
import * as http from "node:http";
import { mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { startGateway } from "../../src/gateway/server.ts";
import { quantile } from "../speed/measure.ts";
import { markdownTable, publish } from "../speed/table.ts";

const runs = Number(process.argv[2] ?? 100);
const agent = new http.Agent({ keepAlive: true });

async function listening(server: http.Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A provider that streams two events as soon as it has the whole request. */
function provider(): http.Server {
  const start = { type: "message_start", message: { usage: { input_tokens: 1_000 } } };
  const delta = { type: "content_block_delta", delta: { type: "text_delta", text: "Done." } };
  return http.createServer((request, response) => {
    request.resume().on("end", () => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const event of [start, delta]) response.write(`data: ${JSON.stringify(event)}\n\n`);
      response.end();
    });
  });
}

/** The least that stands between a client and a provider. */
function bare(to: string): http.Server {
  return http.createServer((request, response) => {
    const { method, headers, url } = request;
    const made = http.request(to + (url ?? ""), { method, headers, agent }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      void pipeline(answer, response);
    });
    void pipeline(request, made);
  });
}

/** A history of so many messages and bytes, with calls and their results. */
function body(messages: number, bytes: number, seed: string): string {
  const text = "line of some output, number 12345\n".repeat(Math.ceil(bytes / messages / 34));
  const list: object[] = [{ role: "user", content: `Task ${seed}: read all of it.` }];
  for (let at = 0; list.length < messages - 1; at++) {
    const id = `toolu_${seed}${at}`;
    const call = { type: "tool_use", id, name: "read", input: { path: `src/${at}.ts` } };
    const content = [{ type: "tool_result", tool_use_id: id, content: `${at}\n${text}` }];
    list.push({ role: "assistant", content: [call] }, { role: "user", content });
  }
  return JSON.stringify({
    model: "claude-opus-4-6",
    max_tokens: 1_000,
    stream: true,
    messages: list,
  });
}

/** Milliseconds until the first byte of the answer. */
function firstByte(url: string, text: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(text),
    };
    const options = { method: "POST", headers, agent };
    const request = http.request(`${url}/v1/messages`, options, (answer) => {
      answer.once("data", () => {
        const took = performance.now() - began;
        answer.resume().once("end", () => resolve(took));
      });
    });
    request.on("error", reject);
    request.end(text);
  });
}

interface Row {
  readonly name: string;
  readonly text: string;
  readonly window: number;
}

const rows: readonly Row[] = [
  { name: "10 KB", text: body(11, 10_000, "a"), window: 1_000_000 },
  { name: "500 KB", text: body(201, 500_000, "b"), window: 1_000_000 },
  { name: "2 MB", text: body(801, 2_000_000, "c"), window: 4_000_000 },
  { name: "4,000 messages of 2 MB, edited", text: body(4_001, 2_000_000, "d"), window: 200_000 },
];

const upstream = provider();
const to = await listening(upstream);
const passing = bare(to);
const plain = await listening(passing);
const archive = mkdtempSync(path.join(tmpdir(), "longhaul-gateway-bench-"));

async function measure({ name, text, window }: Row): Promise<readonly string[]> {
  const gateway = await startGateway({ port: 0, anthropic: to, archive, window });
  const times: Record<"direct" | "plain" | "gateway", number[]> = {
    direct: [],
    plain: [],
    gateway: [],
  };
  for (let run = 0; run < runs + 5; run++) {
    const [direct, passed, own] = [
      await firstByte(to, text),
      await firstByte(plain, text),
      await firstByte(gateway.url, text),
    ];
    // The first ones load code, and make the edit.
    if (run < 5) continue;
    times.direct.push(direct);
    times.plain.push(passed);
    times.gateway.push(own);
  }
  const cpu = process.cpuUsage();
  for (let run = 0; run < 20; run++) await firstByte(gateway.url, text);
  const { user, system } = process.cpuUsage(cpu);
  gateway.abort();
  await gateway.close();
  const base = quantile(times.direct, 0.5);
  const added = (list: readonly number[], share: number): string =>
    (quantile(list, share) - base).toFixed(1);
  return [
    name,
    added(times.plain, 0.5),
    added(times.plain, 0.99),
    added(times.gateway, 0.5),
    added(times.gateway, 0.99),
    ((user + system) / 20_000).toFixed(1),
  ];
}

const lines: (readonly string[])[] = [];
for (const row of rows) lines.push(await measure(row));
const head = [
  "added ms",
  "bare p50",
  "bare p99",
  "gateway p50",
  "gateway p99",
  "CPU ms, all three parts",
];
publish("gateway", markdownTable(head, lines));
rmSync(archive, { recursive: true, force: true });
agent.destroy();
for (const server of [upstream, passing]) server.close();
