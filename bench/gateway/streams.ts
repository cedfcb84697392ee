/**
 * What a gateway costs while many streams go on: `npx tsx bench/gateway/streams.ts [STREAMS] [SECONDS]`.
 * Each stream is an answer with an event every 100 ms, which says when it was sent. Client, provider,
 * gateway and a bare pass-through of Node's own parts are processes of their own; the pass-through has
 * as many streams at the same time, so that both stand under the same load. Then the gateway's memory:
 * after conversations that wait for their next request, and with one that is just looked into, or too
 * large for it, read after a collection; the peak is the system's own figure.
 */
import { mkdtempSync, rmSync } from "node:fs";
import * as http from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { quantile } from "../speed/measure.ts";
import { markdownTable, publish } from "../speed/table.ts";
import { agent, firstByte, type Part, requestText, startPart } from "./parts.ts";

const streams = Number(process.argv[2] ?? 200);
const seconds = Number(process.argv[3] ?? 60);
const EVERY_MS = 100;
const STALL_MS = 250;
/** All streams begin within a second; so long that may be felt. */
const BEGIN_SECONDS = Math.min(5, seconds / 2);
const IDLE = 1_000;
const WINDOW = 100_000_000;

/** Of one event: the milliseconds from the provider to the client. */
type Hear = (delay: number) => void;

function now(): number {
  return performance.timeOrigin + performance.now();
}

/** Resolves when the answer has ended as it should. */
function follow(url: string, text: string, hear: Hear): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "x-api-key": "key" };
    const request = http.request(`${url}/v1/messages`, { method: "POST", headers, agent });
    request.on("error", reject).on("response", (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`answered ${answer.statusCode}`));
      let rest = "";
      answer.setEncoding("utf8").on("data", (piece: string) => {
        const at = now();
        const events = (rest + piece).split("\n\n");
        rest = events.pop() ?? "";
        for (const event of events) {
          const sent = / at=([\d.]+) /.exec(event)?.[1];
          if (sent !== undefined) hear(at - Number(sent));
        }
      });
      answer.on("end", resolve).on("error", reject);
    });
    request.end(text);
  });
}

interface Run {
  readonly name: string;
  /** While the streams begin: so many seconds; then the rest. */
  readonly begin: readonly number[];
  readonly rest: readonly number[];
  /** At the start, in the middle, at the end and at most, in bytes. */
  readonly rss: readonly number[];
  readonly cpuMs: readonly number[];
  /** The longest that its loop stood still. */
  readonly lagMs: readonly number[];
}

/** A first request loads code, here through tsx, whose loader stops the loop; it is not what is measured. */
async function warm(url: string): Promise<void> {
  const stop = new AbortController();
  const body = requestText({ messages: 11, bytes: 10_000, seed: "warm-" }, 0);
  const headers = { "content-type": "application/json", "x-api-key": "key" };
  const options = { method: "POST", headers, body, signal: stop.signal };
  const answer = await fetch(`${url}/v1/messages`, options);
  await answer.body?.getReader().read();
  stop.abort();
}

/** All streams begin within a second, as nobody's agents begin on the same millisecond. */
async function run(name: string, part: Part): Promise<Run> {
  const [begin, rest]: [number[], number[]] = [[], []];
  let heard = begin;
  await warm(part.url);
  const before = await part.state();
  const all = Promise.all(
    Array.from({ length: streams }, async (_, at) => {
      const text = requestText({ messages: 11, bytes: 10_000, seed: `s${at}-` }, 0);
      await sleep((at * 1_000) / streams);
      await follow(part.url, text, (delay) => heard.push(delay));
    }),
  );
  await sleep(BEGIN_SECONDS * 1_000);
  heard = rest;
  const begun = await part.state();
  await sleep(seconds * 500 - BEGIN_SECONDS * 1_000);
  const middle = await part.state();
  await all;
  const after = await part.state();
  return {
    name,
    begin,
    rest,
    rss: [before.rss, middle.rss, after.rss, after.peakRss],
    cpuMs: [begun.cpuMs - before.cpuMs, after.cpuMs - begun.cpuMs],
    lagMs: [begun.lagMs, Math.max(middle.lagMs, after.lagMs)],
  };
}

const mb = (bytes: number): string => (bytes / 1e6).toFixed(0);

function streamsTable(runs: readonly Run[]): string {
  const rows = runs.flatMap(({ name, begin, rest, rss, cpuMs, lagMs }) =>
    [begin, rest].map((delays, at) => [
      `${name}, ${at === 0 ? `the first ${BEGIN_SECONDS} s` : "then"}`,
      String(delays.length),
      ...[0.5, 0.99, 1].map((share) => quantile(delays, share).toFixed(1)),
      String(delays.filter((delay) => delay > STALL_MS).length),
      ((cpuMs[at] ?? 0) / 1_000).toFixed(1),
      (lagMs[at] ?? 0).toFixed(0),
      at === 0 ? "" : rss.map(mb).join(", "),
    ]),
  );
  const head = [
    `${streams} streams of ${seconds} s through`,
    "events",
    "delay ms, p50",
    "p99",
    "most",
    `over ${STALL_MS} ms`,
    "CPU s",
    "its loop stood, ms",
    "RSS MB: start, middle, end, peak",
  ];
  return markdownTable(head, rows);
}

/** A gateway of its own, so that nothing else is in its memory. */
async function memory(
  name: string,
  requests: Iterable<string>,
  to: string,
): Promise<readonly string[]> {
  const archive = mkdtempSync(path.join(tmpdir(), "longhaul-streams-"));
  const part = await startPart("gateway", { to, archive, window: WINDOW });
  const { rss: before } = await part.state("collected");
  for (const text of requests) await firstByte(part.url, text);
  const { rss: right, peakRss } = await part.state("collected");
  await sleep(3_000);
  const { rss: later } = await part.state("collected");
  await part.end();
  rmSync(archive, { recursive: true, force: true });
  return [name, mb(before), mb(peakRss), mb(right), mb(later)];
}

function* idle(): Generator<string> {
  for (let at = 0; at < IDLE; at++)
    yield requestText({ messages: 51, bytes: 50_000, seed: `idle${at}-` }, 0);
}

function* large(bytes: number): Generator<string> {
  yield requestText({ messages: 2_001, bytes, seed: "large-" }, 0);
}

async function streamRuns(): Promise<readonly Run[]> {
  const archive = mkdtempSync(path.join(tmpdir(), "longhaul-streams-"));
  const provider = await startPart("provider", { lastsMs: seconds * 1_000, everyMs: EVERY_MS });
  const to = provider.url;
  const bare = await startPart("bare", { to });
  const gateway = await startPart("gateway", { to, archive });
  const runs = await Promise.all([run("bare pass-through", bare), run("longhaul", gateway)]);
  await Promise.all([bare, gateway, provider].map((part) => part.end()));
  rmSync(archive, { recursive: true, force: true });
  return runs;
}

const table = streamsTable(await streamRuns());
const quick = await startPart("provider");
const held = [
  await memory(`${IDLE} conversations of 50 KB that wait`, idle(), quick.url),
  await memory("one of 60 MB", large(60e6), quick.url),
  await memory("one of 100 MB, which passes unread", large(100e6), quick.url),
];
await quick.end();
agent.destroy();
const head = ["the gateway's memory, MB RSS", "before", "peak", "after", "3 s later"];
publish("gateway-streams", `${table}\n\n${markdownTable(head, held)}`);
