import { describe, expect, it, vi } from "vitest";
import { memoryArchive } from "../../src/archive/index.ts";
import {
  type Context,
  type ContextOptions,
  type ContextReport,
  createContext,
  type Prepared,
} from "../../src/context/index.ts";
import { checkMessages, type Message, messageText } from "../../src/core/message/index.ts";
import { parseSummary, unframeSummary } from "../../src/core/summary/index.ts";
import type { SummarizeFunction, SummaryRequest } from "../../src/models/summarizer.ts";
import {
  assistant,
  call,
  quarter,
  result,
  results,
  step,
  system,
  user,
  words,
} from "../build-messages.ts";
import { goodSummary } from "../good-summary.ts";
import { rulesOf } from "../rules-of.ts";

const start = [system("rules"), user("do the work, and never touch the API")];

/**
 * Steps of about `size` tokens, each of which modifies a file of its own. The words are the agent's,
 * so that pruning has nothing to take.
 */
function grow(steps: number, size: number, first = 0): Message[] {
  return Array.from({ length: steps }, (_, n) => {
    const at = first + n;
    const text = { type: "text", text: words(size, `thought ${at}`) } as const;
    const writing = call(`w${at}`, "write", { path: `src/f${at}.ts`, content: "x" });
    return [
      { role: "assistant", parts: [text, writing] } as const,
      results(result(`w${at}`, "write", "written")),
      ...step(`c${at}`, "bash", { command: `run ${at}` }, "done"),
    ];
  }).flat();
}

function create(summarizer: SummarizeFunction, options: ContextOptions = {}): Context {
  // In memory: what is timed here is the summary, and no disk.
  const archive = memoryArchive();
  return createContext({ window: 32_000, counter: quarter, summarizer, archive, ...options });
}

/** A summarizer that notes what it is asked, and answers as told. */
function noting(answer: SummarizeFunction = goodSummary): {
  readonly requests: SummaryRequest[];
  readonly summarize: SummarizeFunction;
} {
  const requests: SummaryRequest[] = [];
  return {
    requests,
    summarize(request) {
      requests.push(request);
      return answer(request);
    },
  };
}

/** A summarizer whose answers come when they are released. */
function held(): { readonly summarize: SummarizeFunction; release(): void; asked: number } {
  const waiting: (() => void)[] = [];
  const state = {
    asked: 0,
    release: () => waiting.splice(0).forEach((go) => go()),
    async summarize(request: SummaryRequest) {
      state.asked++;
      await new Promise<void>((resolve) => waiting.push(resolve));
      return goodSummary(request);
    },
  };
  return state;
}

function summaryText(messages: readonly Message[]): string {
  const message = messages.find(({ kind }) => kind === "summary");
  return unframeSummary(messageText(message as Message))?.text ?? "";
}

/** A prepared list with ten notes of the user that fill nine tenths of the window. */
function filledUp({ messages, report }: Prepared): readonly Message[] {
  const size = (report.usable * 0.9 - report.tokens.after) / 10;
  return [...messages, ...Array.from({ length: 10 }, (_, n) => user(words(size, `note ${n}`)))];
}

const overflowing = [...start, ...grow(40, 500)];

