/**
 * What a provider would charge with the gateway and without it: `npx tsx bench/gateway/bill.ts [SESSIONS]
 * [FOLDER]`. Recorded sessions are sent request by request, as agents send them, through a real gateway
 * over HTTP. The provider counts what arrives and keeps a cache by the rules of `src/simulate/cache.ts`;
 * prices are those of `longhaul cost`. Answers cost the same either way, and are left out.
 */
import { mkdtempSync, rmSync } from "node:fs";
import * as http from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { priceOf } from "../../src/cli/money/spent.ts";
import { estimator } from "../../src/core/tokens/estimator.ts";
import type { Message } from "../../src/core/message/index.ts";
import { anthropic, openaiChat } from "../../src/dialects/index.ts";
import type { EpochTime } from "../../src/gateway/options.ts";
import { startGateway } from "../../src/gateway/server.ts";
import {
  CACHE_RULES,
  type CachePiece,
  type CacheUse,
  costOf,
  createCache,
  type PromptCache,
} from "../../src/simulate/index.ts";
import { median } from "../speed/measure.ts";
import { markdownTable, publish } from "../speed/table.ts";
import { longestSessions, requestsOf, type Session } from "./sessions.ts";

/** What agents ask an answer to hold at most; the provider wants that much room beside the prompt. */
const MAX_OUTPUT = 8_000;
const most = Number(process.argv[2] ?? 30);
const WINDOWS: readonly number[] = [200_000, 100_000, 64_000];

/** What a provider charges for: its wire, its cache, its model. */
interface Provider {
  readonly name: string;
  readonly path: string;
  readonly model: string;
  readonly rules: (typeof CACHE_RULES)[number];
  bodyOf(messages: readonly Message[]): object;
}

interface Body {
  readonly system?: unknown;
  readonly messages: readonly { readonly content?: unknown }[];
}

const [ANTHROPIC, OPENAI] = CACHE_RULES;
const providers: readonly Provider[] = [
  {
    name: "Anthropic",
    path: "/v1/messages",
    model: "claude-sonnet-5",
    rules: ANTHROPIC,
    bodyOf: (messages) => ({ max_tokens: MAX_OUTPUT, ...marked(anthropic.encode(messages)) }),
  },
  {
    name: "OpenAI",
    path: "/v1/chat/completions",
    model: "gpt-5.5",
    rules: OPENAI,
    bodyOf: (messages) => ({
      max_completion_tokens: MAX_OUTPUT,
      messages: openaiChat.encode(messages),
    }),
  },
];

/** As agents mark their requests: the end of it. */
function marked({ system, messages }: ReturnType<typeof anthropic.encode>): object {
  const last = messages.at(-1);
  const content =
    typeof last?.content === "string"
      ? [{ type: "text", text: last.content }]
      : (last?.content ?? []);
  const cache_control = { type: "ephemeral" };
  const blocks = content.map((block, at) =>
    at === content.length - 1 ? { ...block, cache_control } : block,
  );
  return { system, messages: [...messages.slice(0, -1), { ...last, content: blocks }] };
}

const counts = new Map<string, CachePiece>();

/** A message as the cache sees it: marks are no part of what it says. */
function pieceOf(value: unknown): CachePiece {
  const isMark = (key: string): boolean => key === "cache_control";
  const text = JSON.stringify(value, (key, one: unknown) => (isMark(key) ? undefined : one));
  const { content } = value as { readonly content?: unknown };
  const plain =
    typeof content === "string"
      ? JSON.stringify({ ...(value as object), content: [{ type: "text", text: content }] })
      : text;
  const known = counts.get(plain);
  if (known === undefined) {
    const tokens = estimator.count(text);
    counts.set(plain, {
      key: String(counts.size),
      tokens,
      blocks: Array.isArray(content) ? content.length : 1,
    });
  }
  const piece = counts.get(plain) as CachePiece;
  return { ...piece, isMarked: JSON.stringify(value).includes('"cache_control"') };
}

function sent(cache: PromptCache, text: string, time: number | undefined): CacheUse {
  const { system, messages } = JSON.parse(text) as Body;
  const all = system === undefined ? messages : [{ content: system }, ...messages];
  return cache.send(all.map(pieceOf), time);
}

const priceAt = (model: string): ReturnType<typeof priceOf> =>
  priceOf({ model, day: "2026-11-23", band: 0 });

interface Bill {
  read: number;
  written: number;
  fresh: number;
}

function dollars(bill: Bill, { model }: Provider): number {
  const price = priceAt(model);
  if (price === undefined) throw new Error(`No price is known for ${model}.`);
  return costOf({ ...bill, output: 0 }, price);
}

function add(bill: Bill, { read, written, fresh }: CacheUse): void {
  bill.read += read;
  bill.written += written;
  bill.fresh += fresh;
}

interface Played {
  readonly direct: number;
  readonly through: number;
  readonly edits: number;
  readonly violations: number;
  readonly refused: number;
  readonly largest: number;
  /** What the receipts say was saved. */
  readonly reckoned: number;
}

