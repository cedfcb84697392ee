import * as ai6 from "ai";
import * as ai7 from "ai7";
import { describe, expect, it } from "vitest";
import { aiSdk } from "../../../src/dialects/ai-sdk/ai-sdk.ts";
import { aiSdkContext, type AiSdkContext } from "../../../src/hooks/ai-sdk/index.ts";
import { words } from "../../build-messages.ts";
import { type FakeAnswer, type FakeCall, fakeModel, tokensOf } from "./fake-model.ts";

const WINDOW = 8_000;
const inputSchema = { type: "object", properties: { at: { type: "integer" } } } as const;

interface Settings {
  readonly context: AiSdkContext;
  readonly model: never;
  readonly messages: readonly unknown[];
  readonly stream?: boolean;
  readonly needsApproval?: boolean;
  readonly abortSignal?: AbortSignal;
}

type Result = Parameters<AiSdkContext["persisted"]>[0] & { readonly text: unknown };

/** One turn of an agent that looks; the SDK's own result. */
type Turn = (settings: Settings) => Promise<Result>;

const execute = async (): Promise<string> => words(300, "output");

const turn6: Turn = async ({ context, messages, stream = false, needsApproval, ...rest }) => {
  const look = ai6.tool({
    inputSchema: ai6.jsonSchema(inputSchema),
    execute,
    ...(needsApproval && { needsApproval }),
  });
  const settings = {
    ...rest,
    messages: [...messages] as ai6.ModelMessage[],
    tools: context.tools({ look }),
    prepareStep: context.prepareStep,
    stopWhen: ai6.stepCountIs(100),
    maxRetries: 0,
    onError: () => undefined,
  };
  if (!stream) return ai6.generateText(settings);
  const result = ai6.streamText(settings);
  await result.consumeStream();
  return result;
};

const turn7: Turn = async ({ context, messages, stream = false, needsApproval, ...rest }) => {
  const look = ai7.tool({
    inputSchema: ai7.jsonSchema(inputSchema),
    execute,
    ...(needsApproval && { needsApproval }),
  });
  const settings = {
    ...rest,
    messages: [...messages] as ai7.ModelMessage[],
    tools: context.tools({ look }),
    prepareStep: context.prepareStep,
    stopWhen: ai7.isStepCount(100),
    maxRetries: 0,
    onError: () => undefined,
  };
  if (!stream) return ai7.generateText(settings);
  const result = ai7.streamText(settings);
  await result.consumeStream();
  return result;
};

function look(times: number): () => FakeAnswer {
  let done = 0;
  return () =>
    done++ < times ? { calls: [{ name: "look", input: { at: done } }] } : { text: `done ${done}` };
}

/** What a model saw and answered, as the list that says so. */
function texts({ prompt }: FakeCall): string[] {
  return prompt.map(({ role, content }) => `${role} ${JSON.stringify(content)}`);
}

const ways = [turn6, turn7].flatMap((turn) =>
  [false, true].map((stream) => ({
    version: turn === turn6 ? (6 as const) : (7 as const),
    turn,
    stream,
  })),
);