describe("a summary written by a model", () => {
  it("stands in the context with the facts that the model left out", async () => {
    const context = create(goodSummary);
    const { messages, report } = await context.prepare(overflowing);
    expect(report.summary).toMatchObject({ source: "model", ahead: "none" });
    expect(report.failures).toEqual([]);
    expect(summaryText(messages)).toContain("A model wrote this");
    expect(summaryText(messages)).toContain("never touch the API");
    expect(checkMessages(messages)).toEqual([]);
    expect(report.tokens.after).toBeLessThan(report.usable);
  });

  it("is in the report with every prompt, problem and token", async () => {
    const { summarize } = noting(async (request) => ({
      text: await goodSummary(request),
      usage: { input: 900, cached: 800, output: 90 },
    }));
    const { report } = await create(summarize).prepare(overflowing);
    expect(report.summary?.usage).toEqual({ input: 900, cached: 800, output: 90 });
    const [call] = report.summary?.calls ?? [];
    expect(call).toMatchObject({ attempt: 1, problems: [] });
    expect(call?.prompt.user).toContain("run 3");
  });

  it("falls back to the facts when the model fails, and says so", async () => {
    const { messages, report } = await create(() => Promise.reject(new Error("down"))).prepare(
      overflowing,
    );
    expect(report.summary).toMatchObject({ source: "extractive" });
    expect(report.failures).toMatchObject([{ code: "summarizer-failed" }]);
    expect(summaryText(messages)).toContain("src/f3.ts");
  });

  it("never keeps the agent for longer than the time limit", async () => {
    const { summarize } = held();
    const { report } = await create(summarize, { summarizerTimeoutMs: 40 }).prepare(overflowing);
    expect(report.summary).toMatchObject({ source: "extractive" });
    expect(report.failures[0]?.message).toMatch(/40 ms|time/);
  });

  it("is no longer the model's alone where not all of it had room beside the facts", async () => {
    const { report } = await create(async (request) => {
      const lines = Array.from(
        { length: request.cap / 8 },
        (_, n) => `- learned: ${n} is a number`,
      );
      const text = await goodSummary(request);
      return text.replace(
        /(## Discoveries\n).*/,
        (_, heading: string) => heading + lines.join("\n"),
      );
    }).prepare(overflowing);
    expect(report.summary?.calls.map(({ problems }) => problems)).toEqual([[]]);
    expect(report.summary?.source).toBe("repaired");
  });

  it("is replayed from the journal byte for byte, without another call", async () => {
    const { requests, summarize } = noting();
    const first = create(summarize);
    const { messages } = await first.prepare(overflowing);
    const again = create(summarize, { journal: JSON.parse(JSON.stringify(first.journal())) });
    const later = await again.prepare([...overflowing, assistant("on")]);
    expect(later.messages.slice(0, messages.length)).toEqual(messages);
    expect(requests).toHaveLength(1);
  });

  it("gets the previous summary to merge, not as chat", async () => {
    const { requests, summarize } = noting();
    const context = create(summarize);
    const history = [...overflowing];
    await context.prepare(history);
    history.push(...grow(40, 500, 40));
    await context.prepare(history);
    expect(requests).toHaveLength(2);
    expect(requests[1]?.previousSummary).toContain("A model wrote this");
    expect(requests[1]?.head.some(({ kind }) => kind === "summary")).toBe(false);
  });
});

describe("a claim about what was done rounds ago", () => {
  it("stands in the model's words, costs no second call, and the recorded fact is right", async () => {
    const { requests, summarize } = noting(async (request) => {
      const text = await goodSummary(request);
      const isLater = request.previousSummary !== undefined;
      return isLater ? text.replace(/(## Accomplished\n).*/, "$1- Deleted `src/f1.ts`") : text;
    });
    const context = create(summarize, { summarizeAhead: false });
    const history = [...overflowing];
    await context.prepare(history);
    history.push(...grow(40, 500, 40));
    const { messages, report } = await context.prepare(history);
    expect(requests).toHaveLength(2);
    expect(report.summary?.calls[0]?.problems).toEqual([]);
    const lines = summaryText(messages).split("\n");
    expect(lines).toContain("> - Deleted `src/f1.ts`");
    const recorded = lines.filter((line) => !line.startsWith(">"));
    expect(recorded.join("\n")).not.toMatch(/deleted/i);
    expect(recorded.filter((line) => /^- `src\/f1\.ts`: .*created/.test(line))).toHaveLength(1);
    expect(messageText(messages.find(({ kind }) => kind === "summary") as Message)).toContain(
      "recorded facts, which are right where the two differ",
    );
  });
});

describe("bounds", () => {
  it("asks nobody after three failures in a row, until a cool-down has passed", async () => {
    let time = 0;
    let asked = 0;
    const context = create(
      () => {
        asked++;
        return Promise.reject(new Error("down"));
      },
      { now: () => time, summarizeAhead: false },
    );
    const history = [...overflowing];
    const reports: ContextReport[] = [];
    for (let round = 1; round <= 5; round++) {
      reports.push((await context.prepare(history)).report);
      history.push(...grow(40, 500, round * 40));
    }
    const before = asked;
    expect(before).toBeLessThanOrEqual(6);
    expect(reports[4]?.failures[0]?.message).toContain("not asked for a while");
    time += 10 * 60_000;
    await context.prepare(history);
    expect(asked).toBeGreaterThan(before);
  });

  it("asks no second time while nothing was done since", async () => {
    const { requests, summarize } = noting();
    const context = create(summarize);
    const { messages } = await context.prepare(overflowing);
    const { report } = await context.prepare(messages, { force: true });
    expect(report.failures).toEqual([]);
    expect(requests).toHaveLength(1);
  });

  it("prepares no second summary either while nothing was done since", async () => {
    const { requests, summarize } = noting();
    const context = create(summarize);
    const asked = filledUp(await context.prepare(overflowing));
    const { report } = await context.prepare(asked);
    expect(report.tokens.before).toBeGreaterThan(report.usable * 0.85);
    expect(requests).toHaveLength(1);
    await context.prepare([...asked, assistant("on it")]);
    await vi.waitFor(() => expect(requests).toHaveLength(2));
  });

  it("gives up when the caller's signal aborts, and changes nothing", async () => {
    const { summarize } = held();
    const abort = new AbortController();
    const context = create(summarize);
    const prepared = context.prepare(overflowing, { signal: abort.signal });
    setTimeout(() => abort.abort(new Error("the user pressed escape")), 5);
    await expect(prepared).rejects.toThrow("the user pressed escape");
    expect(context.journal()).toEqual([]);
  });
});

describe("a summary prepared while the agent works", () => {
  const soft = [...start, ...grow(25, 500)];

  it("is used without waiting when it is ready at the limit", async () => {
    const { requests, summarize } = noting();
    const context = create(summarize);
    const history = [...soft];
    for (let n = 25; context.journal().length === 0; n++) {
      const { report } = await context.prepare(history);
      if (report.action === "compact") {
        expect(report.summary).toMatchObject({ source: "model", ahead: "ready", waitedMs: 0 });
      }
      history.push(...grow(1, 200, n));
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    expect(requests).toHaveLength(1);
  });

  it.each([{}, { summarizerTimeoutMs: 1e12 }])(
    "waits for it at the limit when it is not ready: %j",
    async (options) => {
      const { summarize, release } = held();
      const context = create(summarize, options);
      await context.prepare([...start, ...grow(26, 500)]);
      setTimeout(release, 20);
      const { report } = await context.prepare([...start, ...grow(32, 500)]);
      expect(report).toMatchObject({ action: "compact", failures: [] });
      expect(report.summary).toMatchObject({ ahead: "waited", source: "model" });
    },
  );

  it("is thrown away and counted when the history has changed", async () => {
    const context = create(async (request) => ({
      text: await goodSummary(request),
      usage: { input: 900, cached: 800, output: 90 },
    }));
    await context.prepare([...start, ...grow(26, 500)]);
    await new Promise((resolve) => setTimeout(resolve, 0));
    const other = [system("rules"), user("something else"), ...grow(32, 500)];
    const { report } = await context.prepare(other);
    expect(report).toMatchObject({ discardedSummaries: 1, summary: { ahead: "none" } });
    expect(report.summary?.usage).toEqual({ input: 900, cached: 800, output: 90 });
    expect(report.modelUsage).toEqual({ input: 1_800, cached: 1_600, output: 180 });
  });

  it("is not begun when pruning will do", async () => {
    const { requests, summarize } = noting();
    const steps = (count: number): Message[] => [
      system("rules"),
      ...Array.from({ length: count }, (_, n) => [
        user(`question ${n}`),
        ...step(`r${n}`, "read", { path: `f${n}` }, words(2_000, `${n}`)),
        assistant("ok"),
      ]).flat(),
    ];
    const context = create(summarize, { window: 64_000 });
    await context.prepare(steps(18));
    expect(requests).toHaveLength(0);
  });
});

describe("what arrives while a summary is being written", () => {
  it("is in the context word for word", async () => {
    const { summarize, release } = held();
    const context = create(summarize);
    const history = [...overflowing];
    const first = context.prepare(history);
    await new Promise((resolve) => setTimeout(resolve, 5));
    history.push(user("and stop at noon"));
    release();
    const { messages } = await first;
    const { messages: next } = await context.prepare(history);
    expect(messages.some((one) => messageText(one).includes("noon"))).toBe(false);
    expect(next.at(-1)).toBe(history.at(-1));
    expect(next.slice(0, messages.length)).toEqual(messages);
  });
});

describe("a sub-agent", () => {
  it("has its own budget, and the rules of its parent in every summary", async () => {
    const parent = create(goodSummary);
    await parent.prepare(start);
    const sub = parent.subAgent({ window: 16_000 });
    expect(await rulesOf(sub)).toContain("do the work, and never touch the API");
    const task = [system("you help"), user("count the files"), ...grow(30, 400)];
    const { messages, report } = await sub.prepare(task);
    expect(report).toMatchObject({ window: 16_000, action: "compact" });
    const sections = parseSummary(summaryText(messages));
    expect(sections.get("instructions")).toContain("never touch the API");
    expect(sections.get("goal")).toContain("count the files");
    expect(sections.get("goal")).not.toContain("API");
    expect(parent.journal()).toEqual([]);
  });
});

it("the rules of a conversation are all that was typed, whether messages come as new objects or not", async () => {
  const context = create(goodSummary, { constraints: ["be kind"] });
  const history = [...start];
  for (const rule of ["use tabs", "stop at noon"]) {
    history.push(assistant("yes"), user(rule));
    await context.prepare(structuredClone(history));
  }
  const all = ["be kind", "do the work, and never touch the API", "use tabs", "stop at noon"];
  const told = await rulesOf(context);
  for (const rule of all) expect(told).toContain(rule);
  history.push(...grow(40, 500), user("one more rule"));
  expect((await context.prepare(structuredClone(history))).report.action).toBe("compact");
  const later = await rulesOf(context.subAgent());
  for (const rule of [...all, "one more rule"]) expect(later).toContain(rule);
});

describe("plugins", () => {
  it("bring settings, and hear everything", async () => {
    const heard: string[] = [];
    const context = createContext({
      window: 32_000,
      counter: quarter,
      plugins: [
        {
          name: "house",
          summarizer: goodSummary,
          compactionTemplate: {
            sections: [{ id: "risks", heading: "Risks", purpose: "Open risks." }],
          },
          onEvent: ({ name }) => void heard.push(name),
        },
      ],
    });
    const { report } = await context.prepare(overflowing);
    expect(report.summary?.calls[0]?.prompt.user).toContain("## Risks");
    expect(heard).toEqual(["modelCalled", "edited", "prepared"]);
  });
});

describe("the media of a message without a reply", () => {
  it("stay when that is wanted", async () => {
    const image = { type: "file", mediaType: "image/png", data: "iVBORw0KGgo=" } as const;
    const asked: Message = { role: "user", parts: [{ type: "text", text: "look" }, image] };
    const history = [...overflowing, asked];
    const kept = await create(goodSummary, { unansweredMedia: "keep" }).prepare(history);
    const described = await create(goodSummary).prepare(history);
    expect(kept.messages.at(-1)).toBe(asked);
    expect(described.messages.at(-1)?.metadata).toMatchObject({ had_media: true });
  });
});
