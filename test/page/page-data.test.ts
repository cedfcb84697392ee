import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message } from "../../src/core/message/index.ts";
import { pageOf, type PageInput } from "../../src/page/page-data.ts";
import { modelOf, seenAt } from "../../src/page/web/model.ts";
import { exportedPage } from "../../src/page/write.ts";
import { capturedIo } from "../cli/captured-io.ts";
import { inspectCommand } from "../../src/cli/inspect.ts";
import type { InspectReport } from "../../src/cli/inspection.ts";
import { sessionPage } from "../../src/cli/inspect-page.ts";
import { assistant, call, calling, result, results, step, user } from "../build-messages.ts";
import { legalConversation } from "../property/arbitraries.ts";

const about = {
  title: "a session",
  agent: "an agent",
  window: 100_000,
  usable: 80_000,
  isAssumed: false,
  tokens: 1_000,
  isOver: false,
  source: "estimated",
  warnings: [],
};

function input(lists: readonly (readonly Message[])[], more: Partial<PageInput> = {}): PageInput {
  const windows = lists.map((messages) => ({ messages }));
  return { about, windows, size: { tokens: 1_000, outside: 100 }, ...more };
}

const START: readonly Message[] = [
  user("Fix the build."),
  ...step("call-0001", "bash", { command: "npm run build" }, "error: no such file\n".repeat(50)),
  ...step("call-0002", "read", { filePath: "/p/a.ts" }, "export const a = 1;\n".repeat(80)),
];

const PRUNED: readonly Message[] = START.map((message) =>
  message.role === "tool"
    ? results({
        ...(message.parts[0] as ReturnType<typeof result>),
        output: [{ type: "text", text: "(gone)" }],
      })
    : message,
);

const SUMMARY: Message = {
  role: "user",
  kind: "summary",
  parts: [{ type: "text", text: "We fixed the build." }],
};

