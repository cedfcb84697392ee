import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { directoryArchive } from "../../src/archive/directory.ts";
import {
  type ContextOptions,
  createContext,
  type PrepareOptions,
  type Prepared,
  type TemplateOption,
} from "../../src/context/index.ts";
import { assistant, quarter, step, user, words } from "../build-messages.ts";
import { goodSummary } from "../good-summary.ts";

const RISKS = "## Risks\nWhat may fail.\n\n## Goal\nThe ticket's number.";
const AS_DATA = {
  sections: [
    { id: "risks", heading: "## Risks", purpose: "What may fail." },
    { id: "goal", purpose: "The ticket's number." },
  ],
};
const history = [
  user("do the work"),
  ...Array.from({ length: 40 }, (_, n) => [
    assistant(words(500, `thought ${n}`)),
    ...step(`c${n}`, "bash", { command: `run ${n}` }, "done"),
  ]).flat(),
];

function compacted(options: ContextOptions, asked: PrepareOptions = {}): Promise<Prepared> {
  const all = { window: 32_000, counter: quarter, summarizer: goodSummary, ...options };
  return createContext(all).prepare(history, asked);
}

/** What the model was asked for, and what failed. */
async function written(
  options: ContextOptions,
  asked?: PrepareOptions,
): Promise<{ prompt?: string; failures: readonly object[] }> {
  const { report } = await compacted(options, asked);
  const { failures, summary } = report;
  return { prompt: summary?.calls[0]?.prompt.user, failures };
}

/** One template at each level at which it can be given. */
const LEVELS: Record<
  string,
  (template: TemplateOption) => [options: ContextOptions, asked?: PrepareOptions]
> = {
  "the plugin house": (template) => [
    { plugins: [{ name: "house", compactionTemplate: template }] },
  ],
  "the context": (template) => [{ compactionTemplate: template }],
  "this call": (template) => [{}, { compactionTemplate: template }],
};

describe.each(Object.entries(LEVELS))("a template of %s", (owner, at) => {
  it.each<[string, TemplateOption]>([
    ["Markdown", RISKS],
    ["a function of data", () => AS_DATA],
    ["a function of Markdown", () => RISKS],
  ])("says the same as %s", async (_, template) => {
    const asData = await written(...at(AS_DATA));
    expect(asData.prompt).toContain("## Risks");
    expect(await written(...at(template))).toEqual(asData);
  });

  it.each<[string, () => unknown, string]>([
    [
      "throws",
      () => {
        throw new Error("no database");
      },
      "no database",
    ],
    ["gives no template", () => 5, "A template is a number"],
    ["gives null", () => null, "A template is null"],
    ["gives a text without headings", () => "be brief", 'The template "be brief" has no heading'],
    ["gives half a section", () => ({ sections: [{ id: "new" }] }), 'The section "new" is new'],
    ["rejects", () => Promise.reject(new Error("late")), "It returned a promise"],
  ])("that %s is told, and the standing one is used", async (_, template, why) => {
    const constraints = ["never touch main"];
    const [options, asked] = at(template as TemplateOption);
    const plain = await written({ constraints });
    const { prompt, failures } = await written({ constraints, ...options }, asked);
    expect(prompt).toBe(plain.prompt);
    expect(failures).toEqual([
      {
        code: "invalid-options",
        message: expect.stringContaining(
          `The summary goes without the template of ${owner}: ${why}`,
        ) as string,
      },
    ]);
  });

  it("that gives nothing changes nothing", async () => {
    expect(await written(...at(() => undefined))).toEqual(await written({}));
  });
});

describe("a function as template", () => {
  it("is asked for a compaction alone, and told of which conversation", async () => {
    const asked: unknown[] = [];
    const context = createContext({
      window: 32_000,
      counter: quarter,
      conversation: "ticket-7",
      archive: directoryArchive(mkdtempSync(path.join(tmpdir(), "templates-"))),
      compactionTemplate(request) {
        asked.push(request);
        return undefined;
      },
    });
    await context.prepare(history.slice(0, 4));
    expect(asked).toEqual([]);
    expect((await context.prepare(history)).report.action).toBe("compact");
    expect(asked).toEqual([{ conversation: "ticket-7" }]);
  });

  it("that fails takes nothing from the other levels", async () => {
    const { report } = await compacted({
      plugins: [
        { name: "bad", compactionTemplate: () => "## Risks\n" },
        { name: "good", compactionTemplate: () => "## Costs\nIn euros." },
      ],
      compactionTemplate: "## Risks\nWhat may fail.",
    });
    expect(report.summary?.sections).toMatchObject({ risks: "(none)", costs: "(none)" });
    expect(report.failures).toMatchObject([
      { message: expect.stringContaining("the plugin bad") as string },
    ]);
  });

  it.each([
    ["the same", "## Risks\nWhat may fail.", "ready", 0],
    ["others", "## Costs\nIn euros.", "none", 1],
  ])("that wants %s then: what was prepared", async (_, later, ahead, discarded) => {
    let template = "## Risks\nWhat may fail.";
    const context = createContext({
      window: 32_000,
      counter: quarter,
      summarizer: goodSummary,
      compactionTemplate: () => template,
    });
    await context.prepare(history.slice(0, 1 + 27 * 3));
    await new Promise((resolve) => setTimeout(resolve, 5));
    template = later;
    const { report } = await context.prepare(history.slice(0, 1 + 33 * 3));
    expect(report).toMatchObject({ discardedSummaries: discarded, summary: { ahead } });
    expect(report.summary?.calls[0]?.prompt.user).toContain(later.split("\n")[0]);
  });
});
