import { NEUTRAL_TRAITS } from "../../src/core/plan/index.ts";
import { expect, it } from "vitest";
import { memoryArchive } from "../../src/archive/index.ts";
import { type ContextOptions, createContext } from "../../src/context/index.ts";
import { EMPTY_LEDGER } from "../../src/core/ledger/index.ts";

const own = { name: "own", summarize: () => Promise.resolve({ text: "" }) };
const list = { key: "0123456789abcdef", length: 1 };
const record = {
  version: 2,
  plan: {},
  before: list,
  after: list,
  consumed: 1,
  facts: EMPTY_LEDGER,
};

/** What a summary says of it would be no text. */
const DEEP = {
  ...EMPTY_LEDGER,
  commands: [{ command: "ls", outcome: "failed", exitCode: [[{ toString: 1 }]] }],
};

it.each(["postgres:me:secret@host/db", "postgres//me:secret@db", "host=db password=secret"])(
  "an address that is none is refused, and not shown: %s",
  (archive) => {
    let message = "";
    try {
      createContext({ archive });
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message).toContain("or an address, postgres://");
    expect(message).not.toContain("secret");
  },
);

it.each([
  [{ archive: "/var/archive" }, 'The option archive is "/var/archive"; it must be an archive'],
  [{ archive: {} }, "directoryArchive(folder)"],
  [{ archive: null }, "The option archive"],
  [{ summarizer: "claude-haiku-4-5" }, 'The option summarizer is "claude-haiku-4-5"; it must be'],
  [{ summarizer: { model: "x" } }, "The option summarizer.summarize is no"],
  [
    { journal: "journal.jsonl" },
    'The option journal is "journal.jsonl"; it must be what journal()',
  ],
  [{ journal: {} }, "The option journal"],
  [{ journal: [null] }, "The option journal"],
  [{ journal: [{ version: 1 }] }, "of this version"],
  [{ journal: [{ version: 2, at: 0, undo: "x" }] }, "The option journal"],
  [{ journal: [{ ...record, summary: 5 }] }, "The option journal"],
  [{ journal: [{ ...record, facts: DEEP }] }, "The option journal"],
  [{ journal: [{ ...record, narrative: { goal: 1 } }] }, "The option journal"],
  [{ plugins: [{ name: "p", summarizer: "x" }] }, "The option plugins[0].summarizer"],
  [{ summarizer: { ...own, window: "8000" } }, 'The option summarizer.window is "8000"'],
  [{ summarizer: { ...own, window: null } }, "The option summarizer.window"],
  [{ summarizer: { ...own, maxTokens: 0 } }, "a number of tokens above 0"],
  [{ summarizer: { ...own, maxTokens: Number.NaN } }, "The option summarizer.maxTokens"],
  [{ counter: 5 }, "The option counter"],
  [{ tailTokens: "8k" }, 'The option tailTokens is "8k"; it must be a number of tokens'],
  [{ tailShare: 25 }, "The option tailShare is 25; it must be a share of usable from 0 to 1"],
  [{ summaryTokens: 40 }, "The option summaryTokens is 40"],
  [{ tailToken: 5 }, "There is no option tailToken. Did you mean tailTokens?"],
  [{ protectedTools: 5 }, "The option protectedTools holds a number"],
  [{ plugins: [{ name: "p", protectedTools: [null] }] }, "The option protectedTools holds null"],
  [{ requestLimits: { maxImage: 5 } }, "no option maxImage. Did you mean maxImages?"],
  [{ requestLimits: { maxBytes: -1 } }, "The option requestLimits"],
  [{ traits: { summaryRole: "tool" } }, "The option traits"],
  [{ traits: { bound: true } }, "There is no option bound"],
  [{ toolKinds: { my_shell: "shell" } }, 'option toolKinds.my_shell is "shell"; it must be one of'],
  [
    { plugins: [{ name: "p", toolKinds: { my_shell: "shell" } }] },
    "The option plugins[0].toolKinds",
  ],
  [{ toolLimits: { bash: { lines: 5 } } }, "There is no option lines"],
  [{ plugins: [{ name: "p", toolLimits: { bash: { maxLines: -5 } } }] }, "maxLines"],
  [{ toolLimits: 5 }, "The option toolLimits"],
  [{ toolLimits: null }, "The option toolLimits"],
  [{ toolLimits: { bash: { direction: "up" } } }, "The direction is up"],
  [
    { compactionTemplate: "short" },
    'The template "short" has no heading; each heading is a section',
  ],
  [{ compactionTemplate: "" }, "has no heading"],
  [{ compactionTemplate: "## Risks\n\n## Goal" }, 'The section "risks" is new'],
  [{ plugins: [{ name: "p", compactionTemplate: "no heading" }] }, "has no heading"],
  [{ compactionTemplate: { conversation: { sections: [] } } }, "A template is"],
  [{ compactionTemplate: { sections: "goal" } }, "A template is"],
  [{ compactionTemplate: { sections: [null] } }, "A template is"],
  [{ compactionTemplate: { sections: [{ id: "goal", purpose: 5 }] } }, "A template is"],
  [{ compactionTemplate: { sections: [{ id: "new" }] } }, 'The section "new" is new'],
  [{ plugins: [{ name: "p", compactionTemplate: {} }] }, "A template is"],
])("%j is refused at once", (options, message) => {
  expect(() => createContext(options as unknown as ContextOptions)).toThrow(message);
});

it.each<ContextOptions>([
  { archive: memoryArchive(), summarizer: "extractive" },
  { summarizer: () => Promise.resolve("a summary") },
  { journal: [record as never] },
  { compactionTemplate: { sections: [{ id: "goal", purpose: "The ticket." }] } },
  { compactionTemplate: "## Risks\nWhat may fail." },
  { compactionTemplate: () => ({ sections: [] }) },
  { summarizer: own },
  { summarizer: { ...own, window: Infinity, maxTokens: 400 } },
  {
    requestLimits: { maxBytes: undefined, maxImages: 0 },
    toolLimits: { bash: undefined as never },
  },
  { toolKinds: { my_shell: "command" }, traits: NEUTRAL_TRAITS },
])("what fits is taken", (options) => {
  expect(() => createContext(options)).not.toThrow();
});

it("a template of one call is checked at once, also where nothing is to be done", async () => {
  const context = createContext({ window: 200_000 });
  for (const compactionTemplate of [{ sections: [{ id: "new" }] }, "no heading"]) {
    await expect(context.prepare([], { compactionTemplate })).rejects.toMatchObject({
      code: "invalid-options",
    });
  }
});
