import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { gainOf } from "../../src/gateway/epochs.ts";
import type { EpochTime } from "../../src/gateway/options.ts";
import { startGateway } from "../../src/gateway/server.ts";
import { saysTheSame } from "../../src/hooks/follow-natives.ts";
import { temporaryFolder } from "../cli/run-cli.ts";
import { runs } from "../property/runs.ts";
import { type RawUpstream, rawRequest, rawUpstream } from "./raw-upstream.ts";

const MINUTE = 60_000;
const WINDOW = 100_000;
const PRICE = { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 };

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

async function modelServer(): Promise<RawUpstream> {
  return rawUpstream(({ body }, response) => {
    const usage = { input_tokens: Math.ceil(body.length / 4), output_tokens: 1 };
    const content = [{ type: "text", text: "ok" }];
    const message = { type: "message", role: "assistant", content, stop_reason: "end_turn", usage };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(message));
  });
}

/** So many steps of one task, of some 2,500 tokens each. */
function history(steps: number): readonly object[] {
  const list: object[] = [{ role: "user", content: "Read all of it." }];
  for (let at = 0; at < steps; at++) {
    const id = `toolu_${at}`;
    const content = `${at}: a line of output\n`.repeat(380);
    const input = { file: `f${at}` };
    list.push(
      { role: "assistant", content: [{ type: "tool_use", id, name: "read", input }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] },
    );
  }
  return list;
}

interface Fixture {
  /** The messages that went out for a history of so many steps, sent so long after the one before. */
  ask(steps: number, minutes: number, more?: object): Promise<readonly unknown[]>;
  counted(name: "planned_edits" | "prefix_violations" | "failed_open"): number;
  close(): Promise<void>;
}

async function fixture(epochs?: EpochTime, archive = temporaryFolder()): Promise<Fixture> {
  const upstream = await modelServer();
  const gateway = await startGateway({
    port: 0,
    anthropic: upstream.url,
    openai: upstream.url,
    archive,
    window: WINDOW,
    // Where a cache is read at half the price, to read less pays sooner.
    priceOf: () => ({ ...PRICE, cacheRead: 1 }),
    ...(epochs && { epochs }),
  });
  return {
    async ask(steps, minutes, more) {
      vi.setSystemTime(Date.now() + minutes * MINUTE);
      const tools = [{ name: "read", input_schema: { type: "object" } }];
      const own = { model: "claude-sonnet-4-5", max_tokens: 500, tools, ...more };
      const body = JSON.stringify({ ...own, messages: history(steps) });
      const headers = { "x-claude-code-session-id": "s-1", "x-api-key": "k" };
      await rawRequest(`${gateway.url}/v1/messages`, { method: "POST", headers, body });
      const sent = upstream.requests.at(-1)?.body.toString() ?? "{}";
      return (JSON.parse(sent) as { readonly messages: readonly unknown[] }).messages;
    },
    counted: gateway.metrics.counted,
    async close() {
      gateway.abort();
      await gateway.close();
    },
  };
}

const goesOn = (before: readonly unknown[], now: readonly unknown[]): boolean =>
  before.every((one, at) => saysTheSame(one, now[at]));

/** As many requests as make 24 steps, the last one so many minutes after the one before. */
async function pausing(to: Fixture, minutes: number, more?: object): Promise<number> {
  for (let step = 20; step < 24; step++) await to.ask(step, 1, more);
  await to.ask(24, minutes, more);
  return to.counted("planned_edits");
}

