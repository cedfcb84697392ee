import { copyFileSync, mkdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { InspectReport } from "../../src/cli/inspection.ts";
import { measureOptions } from "../../src/cli/load.ts";
import { measureSession, roomWords, type SessionSize } from "../../src/cli/measure-session.ts";
import { runProgram } from "../../src/cli/program.ts";
import { createContext } from "../../src/context/index.ts";
import type { Message } from "../../src/core/message/index.ts";
import { estimator } from "../../src/core/tokens/estimator.ts";
import { createMessageMeter } from "../../src/core/tokens/index.ts";
import { RECORDED_FILES, RECORDED_SAMPLE, RECORDINGS } from "../recordings.ts";
import { sample } from "../property/runs.ts";
import { modelOf } from "../../src/page/web/model.ts";
import { sessionPage } from "../../src/cli/inspect-page.ts";
import { capturedIo } from "./captured-io.ts";
import { temporaryFolder } from "./run-cli.ts";

const meter = createMessageMeter(estimator);
const TEXT = "The parcel went to the wrong town, and the customer wrote again. ".repeat(40);

const user = (time: number, text = TEXT): Message => ({
  role: "user",
  parts: [{ type: "text", text }],
  time,
});
const summary = (time?: number): Message => ({
  role: "user",
  kind: "summary",
  parts: [{ type: "text", text: "They looked for a parcel." }],
  ...(time !== undefined && { time }),
});
const answer = (time: number, input: number): Message => ({
  role: "assistant",
  parts: [{ type: "text", text: "It is on its way." }],
  time,
  usage: { input, output: 10 },
});

/** Turns whose usage is `fixed` plus `factor` for each estimated token. */
function turns(count: number, { fixed, factor }: { fixed: number; factor: number }): Message[] {
  const messages: Message[] = [];
  for (let index = 0; index < count; index++) {
    messages.push(user(2 * index));
    const reply = answer(2 * index + 1, 1);
    const estimated = meter.total([...messages, reply]);
    messages.push(answer(2 * index + 1, Math.round(fixed + factor * estimated) - 10));
  }
  return messages;
}

const measure = (messages: readonly Message[], model?: string): SessionSize =>
  measureSession({ messages, timeline: [], model }).size;

describe("measureSession", () => {
  it("estimates where nothing was reported", () => {
    const messages = [user(1), user(2)];
    const tokens = meter.total(messages);
    expect(measure(messages)).toMatchObject({
      tokens,
      most: Math.ceil(tokens / 0.95),
      source: "estimated",
      estimated: tokens,
      factor: 1,
      outside: 0,
    });
  });

  it("estimates as the family of the model counts, or as a person says", () => {
    const messages = [user(1), user(2)];
    const { tokens, assumed } = measure(messages, "claude-opus-5");
    expect(tokens).toBe(Math.ceil(1.5 * meter.total(messages)));
    expect(assumed).toEqual({ factor: 1.5, family: "Claude from 4.6" });
    const conversation = { messages, timeline: [], model: "claude-opus-5" };
    const { size } = measureSession(conversation, { tokenFactor: 1.2, fixedTokens: 1_000 });
    expect(size.tokens).toBe(Math.ceil(1.2 * (meter.total(messages) + 1_000)));
    expect(size).toMatchObject({ outside: 1_200, assumed: { factor: 1.2 } });
  });

  it("takes no rounding for something outside of the file", () => {
    for (let words = 1; words <= 40; words += 1) {
      const messages = [user(0, "parcel ".repeat(words))];
      const { size } = measureSession({ messages, timeline: [], model: "claude-sonnet-4-5" });
      expect(size.outside).toBe(0);
    }
  });

  it("overflows where what is estimated may be 5 % more", () => {
    const messages = [user(1), user(2)];
    const window = Math.round(meter.total(messages) * 1.02);
    const { size } = measureSession({ messages, timeline: [] }, { window, reserved: 0 });
    expect(size.tokens).toBeLessThan(size.budget.usable);
    expect(size).toMatchObject({ isOver: true, most: Math.ceil(size.tokens / 0.95) });
    expect(roomWords(size)).toMatch(/^\d+ free, but what is estimated counts 5 % more: up to/);
  });

  it("counts a system prompt that stands beside the messages", () => {
    const conversation = { messages: [user(1)], timeline: [], instructions: TEXT };
    expect(measureSession(conversation).size.tokens).toBe(
      meter.total([user(1)]) + estimator.count(TEXT),
    );
  });

  it("finds the fixed part and the provider's own measure in a row of reports", () => {
    const size = measure(turns(20, { fixed: 16_000, factor: 1.5 }));
    expect(size.source).toBe("reported");
    expect(size.factor).toBeCloseTo(1.5, 2);
    expect(Math.abs(size.outside - 16_000)).toBeLessThan(30);
  });

  it("adds an estimate of what came after the last report", () => {
    const before = turns(20, { fixed: 1_000, factor: 2 });
    const newer = user(100);
    const added = measure([...before, newer]).tokens - measure(before).tokens;
    expect(Math.abs(added - 2 * meter.tokens(newer))).toBeLessThan(3);
  });

  it("takes everything above the estimate for the fixed part where reports are few", () => {
    const size = measure([user(1), answer(2, 9_990)]);
    expect(size.tokens).toBe(10_000);
    expect(Math.abs(size.factor - 1)).toBeLessThan(0.01);
    expect(Math.abs(size.outside + size.estimated - 10_000)).toBeLessThan(10);
  });

  it("never gives more to the messages than was reported", () => {
    const size = measure([user(1), answer(2, 290)]);
    expect(size.tokens).toBe(300);
    expect(size.outside).toBeLessThan(10);
    expect(size.factor).toBeLessThan(1);
  });

  it("ignores what was reported before the last compaction", () => {
    const kept = answer(5, 150_000);
    expect(measure([summary(10), kept, user(11)]).source).toBe("estimated");
    expect(measure([summary(10), kept, user(11), answer(12, 5_000)])).toMatchObject({
      tokens: 5_010,
      source: "reported",
    });
    expect(measure([summary(), kept, user(11)]).source).toBe("estimated");
  });

  it("ignores what was reported before the last pruning", () => {
    const call = { type: "tool-call", toolCallId: "1", toolName: "read", input: {} } as const;
    const asked: Message = { role: "assistant", parts: [call], time: 0 };
    const pruned: Message = {
      role: "tool",
      parts: [
        {
          type: "tool-result",
          toolCallId: "1",
          toolName: "read",
          output: [{ type: "text", text: "gone" }],
          time: { compacted: 10 },
        },
      ],
    };
    expect(measure([asked, pruned, user(1), answer(5, 9_000)]).source).toBe("estimated");
    expect(measure([asked, pruned, user(1), answer(15, 9_000)]).source).toBe("reported");
  });
});

describe("a session in a context", () => {
  it.each([
    ["reports", [...turns(20, { fixed: 16_000, factor: 1.5 }), user(100)]],
    ["a report of another context", [user(1), answer(2, 900_000), user(3)]],
    ["no report", [user(1), user(2)]],
  ])("is as large as it was measured, with %s", async (_name, messages) => {
    const measured = measureSession({ messages, timeline: [], model: "claude-opus-5" });
    const context = createContext(measured.settings);
    const { report } = await context.prepare(measured.messages);
    expect(report.tokens.before).toBe(measured.size.tokens);
    expect(report.action === "none").toBe(!measured.size.isOver);
  });
});

/** What the page of a session says of its size. */
async function onPage(file: string, env: Readonly<Record<string, string>>) {
  const session = { name: file, path: file, load: () => Promise.resolve(file) };
  const { data } = await sessionPage(capturedIo({ env }), session, {});
  const { tokens, window, usable, isOver } = data.about;
  // The newest point of its chart says the same.
  expect(modelOf(data).totals.at(-1)).toBeCloseTo(tokens, 3);
  return { tokens, window, usable, isOver };
}

const BUNDLED = path.resolve("examples/recorded-session/session.json.gz");

describe("inspect, compact and the page of a session", () => {
  it.each([BUNDLED, ...RECORDED_SAMPLE])("see the same size: %s", async (name) => {
    const file = path.resolve(RECORDINGS, name);
    const env = { LONGHAUL_HOME: temporaryFolder() };
    const run = async (...args: readonly string[]): Promise<unknown> => {
      const io = capturedIo({ env });
      expect(await runProgram(io, [...args, file, "--json"], "0")).toBe(0);
      return io.json();
    };
    const seen = (await run("inspect")) as InspectReport;
    const { window, usable, overflow, tokens } = seen;
    const done = await run("compact", "--out", path.join(env.LONGHAUL_HOME, "out.json"));
    expect(done).toMatchObject({
      window,
      usable,
      tokens: { before: tokens.total, most: tokens.most },
    });
    expect((done as { action: string }).action !== "none").toBe(overflow);
    const shown = { tokens: tokens.total, window, usable, isOver: overflow };
    expect(await onPage(file, env)).toEqual(shown);
  });
});

/** Where an agent keeps what was recorded of it, below a home folder. */
const PLACES: Readonly<Record<string, (file: string) => string>> = {
  "claude-code": (file) => `.claude/projects/p/${path.basename(file)}`,
  codex: (file) => `.codex/sessions/2026/rollout-${path.basename(file)}`,
  pi: (file) => `.pi/agent/sessions/p/${path.basename(file)}`,
  "gemini-cli": (file) => `.gemini/tmp/p/chats/session-${path.basename(file)}`,
};

const LISTED = RECORDED_FILES.filter((file) => path.dirname(file) in PLACES);

describe.skipIf(LISTED.length === 0)("the list of sessions", () => {
  it("tells the size that inspect tells, of the same whole", async () => {
    const home = temporaryFolder();
    const env = { HOME: home, LONGHAUL_HOME: path.join(home, "longhaul") };
    const run = async (...args: readonly string[]): Promise<unknown> => {
      const io = capturedIo({ env });
      expect(await runProgram(io, [...args, "--json"], "0")).toBe(0);
      return io.json();
    };
    for (const file of sample(LISTED, 4)) {
      const place = PLACES[path.dirname(file)]!(file);
      mkdirSync(path.dirname(path.join(home, place)), { recursive: true });
      copyFileSync(path.join(RECORDINGS, file), path.join(home, place));
    }
    const listed = (await run("sessions")) as {
      path: string;
      tokens: number;
      window: number;
      usable: number;
      fill: number;
    }[];
    expect(listed.length).toBeGreaterThan(3);
    for (const { path: file, tokens, window, usable, fill } of listed) {
      const seen = (await run("inspect", file)) as InspectReport;
      const shown = await onPage(file, env);
      expect(shown.tokens / shown.usable).toBeCloseTo(fill, 2);
      expect({ tokens, window, usable }).toEqual({
        tokens: seen.tokens.total,
        window: seen.window,
        usable: seen.usable,
      });
      expect(fill).toBeCloseTo(tokens / usable, 2);
    }
  });
});

describe("what an agent keeps free", () => {
  it.each([
    ["claude-code", 200_000, 45_000],
    ["claude-code", 16_000, 3_600],
    ["codex", 121_600, 12_160],
    ["pi", 272_000, 16_384],
    ["gemini-cli", 1_048_576, 524_288],
  ])("%s with a window of %i", (agent, window, reserved) => {
    const chosen = { window, from: "session" } as const;
    expect(measureOptions({}, chosen, agent)).toMatchObject({ window, reserved });
    expect(measureOptions({ reserved: 1 }, chosen, agent)).toMatchObject({ reserved: 1 });
    expect(measureOptions({}, chosen, "anthropic")).not.toHaveProperty("reserved");
  });
});