describe("pageOf", () => {
  it("adds up to the size of the session with the last step", () => {
    const { data } = pageOf(input([START]));
    const { totals } = modelOf(data);
    expect(totals.at(-1)).toBeCloseTo(1_000, 6);
    expect(data.steps).toHaveLength(3);
  });

  it("pairs what was pruned with its original", () => {
    const { data } = pageOf(input([START, [...PRUNED, assistant("Done.")]]));
    const [edit] = data.edits;
    expect(edit).toMatchObject({ type: "prune", by: "agent", step: 2, dropped: 0 });
    expect(edit?.replaced).toEqual([2, 5, 4, 6]);
    expect(data.messages[5]?.instead).toBe(2);
    expect(seenAt(data, 2)).toEqual([0, 1, 5, 3, 6]);
  });

  it("pairs what was pruned a second time with what stood there", () => {
    const again = PRUNED.map((message) =>
      message.role === "tool" && message === PRUNED[2]
        ? results({
            ...(message.parts[0] as ReturnType<typeof result>),
            output: [{ type: "text", text: "(gone for good)" }],
          })
        : message,
    );
    const windows = [START, PRUNED, [...again, assistant("Done.")]];
    const { data } = pageOf(input(windows));
    expect(data.edits).toMatchObject([
      { type: "prune", dropped: 0, replaced: [2, 5, 4, 6] },
      { type: "prune", dropped: 0, replaced: [5, 7] },
    ]);
  });

  it("tells a compaction, what went and what its summary says", () => {
    const { data } = pageOf(input([START, [SUMMARY, user("Go on."), assistant("Yes.")]]));
    const [edit] = data.edits;
    expect(edit).toMatchObject({ type: "compact", dropped: 5, replaced: [] });
    expect(edit?.summary?.lines).toEqual([{ text: "We fixed the build.", by: "model" }]);
    expect(seenAt(data, edit?.step ?? 0)).toEqual([5, 6]);
  });

  it("tells what an edit cost beside what it spared", () => {
    const after = [assistant("One."), user("Go on."), assistant("Two."), user("And?")];
    const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
    const pruned = [...PRUNED, ...after];
    const { data } = pageOf(input([START, pruned, [SUMMARY, assistant("Yes.")]], { price }));
    const [prune, compact] = data.edits;
    const bill = prune?.bill;
    // Of five messages the third is the first that is another one.
    const anew = [5, 3, 6].map((number) => {
      const shares = data.messages[number]?.shares ?? [];
      return shares.reduce((sum, share, at) => sum + (at % 2 === 1 ? share : 0), 0);
    });
    const rewritten = anew.reduce((sum, tokens) => sum + tokens, 0) * data.scale;
    expect(bill?.rewritten).toBe(Math.round(rewritten));
    expect(bill).toMatchObject({ requests: 2, model: { input: 0, output: 0 } });
    expect(bill?.spared).toBeCloseTo(((prune?.saved ?? 0) * 2 * 0.3) / 1e6, 12);
    expect(bill?.spent).toBeCloseTo(((bill?.rewritten ?? 0) * (3.75 - 0.3)) / 1e6, 12);
    // A model wrote this summary: nobody reported what it read, which was the window.
    expect(compact?.bill).toMatchObject({ requests: 1, isEstimated: true });
    expect(compact?.bill?.model.input).toBeGreaterThan(100);
  });

  it("counts reads of one file and says what to do", () => {
    const reads = [1, 2, 3].flatMap((at) =>
      step(`read-000${at}`, "read", { filePath: "/p/a.ts" }, "export const a = 1;\n".repeat(800)),
    );
    const size = { tokens: 30_000, outside: 100 };
    const { data } = pageOf(input([[user("Read."), ...reads]], { size }));
    const told = data.advice.map(({ subject, times }) => ({ subject, times }));
    expect(told).toContainEqual({ subject: "read /p/a.ts", times: 3 });
  });

  it("has a page for a conversation with nothing in it", () => {
    const { data } = pageOf(input([[]]));
    expect(modelOf(data).said).toEqual([]);
    expect(data.steps).toEqual([{ view: 0, length: 0 }]);
  });

  it("shows with each step exactly what stood there, whatever the conversation", () => {
    fc.assert(
      fc.property(legalConversation(), fc.nat(), (messages, cut) => {
        const first = messages.slice(0, cut % (messages.length + 1));
        const page = pageOf(input([first, messages]));
        const last = page.data.steps.length - 1;
        const seen = seenAt(page.data, last).map((number) => page.messages[number]);
        expect(JSON.stringify(seen)).toBe(JSON.stringify(messages));
      }),
    );
  });
});

describe("a page of a session", () => {
  const FILE = "examples/recorded-session/session.json.gz";
  const session = { name: FILE, path: FILE, load: () => Promise.resolve(FILE) };

  it("says the same as inspect", async () => {
    const io = capturedIo();
    await inspectCommand(io, FILE, { json: true });
    const report = io.json() as InspectReport;
    const { data } = await sessionPage(capturedIo(), session, {});
    expect(data.about.tokens).toBe(report.tokens.total);
    expect(modelOf(data).totals.at(-1)).toBeCloseTo(report.tokens.total, 3);
    expect(data.steps).toHaveLength(87);
  });
});

describe("exportedPage", () => {
  const assets = { script: "0", style: "p{}" };

  it("holds no markup of a session, whatever that says", () => {
    const hostile = `</script><script>alert(1)</script><img src=x onerror=alert(2)><!-- \u2028`;
    const messages = [
      user(hostile),
      calling(call("call-0001", hostile, { command: hostile })),
      results(result("call-0001", hostile, hostile)),
    ];
    const page = pageOf(input([messages], { about: { ...about, title: hostile } }));
    const html = [...exportedPage(page, assets)].join("");
    expect(html.match(/<script/g)).toHaveLength(3);
    expect(html.match(/<\/script/g)).toHaveLength(3);
    expect(html).not.toMatch(/<img|<!--/);
    const [, texts = ""] = /id="longhaul-0">([^<]*)<\/script>/.exec(html) ?? [];
    expect(JSON.parse(texts)[0][0].text).toBe(hostile);
  });

  it("lets only its own script run", () => {
    const html = [...exportedPage(pageOf(input([START])), assets)].join("");
    expect(html).toMatch(
      /Content-Security-Policy" content="default-src 'none'; script-src 'sha256-/,
    );
    expect(html).not.toContain("unsafe-");
  });
});