async function play(session: Session, provider: Provider, window: number): Promise<Played> {
  const [own, behind] = [createCache(provider.rules), createCache(provider.rules)];
  const [direct, through]: [Bill, Bill] = [
    { read: 0, written: 0, fresh: 0 },
    { read: 0, written: 0, fresh: 0 },
  ];
  let time: number | undefined;
  let refused = 0;
  const upstream = http.createServer((request, response) => {
    const pieces: Buffer[] = [];
    request
      .on("data", (piece: Buffer) => pieces.push(piece))
      .on("end", () => {
        const use = sent(behind, Buffer.concat(pieces).toString(), time);
        if (use.read + use.written + use.fresh + MAX_OUTPUT > window) refused += 1;
        add(through, use);
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify(answer(provider, use)));
      });
  });
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  const archive = mkdtempSync(path.join(tmpdir(), "longhaul-bill-"));
  const gateway = await startGateway({
    port: 0,
    anthropic: url,
    openai: `${url}/v1`,
    archive,
    window,
    priceOf: priceAt,
    ...(process.env["BILL_EPOCHS"] !== undefined && {
      epochs: process.env["BILL_EPOCHS"] as EpochTime,
    }),
  });
  let largest = 0;
  const { messages } = session;
  // Caches go cold as they did then.
  Date.now = () => time ?? 0;
  for (const at of requestsOf(session)) {
    time = messages[at]?.time ?? time;
    const body = { model: provider.model, tools: [], ...provider.bodyOf(messages.slice(0, at)) };
    const text = JSON.stringify(body);
    const use = sent(own, text, time);
    largest = Math.max(largest, use.read + use.written + use.fresh);
    add(direct, use);
    const options = {
      method: "POST",
      body: text,
      headers: { "content-type": "application/json", "x-longhaul-conversation": session.name },
    };
    const got = await fetch(gateway.url + provider.path, options);
    await got.text();
    if (!got.ok) throw new Error(`${session.name}: ${got.status}`);
  }
  const { counted } = gateway.metrics;
  const result = {
    direct: dollars(direct, provider),
    through: dollars(through, provider),
    edits: counted("planned_edits"),
    violations: counted("prefix_violations"),
    refused,
    largest,
    reckoned: gateway.metrics.savedDollars(),
  };
  gateway.abort();
  await gateway.close();
  upstream.close();
  rmSync(archive, { recursive: true, force: true });
  return result;
}

function answer({ name }: Provider, { read, written, fresh }: CacheUse): object {
  if (name === "Anthropic") {
    const usage = {
      input_tokens: fresh,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: written,
      output_tokens: 1,
    };
    return {
      type: "message",
      role: "assistant",
      content: [{ type: "text", text: "ok" }],
      stop_reason: "end_turn",
      usage,
    };
  }
  const usage = {
    prompt_tokens: read + written + fresh,
    completion_tokens: 1,
    prompt_tokens_details: { cached_tokens: read },
  };
  return {
    object: "chat.completion",
    choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }],
    usage,
  };
}

const sessions = await longestSessions(most, process.argv[3]);
const rows: string[][] = [];
for (const provider of providers) {
  for (const window of WINDOWS) {
    const played: Played[] = [];
    for (const session of sessions) {
      const one = await play(session, provider, window);
      played.push(one);
      if (process.env["BILL_ALL"] !== undefined || one.through > one.direct * 1.0005) {
        console.error(provider.name, window, session.name, session.messages.length, one);
      }
    }
    const groups = [
      played.filter(({ largest }) => largest + MAX_OUTPUT <= window),
      played.filter(({ largest }) => largest + MAX_OUTPUT > window),
    ];
    for (const [at, group] of groups.entries()) {
      const savings = group.map(({ direct, through }) => 1 - through / direct);
      const sum = (pick: (one: Played) => number): number =>
        group.reduce((all, one) => all + pick(one), 0);
      const saved = sum(({ direct, through }) => direct - through);
      const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
      rows.push([
        `${provider.name}, ${window / 1_000}k, ${at === 0 ? "fit" : "too long"}`,
        String(group.length),
        `$${sum(({ direct }) => direct).toFixed(2)}`,
        `$${sum(({ through }) => through).toFixed(2)}`,
        group.length === 0 ? "-" : percent(median(savings)),
        group.length === 0 ? "-" : percent(Math.min(...savings)),
        String(savings.filter((saving) => saving < -0.0005).length),
        String(sum(({ edits }) => edits)),
        String(sum(({ violations }) => violations)),
        String(sum(({ refused }) => refused)),
        saved === 0 ? "-" : percent(sum(({ reckoned }) => reckoned) / saved),
      ]);
    }
  }
}
const head = [
  "provider, window, sessions that",
  "sessions",
  "direct",
  "through",
  "saved, median",
  "least",
  "dearer",
  "edits",
  "violations",
  "refused",
  "receipts, of what was saved",
];
publish("gateway-bill", markdownTable(head, rows));