describe.each(ways)("version $version, stream $stream", ({ version, turn, stream }) => {
  it("is the whole history as long as nothing was edited", async () => {
    const { model, calls } = fakeModel({ version, answer: look(3) });
    const context = aiSdkContext({ window: WINDOW });
    const messages = [{ role: "user", content: "look" }];
    const result = await turn({ context, model, messages, stream });
    const saved = await context.persisted(result);
    expect(saved).toHaveLength(8);
    expect(saved[0]).toBe(messages[0]);
    expect(saved.at(-1)).toMatchObject({ role: "assistant", content: [{ text: "done 4" }] });
    expect(aiSdk.check(saved)).toEqual([]);
    expect(calls).toHaveLength(4);
  });

  it("goes on in another process with the very same view", async () => {
    const answer = look(40);
    const { model, calls } = fakeModel({ version, answer, limit: WINDOW });
    const context = aiSdkContext({ window: WINDOW });
    const messages = [{ role: "user", content: "look" }];
    const result = await turn({ context, model, messages, stream });
    const saved = JSON.parse(JSON.stringify(await context.persisted(result))) as unknown[];
    const journal = JSON.parse(JSON.stringify(context.journal())) as never;
    expect(context.journal().length).toBeGreaterThan(1);
    const seen = texts(calls.at(-1)!);
    const other = aiSdkContext({ window: WINDOW, journal });
    const more = fakeModel({ version, answer: look(30), limit: WINDOW });
    const next = [...saved, { role: "user", content: "and now?" }];
    const second = await turn({ context: other, model: more.model, messages: next, stream });
    // The first request begins with what the last one of the other process was.
    expect(texts(more.calls[0]!).slice(0, seen.length)).toEqual(seen);
    expect(JSON.stringify(more.calls[0]!.prompt.at(-1))).toContain("and now?");
    expect(other.journal().length).toBeGreaterThan(journal["length"]);
    expect(more.refused()).toBe(0);
    expect(JSON.stringify(await other.persisted(second))).toContain("done 31");
  });

  it("goes on without a journal, too", async () => {
    const { model } = fakeModel({ version, answer: look(40), limit: WINDOW });
    const context = aiSdkContext({ window: WINDOW });
    const messages = [{ role: "user", content: "look, and never change anything" }];
    const result = await turn({ context, model, messages, stream });
    const saved = JSON.parse(JSON.stringify(await context.persisted(result))) as unknown[];
    const more = fakeModel({ version, answer: look(40), limit: WINDOW });
    const other = aiSdkContext({ window: WINDOW });
    const next = [...saved, { role: "user", content: "and now?" }];
    await turn({ context: other, model: more.model, messages: next, stream });
    expect(more.refused()).toBe(0);
    const sent = JSON.stringify(more.calls.at(-1)!.prompt);
    expect(sent.match(/<prior-conversation-summary/g)).toHaveLength(1);
    expect(sent).toContain("never change anything");
  });

  it("keeps what waits for an approval, and the result of what was approved once", async () => {
    const { model, calls } = fakeModel({ version, answer: look(1) });
    const context = aiSdkContext({ window: WINDOW });
    const first = await turn({
      context,
      model,
      messages: [{ role: "user", content: "look" }],
      needsApproval: true,
      stream,
    });
    const waiting = await context.persisted(first);
    const asked = (waiting.at(-1)!.content as { type: string; approvalId?: string }[]).find(
      ({ type }) => type === "tool-approval-request",
    );
    const response = {
      type: "tool-approval-response",
      approvalId: asked!.approvalId,
      approved: true,
    };
    const messages = [...waiting, { role: "tool", content: [response] }];
    const second = await turn({ context, model, messages, needsApproval: true, stream });
    const saved = await context.persisted(second);
    expect(calls).toHaveLength(2);
    const types = saved.map(({ role, content }) =>
      typeof content === "string" ? role : `${role} ${content.map(({ type }) => type).join()}`,
    );
    expect(types).toEqual([
      "user",
      "assistant tool-call,tool-approval-request",
      "tool tool-approval-response",
      "tool tool-result",
      "assistant text",
    ]);
    const third = { role: "user", content: "and?" };
    await turn({ context, model, messages: [...saved, third], stream });
    expect(tokensOf(calls.at(-1)!)).toBeGreaterThan(tokensOf(calls[1]!));
  });
});

describe("a run that is cut off", () => {
  it.each([
    { version: 6 as const, turn: turn6 },
    { version: 7 as const, turn: turn7 },
  ])("leaves what it had done: version $version", async ({ version, turn }) => {
    const controller = new AbortController();
    const agent = look(10);
    const { model } = fakeModel({
      version,
      answer: (_, index) => {
        if (index < 2) return agent();
        controller.abort();
        throw new DOMException("Gone.", "AbortError");
      },
    });
    const context = aiSdkContext({ window: WINDOW });
    const messages = [{ role: "user", content: "look" }];
    const abortSignal = controller.signal;
    await expect(turn({ context, model, messages, abortSignal })).rejects.toThrow("Gone.");
    // An event has the steps where there is no result.
    const saved = await context.persisted({ steps: [] });
    expect(saved.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "assistant",
      "tool",
    ]);
  });
});

describe("one conversation, two runs", () => {
  it.each([
    { version: 6 as const, turn: turn6 },
    { version: 7 as const, turn: turn7 },
  ])(
    "leaves each what it was, also after the next: version $version",
    async ({ version, turn }) => {
      const { model } = fakeModel({ version, answer: look(1) });
      const context = aiSdkContext({ window: WINDOW });
      const first = await turn({ context, model, messages: [{ role: "user", content: "look" }] });
      const saved = await context.persisted(first);
      await turn({ context, model, messages: [...saved, { role: "user", content: "and now?" }] });
      expect(await context.persisted(first)).toEqual(saved);
    },
  );
});
