import { existsSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { PRICE_LISTS } from "../../src/cli/money/prices.ts";
import { priceOf, type Spent, spentIn, usesOf } from "../../src/cli/money/spent.ts";
import { runProgram } from "../../src/cli/program.ts";
import type { RequestUsage } from "../../src/transcripts/index.ts";
import { recording, RECORDINGS } from "../recordings.ts";
import { capturedIo, type CapturedIo } from "./captured-io.ts";
import { temporaryFolder } from "./run-cli.ts";

const TIME = new Date("2026-11-20T12:00").getTime();
const DAY_MS = 86_400_000;

const request = (more: Partial<RequestUsage> = {}): RequestUsage => ({
  time: TIME,
  model: "claude-opus-4-6",
  usage: { input: 1_000_000, output: 100_000, cacheRead: 2_000_000, cacheWrite: 400_000 },
  ...more,
});

describe("what requests cost", () => {
  it("adds up tokens, and money by each kind's own price", () => {
    const uses = usesOf([request(), request({ cacheWriteHour: 400_000 })]);
    const spent = spentIn(uses);
    expect(spent).toMatchObject({ requests: 2, input: 2e6, cacheRead: 4e6, output: 2e5 });
    const both = 2 * (5 + 0.1 * 25 + 2 * 0.5);
    expect(spent.cost).toBeCloseTo(both + 0.4 * 6.25 + 0.4 * 10, 9);
  });

  it("believes the agent's own reckoning, and counts unknown models in tokens only", () => {
    const uses = usesOf([
      request({ cost: 0.5, model: "something-new" }),
      request({ model: "something-new" }),
    ]);
    expect(spentIn(uses)).toMatchObject({
      cost: 0.5,
      unpriced: 3_500_000,
      unpricedModels: ["something-new"],
    });
    const own = { "something-new": { input: 1, output: 1, cacheRead: 1 } };
    expect(spentIn(uses, own).cost).toBeCloseTo(4, 9);
    expect(spentIn(usesOf([request({ model: "something-new" })])).cost).toBeUndefined();
  });

  it("prices a request by its size and its day", () => {
    const haiku = (input: number) =>
      spentIn(usesOf([request({ model: "claude-haiku-5-5", usage: { input, output: 0 } })])).cost;
    expect(haiku(100_000)).toBeCloseTo(0.01, 9);
    expect(haiku(200_000)).toBeCloseTo(0.1, 9);
    const readOn = (day: string) =>
      priceOf({ model: "claude-sonnet-5-5-20260901", day, band: 0 })?.cacheRead;
    expect([readOn("2026-10-06"), readOn("2026-10-07")]).toEqual([0.2, 0.1]);
  });

  it.each([
    ["claude-opus-4-20250514", 15],
    ["claude-opus-4-1-20250805", 15],
    ["claude-opus-4-5-20251101", 5],
    ["anthropic/claude-opus-4.8", 5],
    ["claude-opus-5[1m]", 5],
    ["claude-opus-5-5", 4],
    ["claude-fable-5", 10],
    ["claude-3-5-haiku-20241022", 0.8],
    ["claude-sonnet-4-5-20250929", 3],
    ["claude-sonnet-5", 2],
    ["gpt-5-codex", 1.25],
    ["gpt-5.1-codex-max", 1.25],
    ["gpt-5.1-codex-mini", undefined],
    ["gpt-5.3-codex", 1.75],
    ["gpt-5.4-mini", 0.75],
    ["gpt-5.4-pro", undefined],
    ["gpt-5", 1.25],
    ["gpt-50", undefined],
    ["google/gemini-3.1-pro-preview", 2],
    ["gemini-2.5-pro", undefined],
  ])("knows %s", (model, input) => {
    expect(priceOf({ model, day: "2026-11-20", band: 0 })?.input).toBe(input);
  });

  it("names the page and the day of every price", () => {
    for (const { page, read, rows } of PRICE_LISTS) {
      expect(new URL(page).protocol).toBe("https:");
      expect(Date.parse(read)).toBeGreaterThan(Date.parse("2026-01-01"));
      for (const { price, long } of rows) {
        for (const one of [price, long?.price ?? price]) {
          expect(one.cacheRead).toBeLessThan(one.input);
          expect(one.input).toBeLessThan(one.output);
        }
      }
    }
  });
});

describe("longhaul cost", () => {
  let home: string;
  let io: CapturedIo;
  beforeEach(() => {
    home = temporaryFolder();
  });

  const put = (name: string, data: string | Uint8Array): void => {
    const file = path.join(home, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, data);
  };
  interface Costs {
    readonly total: Spent;
    readonly rows: readonly (Spent & { readonly name: string })[];
    readonly compacted: { readonly times: number; readonly tokens: number };
  }
  const cost = async (...args: readonly string[]): Promise<Costs> => {
    io = capturedIo({ env: { HOME: home, LONGHAUL_HOME: path.join(home, "lh") }, cwd: home });
    expect(await runProgram(io, ["cost", ...args], "0.0.0")).toBe(0);
    return (args.includes("--json") ? io.json() : {}) as Costs;
  };
  const reply = (id: string, daysAgo: number): string => {
    const usage = { input_tokens: 1_000_000, output_tokens: 0 };
    const content = [{ type: "text", text: "Done." }];
    const message = { id, role: "assistant", model: "claude-opus-5", content, usage };
    const timestamp = new Date(Date.now() - daysAgo * DAY_MS).toISOString();
    const base = { uuid: id, parentUuid: null, sessionId: "s", cwd: "/home/ada/shop", timestamp };
    return `${JSON.stringify({ type: "assistant", ...base, message })}\n`;
  };

  it("groups, and counts the days that were asked for", async () => {
    // Every line of a reply repeats its usage.
    put(".claude/projects/p/s.jsonl", reply("a", 9) + reply("b", 0) + reply("b", 0));
    const byDay = await cost("--json");
    expect(byDay).toMatchObject({ version: 1, by: "day", total: { cost: 10, requests: 2 } });
    expect(byDay.rows).toHaveLength(2);
    expect((await cost("--since", "2d", "--json")).total).toMatchObject({ cost: 5, requests: 1 });
    for (const [by, name] of [
      ["project", "/home/ada/shop"],
      ["agent", "claude-code"],
      ["session", "s"],
      ["model", "claude-opus-5"],
    ] as const) {
      expect((await cost("--by", by, "--json")).rows).toMatchObject([{ name, cost: 10 }]);
    }
    await cost();
    expect(io.lines().find((line) => line.startsWith("all"))).toMatch(/ 2\.0M .*\$10\.00$/);
    expect(io.text()).toContain("platform.claude.com");
  });

  it("counts once what a fork has copied, whichever line of it came first", async () => {
    const said = reply("a", 9) + reply("b", 8);
    put(".claude/projects/p/s.jsonl", said + reply("c", 7));
    put(".claude/projects/p/f.jsonl", said.replaceAll('"s"', '"f"') + reply("d", 6));
    put(".claude/projects/p/other.jsonl", reply("e", 5));
    const first = path.join(home, ".claude/projects/p/s.jsonl");
    utimesSync(first, new Date(TIME - DAY_MS), new Date(TIME - DAY_MS));
    const { total, rows } = await cost("--by", "session", "--json");
    expect(total).toMatchObject({ requests: 5, cost: 25 });
    const requests = Object.fromEntries(rows.map((row) => [row.name, row.requests]));
    expect(requests).toEqual({ s: 3, f: 1, other: 1 });
  });

  it("says so where nothing is reported", async () => {
    await cost();
    expect(io.text()).toContain("No agent sessions were found");
  });

  it.skipIf(!existsSync(RECORDINGS))("adds up what recorded sessions report", async () => {
    const file = "codex/cx-0.142.2-remote-compaction.jsonl";
    put(".codex/sessions/2026/06/26/rollout-1.jsonl", recording(file));
    const totals = recording(file)
      .toString()
      .split("\n")
      .flatMap((line) => (line.includes('"token_count"') ? [JSON.parse(line)] : []))
      .flatMap(({ payload }) => payload.info?.total_token_usage ?? []);
    const { total, compacted } = await cost("--json");
    const last = totals.at(-1);
    expect(total.input + total.cacheRead).toBe(last.input_tokens);
    expect(total.cacheRead).toBe(last.cached_input_tokens);
    expect(total.output).toBe(last.output_tokens);
    expect(compacted.times).toBe(2);
    expect(compacted.tokens).toBeGreaterThan(50_000);
  });
});
