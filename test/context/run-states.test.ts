import { describe, expect, it, test } from "vitest";
import { memoryArchive } from "../../src/archive/index.ts";
import { type ContextOptions, createContext } from "../../src/context/index.ts";
import { MEDIA_MARK, type RunState } from "../../src/core/continuation/index.ts";
import { frameSummary } from "../../src/core/summary/frame.ts";
import { checkMessages, type Message, messageText } from "../../src/core/message/index.ts";
import { aiSdk } from "../../src/dialects/ai-sdk/ai-sdk.ts";
import { anthropic } from "../../src/dialects/anthropic/anthropic.ts";
import type { Dialect } from "../../src/dialects/dialect.ts";
import { langchain } from "../../src/dialects/langchain/langchain.ts";
import { neutral } from "../../src/dialects/neutral/neutral.ts";
import { openaiChat } from "../../src/dialects/openai-chat/openai-chat.ts";
import { openaiResponses } from "../../src/dialects/openai-responses/openai-responses.ts";
import { assistant, quarter, step, system, user, words } from "../build-messages.ts";

/** A dialect whose conversations only pass through. */
type AnyDialect = Pick<Dialect, "name" | "traits" | "encode" | "check">;
const DIALECTS = [
  neutral,
  openaiChat,
  openaiResponses,
  anthropic,
  aiSdk,
  langchain,
] as readonly unknown[] as readonly AnyDialect[];

const steps = (round: string): Message[] =>
  Array.from({ length: 60 }, (_, n) => [
    ...step(`${round}${n}`, "bash", { command: `run ${n}` }, words(100, `${n}`)),
    assistant(words(250, `${n}`)),
  ]).flat();
const work: Message[] = [system("rules"), user("do the work"), ...steps("c")];
/** A PNG of one pixel. */
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const picture: Message = {
  role: "user",
  parts: [
    { type: "text", text: "What is in this picture?" },
    { type: "file", mediaType: "image/png", data: PIXEL },
  ],
};
const cutOff: Message = {
  ...assistant("And the next thing that I"),
  metadata: { finish: "length" },
};

const ENDINGS: Readonly<Record<string, { readonly state: RunState; readonly end: Message[] }>> = {
  unanswered: { state: "unanswered", end: [assistant("Done."), user("And the tests?")] },
  media: { state: "media", end: [assistant("Done."), picture] },
  "mid-task": { state: "mid-task", end: step("last", "bash", { command: "ls" }, "a.ts") },
  "mid-task, cut off": { state: "mid-task", end: [cutOff] },
  answered: { state: "answered", end: [assistant("All of it is done.")] },
};
const CASES = DIALECTS.flatMap((dialect) =>
  Object.entries(ENDINGS).map(([name, ending]) => ({ dialect, name, ...ending })),
);

async function compacted(dialect: AnyDialect, end: Message[], more: ContextOptions) {
  const archive = memoryArchive();
  const { traits } = dialect;
  const context = createContext({ window: 32_000, counter: quarter, archive, traits, ...more });
  const { messages, report } = await context.prepare([...work, ...end], { force: true });
  return { messages, report, archive, context };
}

function addedTo(messages: readonly Message[]): readonly Message[] {
  return messages.filter(({ kind }) => kind === "continuation");
}

describe.each(CASES)("$name, $dialect.name", ({ dialect, state, end }) => {
  it("goes on legally, with what was asked there once and nothing added that need not be", async () => {
    const { messages, report } = await compacted(dialect, end, {});
    expect(report).toMatchObject({ action: "compact", continuation: { state }, failures: [] });
    expect(checkMessages(messages)).toEqual([]);
    const encoded = dialect.encode(messages);
    expect(dialect.check(encoded, { asRequest: state !== "answered" })).toEqual([]);
    expect(addedTo(messages)).toHaveLength(report.continuation?.added === true ? 1 : 0);
    if (state !== "mid-task") expect(addedTo(messages)).toEqual([]);
    if (state === "unanswered" || state === "answered") expect(messages.at(-1)).toBe(end.at(-1));
  });

  it("adds nothing when it must not", async () => {
    const { report: auto } = await compacted(dialect, end, {});
    const needed = auto.continuation?.added;
    for (const continuation of ["ask", "never"] as const) {
      const { messages, report } = await compacted(dialect, end, { continuation });
      const text = needed && continuation === "ask" ? { text: auto.continuation?.text } : {};
      expect(report.continuation).toEqual({ state, needed, added: false, ...text });
      expect(addedTo(messages)).toEqual([]);
    }
  });

  if (state !== "media") return;

  it("describes what was attached, and keeps it in the archive", async () => {
    const { messages, archive } = await compacted(dialect, end, {});
    const last = messages.at(-1) as Message;
    expect(last.metadata).toMatchObject({ [MEDIA_MARK]: true });
    expect(messageText(last)).toMatch(
      /^What is in this picture\?[^]*\[image\/png, \d+ bytes was att/,
    );
    const [handle = ""] = /[a-z]+_[0-9a-f]{16}/.exec(messageText(last)) ?? [];
    expect(await archive.get(handle)).toContain(PIXEL);
    expect(JSON.stringify(dialect.encode(messages))).not.toContain(PIXEL);
  });

  it("keeps it on wish", async () => {
    const { messages } = await compacted(dialect, end, { unansweredMedia: "keep" });
    expect(messages.at(-1)).toBe(picture);
  });
});

const POLICIES = ["auto", "never"] as const;

test.each(
  DIALECTS.flatMap((dialect) => POLICIES.map((continuation) => ({ ...dialect, continuation }))),
)(
  "somebody speaks as a user although an earlier summary was all that did, at every compaction: $name, $continuation",
  async ({ traits, encode, continuation }) => {
    const text = frameSummary("## Goal\nwork", { headMessages: 9 });
    const summary: Message = { ...user(text), kind: "summary" };
    for (const state of ["mid-task", "answered"]) {
      const context = createContext({ window: 20_000, traits, continuation });
      let messages: readonly Message[] = [system("rules"), summary];
      for (const round of ["a", "b", "c"]) {
        const done = steps(round).slice(0, state === "mid-task" ? -1 : undefined);
        const prepared = await context.prepare([...messages, ...done], { force: true });
        expect(prepared.report).toMatchObject({ action: "compact", continuation: { state } });
        ({ messages } = prepared);
        expect(JSON.stringify(encode(messages))).toMatch(/"role":"user"|"type":"human"/);
      }
    }
  },
);