describe("a cache that has gone cold", () => {
  it("lets old outputs go, once, and then the same bytes go out again", async () => {
    const to = await fixture();
    expect(await pausing(to, 21)).toBe(1);
    const sent = await to.ask(25, 1);
    expect(JSON.stringify(sent)).toContain("<tool-output-compacted");
    expect(goesOn(sent, await to.ask(26, 12))).toBe(true);
    expect(to.counted("planned_edits")).toBe(1);
    expect(to.counted("prefix_violations")).toBe(0);
  });

  it.each([
    ["after five minutes, which real caches outlive", 12, {}],
    ["where a mark asks for an hour", 60, hourly()],
    ["where thinking is sealed to what stands before it", 300, { model: "claude-opus-5-5" }],
  ])("is not taken for granted %s", async (_, minutes, more) => {
    expect(await pausing(await fixture(), minutes, more)).toBe(0);
  });

  it("is not of interest to those who want their history whole", async () => {
    expect(await pausing(await fixture("full"), 300)).toBe(0);
  });

  it("is cold after an hour and a quarter, where a mark asks for an hour", async () => {
    expect(await pausing(await fixture(), 76, hourly())).toBe(1);
  });

  it("may be warm where another gateway has answered meanwhile, or this one has just begun", async () => {
    const archive = temporaryFolder();
    const [one, other] = [await fixture(undefined, archive), await fixture(undefined, archive)];
    for (let step = 20; step < 23; step++) await one.ask(step, 1);
    // The first request of a conversation that a gateway sees, and then two of it behind each other.
    await other.ask(23, 30);
    await other.ask(24, 1);
    await one.ask(25, 1);
    expect([one.counted("planned_edits"), other.counted("planned_edits")]).toEqual([0, 0]);
  });
});

function hourly(): object {
  const mark = { type: "ephemeral", ttl: "1h" };
  return { system: [{ type: "text", text: "s", cache_control: mark }] };
}

describe("what pruning brings", () => {
  it("is what is not written and not read, less what is written again", () => {
    const prune = { saved: 10_000, broken: 40_000 };
    expect(gainOf({ ...prune, expected: 0 }, PRICE)).toBeCloseTo(10_000 * 2.5 - 40_000 * 2.3);
    expect(gainOf({ ...prune, expected: 34 }, PRICE)).toBeGreaterThan(0);
    expect(gainOf({ ...prune, expected: 33 }, PRICE)).toBeLessThan(0);
  });

  it("is nothing certain without prices, unless no cache breaks", () => {
    expect(gainOf({ saved: 90_000, broken: 1, expected: 900 }, undefined)).toBeLessThan(0);
    expect(gainOf({ saved: 1, broken: 0, expected: 0 }, undefined)).toBeGreaterThan(0);
  });

  it("is looked for where the person wants that", async () => {
    const [cold, gain] = [await fixture("cold"), await fixture("gain")];
    for (let step = 1; step < 33; step++) {
      await cold.ask(step, 1);
      await gain.ask(step, 1);
    }
    expect(cold.counted("planned_edits")).toBe(0);
    expect(gain.counted("planned_edits")).toBeGreaterThan(0);
    expect(gain.counted("prefix_violations")).toBe(0);
  });
});

it("a beginning changes only for a reason, and never twice for one", async () => {
  const pauses = fc.array(fc.constantFrom(1, 1, 1, 4, 12, 19, 21, 90), {
    minLength: 12,
    maxLength: 16,
  });
  const when = fc.constantFrom<EpochTime>("full", "cold", "gain");
  await fc.assert(
    fc.asyncProperty(pauses, when, fc.nat({ max: 18 }), async (minutes, epochs, first) => {
      const to = await fixture(epochs);
      let before: readonly unknown[] = [];
      for (const [at, pause] of minutes.entries()) {
        const edits = to.counted("planned_edits");
        const sent = await to.ask(first + at, pause);
        const isPlanned = to.counted("planned_edits") > edits;
        // One reason, one edit; without a reason the same bytes.
        expect(to.counted("planned_edits") - edits).toBeLessThanOrEqual(1);
        if (!isPlanned) expect(goesOn(before, sent)).toBe(true);
        if (epochs === "cold" && isPlanned) expect(pause).toBeGreaterThan(19);
        if (epochs === "full") expect(isPlanned).toBe(false);
        // The same request again is the same request.
        if (at % 5 === 0) expect(goesOn(sent, await to.ask(first + at, 0))).toBe(true);
        before = sent;
      }
      expect(to.counted("prefix_violations")).toBe(0);
      expect(to.counted("failed_open")).toBe(0);
      await to.close();
    }),
    { numRuns: runs(8, 60) },
  );
}, 120_000);
