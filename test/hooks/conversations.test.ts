import { setImmediate } from "node:timers/promises";
import { describe, expect, it, onTestFinished, test, vi } from "vitest";
import { memoryArchive } from "../../src/archive/index.ts";
import type { AnyContextEvent, ContextOptions } from "../../src/context/index.ts";
import type { AnthropicMessage } from "../../src/dialects/anthropic/wire.ts";
import { openaiChat } from "../../src/dialects/openai-chat/openai-chat.ts";
import type { ChatMessage } from "../../src/dialects/openai-chat/wire.ts";
import { anthropicContext } from "../../src/hooks/anthropic/index.ts";
import { createConversations } from "../../src/hooks/conversations.ts";
import { createHook } from "../../src/hooks/hook.ts";
import { quarter, words } from "../build-messages.ts";
import { runs } from "../property/runs.ts";

type Context = ReturnType<typeof anthropicContext>;

/** What a request carries beside its messages. */
interface Beside {
  readonly system?: string;
  readonly tools?: readonly { readonly name: string }[];
}

/** A client of the API that answers all alike; gives back what each request sent. */
function clientOf({ middleware }: Context) {
  return async (
    messages: readonly AnthropicMessage[],
    beside: Beside = {},
  ): Promise<readonly AnthropicMessage[]> => {
    const params = { model: "claude-haiku-4-5", messages, ...beside };
    const request = { url: "https://local/v1/messages", body: JSON.stringify(params) };
    let sent: readonly AnthropicMessage[] = [];
    const next = async ({ body }: { body: string }) => {
      sent = (JSON.parse(body) as typeof params).messages;
      const usage = { input_tokens: Math.ceil(body.length / 4), output_tokens: 3 };
      return new Response(JSON.stringify({ content: [], usage }));
    };
    await middleware(request, next, { options: { body: params } });
    // What it reported is read beside the caller.
    await setImmediate();
    return sent;
  };
}

const ask = (text: string): AnthropicMessage => ({ role: "user", content: text });

function steps(count: number, by = "t"): AnthropicMessage[] {
  return Array.from({ length: count }, (_, n) => `${by}${n}`).flatMap((id): AnthropicMessage[] => [
    {
      role: "assistant",
      content: [{ type: "tool_use", id, name: "read", input: { path: `${id}.ts` } }],
    },
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: id, content: words(100, `file ${id}`) }],
    },
  ]);
}

/** The requests of an agent that reads one file after the other. */
function requests(question: string, count: number, by?: string): AnthropicMessage[][] {
  const all = [ask(question), ...steps(count, by)];
  return Array.from({ length: count }, (_, n) => all.slice(0, 2 * n + 1));
}

/** Several edits of a small window. */
const STEPS = runs(100, 160);
const SMALL = { window: 8_000, counter: quarter };

test("what was reported counts for the list that goes on, and for no other that begins alike", () => {
  const sdk = {
    traits: openaiChat.traits,
    windowOf: () => undefined,
    summarizerOf: () => undefined,
  };
  const conversationOf = createConversations(createHook({}, sdk), {
    dialect: openaiChat,
    messagesOf: (messages: readonly ChatMessage[]) => messages,
  });
  const question: ChatMessage = { role: "user", content: "How is the build?" };
  const answer = (content: string): ChatMessage => ({ role: "assistant", content });
  const work = [question, answer("I look."), { role: "user" as const, content: "And?" }];
  const usage = { input: 900, output: 5 };
  conversationOf(work).learn(usage);
  const marked = { type: "text" as const, text: "And?", cache_control: { type: "ephemeral" } };
  const moved = [...work.slice(0, 2), { role: "user" as const, content: [marked] }];
  expect(conversationOf([...moved, answer("It is broken.")]).reported).toEqual(usage);
  const other = [question, answer("A plan."), answer("More."), answer("Done.")];
  expect(conversationOf(other).reported).toBeUndefined();
  const next = [...moved, answer("It is broken."), question, answer("Mended.")];
  expect(conversationOf(next).reported).toBeUndefined();
});

test("a conversation that gives way with its edits is told of, once", async () => {
  const context = anthropicContext({ ...SMALL, maxConversations: 2 });
  const failures: string[] = [];
  context.on("failed", ({ code, message }) => void failures.push(`${code}: ${message}`));
  const send = clientOf(context);
  for (const question of ["One?", "Two?"]) await send([ask(question), ...steps(3)]);
  await send([ask("Three?"), ...steps(120)]);
  expect(failures).toEqual([]);
  for (const question of ["Four?", "Five?", "Six?"]) await send([ask(question), ...steps(120)]);
  expect(failures).toHaveLength(1);
  expect(failures[0]).toMatch(/^limit-exceeded: More than 2 conversations .* maxConversations/);
});

describe("conversations through one client", () => {
  it("keep their edits whatever else is asked in between", async () => {
    const context = anthropicContext(SMALL);
    const send = clientOf(context);
    const agent = [ask("Read all files."), ...steps(120)];
    const first = await send(agent);
    expect(first).not.toEqual(agent);
    expect(await send([ask("A title, please.")])).toEqual([ask("A title, please.")]);
    const second = await send([...agent, ...steps(121).slice(-2)]);
    expect(second.slice(0, first.length)).toEqual(first);
    expect(context.journal()).toHaveLength(1);
  });

  it("are the same when cache breakpoints have moved on", async () => {
    const context = anthropicContext(SMALL);
    const send = clientOf(context);
    let prepared = 0;
    context.on("prepared", () => void (prepared += 1));
    const cache_control = { type: "ephemeral" };
    const marked = { type: "text", text: "Read all files.", cache_control };
    await send([{ role: "user", content: [marked] }]);
    await send([ask("Read all files."), ...steps(2)]);
    expect(prepared).toBe(2);
  });

  it("have the breakpoints of the newest request, and none of those before it", async () => {
    const send = clientOf(anthropicContext(SMALL));
    const history = [ask("Read all files.")];
    const counts = new Set<number>();
    for (const step of chunks(steps(runs(STEPS, 300)))) {
      history.push(...step);
      const sent = await send([...history.slice(0, -1), marked(history.at(-1)!)]);
      expect(JSON.stringify(sent.at(-1))).toContain("cache_control");
      counts.add(JSON.stringify(sent).split("cache_control").length - 1);
    }
    // One is the caller's; the end of the summary may have another one.
    expect(Math.max(...counts)).toBeLessThanOrEqual(2);
  });
});

const AGENT = { system: "You are the agent.", tools: [{ name: "read" }, { name: "task" }] };
const HELPER = { system: "You are a helper.", tools: [{ name: "read" }] };
const TITLE = { system: "Write a title." };

describe("agents that get the same first message", () => {
  it.each<[name: string, helper: Beside]>([
    ["other instructions and tools", HELPER],
    ["other instructions", { ...AGENT, system: HELPER.system }],
    ["other tools", { ...AGENT, tools: HELPER.tools }],
  ])("each keep their edits, with %s", async (_name, helper) => {
    const alone = await editsOf(async (send) => {
      for (const request of requests("Fix it.", STEPS)) await send(request, AGENT);
    });
    const [own, others] = [requests("Fix it.", STEPS), requests("Fix it.", STEPS, "h")];
    const both = await editsOf(async (send) => {
      for (const [n, request] of own.entries()) {
        await send(request, AGENT);
        await send(others[n] ?? [], helper);
      }
    });
    expect(alone).toBeGreaterThan(2);
    expect(both).toBe(2 * alone);
  });

  it("each keep their edits where nothing tells them apart but their answers", async () => {
    const [own, twin] = [requests("Fix it.", STEPS), requests("Fix it.", STEPS, "h")];
    const edits = await editsOf(async (send) => {
      for (const request of own) await send(request, AGENT);
      for (const request of twin) await send(request, AGENT);
      expect((await send(own.at(-1) ?? [], AGENT)).length).toBeLessThan(300);
    });
    const alone = await editsOf(async (send) => {
      for (const request of own) await send(request, AGENT);
    });
    expect(edits).toBe(2 * alone);
  });
});

it.each<[name: string, beside: (n: number) => Beside]>([
  ["instructions", (n) => ({ ...AGENT, system: `You are the agent. ${n} todos are open.` })],
  ["tools", (n) => ({ ...AGENT, tools: [...AGENT.tools, { name: `more-${n}` }] })],
])("an agent whose %s change stays in its conversation", async (_name, beside) => {
  const context = anthropicContext(SMALL);
  const [send, sent] = [clientOf(context), [] as AnthropicMessage[][]];
  for (const [n, request] of requests("Fix it.", STEPS).entries()) {
    sent.push([...(await send(request, beside(n)))]);
  }
  const steady = await editsOf(async (other) => {
    for (const request of requests("Fix it.", STEPS)) await other(request, AGENT);
  });
  expect(context.journal()).toHaveLength(steady);
  const goesOn = sent.slice(1).filter((list, at) => startsWith(list, sent[at] ?? []));
  expect(goesOn).toHaveLength(sent.length - 1 - steady);
});

describe("the context of a client", () => {
  it("is that of the agent, and not that of a question before it", async () => {
    const context = anthropicContext(SMALL);
    const send = clientOf(context);
    await send([ask("Fix it.")], TITLE);
    for (const request of requests("Fix it.", 100)) await send(request, AGENT);
    expect(context.journal().length).toBeGreaterThan(0);
    await send([ask("Fix it.")], TITLE);
    expect(context.journal().length).toBeGreaterThan(0);
  });

  it("tells its listeners what fails in the other conversations", async () => {
    const heard: string[] = [];
    const warn = vi.spyOn(console, "warn").mockImplementation(() => void heard.push("unheard"));
    onTestFinished(() => warn.mockRestore());
    const context = anthropicContext(SMALL);
    const stop = context.on("failed", ({ code }) => heard.push(code));
    const send = clientOf(context);
    const system = words(20_000, "rules");
    await send([ask("Fix it.")], AGENT);
    await send([ask("Fix it.")], { system });
    expect(heard).toEqual(["irreducible"]);
    stop();
    await send([ask("Fix it.")], { system });
    expect(heard).toEqual(["irreducible", "unheard"]);
  });

  it("goes along when the agent hands over at once", async () => {
    const context = anthropicContext(SMALL);
    const send = clientOf(context);
    await send([ask("Fix it.")], AGENT);
    for (const request of requests("Fix it.", 100).slice(1)) await send(request, HELPER);
    expect(context.journal().length).toBeGreaterThan(0);
  });

  it("stays that of the agent while it waits for a helper", async () => {
    const context = anthropicContext(SMALL);
    const send = clientOf(context);
    await send([ask("Fix it.")], AGENT);
    for (const request of requests("Look.", 100, "h")) await send(request, HELPER);
    expect(context.journal()).toEqual([]);
    for (const request of requests("Fix it.", 100).slice(1)) await send(request, AGENT);
    expect(context.journal().length).toBeGreaterThan(0);
  });
});

describe("what makes two requests one conversation", () => {
  const open = () => {
    const opened: string[] = [];
    const onConversation = (_: unknown, id: string): void => void opened.push(id);
    return { opened, send: clientOf(anthropicContext({ ...SMALL, onConversation })) };
  };
  const answer: AnthropicMessage = { role: "assistant", content: "I look." };
  const other: AnthropicMessage = { role: "assistant", content: "I ask." };

  it.each<[name: string, count: number, later: readonly [AnthropicMessage[], Beside][]]>([
    ["the same question with the same tools", 0, [[[ask("Fix it.")], AGENT]]],
    [
      "another system prompt, as long as there is no answer",
      0,
      [[[ask("Fix it.")], { ...AGENT, system: "On Monday." }]],
    ],
    ["other tools, as long as there is no answer", 1, [[[ask("Fix it.")], HELPER]]],
    ["the first answer, by other means", 0, [[[ask("Fix it."), answer, ask("And?")], HELPER]]],
    [
      "two first answers",
      1,
      [
        [[ask("Fix it."), answer, ask("And?")], AGENT],
        [[ask("Fix it."), other, ask("And?")], AGENT],
      ],
    ],
    ["another question", 1, [[[ask("Look.")], AGENT]]],
    [
      "more before the answer",
      1,
      [
        [[ask("Fix it."), answer, ask("And?")], AGENT],
        [[ask("Fix it."), ask("Now."), answer, ask("And?")], AGENT],
      ],
    ],
  ])("%s", async (_name, count, later) => {
    const { opened, send } = open();
    await send([ask("Fix it.")], AGENT);
    for (const [messages, beside] of later) await send(messages, beside);
    expect(opened).toHaveLength(count);
  });

  it("is the caller's word, where there is one", async () => {
    const opened: string[] = [];
    const context = anthropicContext({
      ...SMALL,
      conversationOf: ({ system }) => (typeof system === "string" ? system : undefined),
      onConversation: (_, id) => void opened.push(id),
    });
    const send = clientOf(context);
    await send([ask("Fix it.")], AGENT);
    await send([ask("Something else.")], AGENT);
    await send([ask("Fix it.")], HELPER);
    await send([ask("Look."), answer, ask("And?")], HELPER);
    expect(opened).toEqual([HELPER.system]);
  });

  it("is forgotten when there are too many, the oldest first, and never the agent's own", async () => {
    const opened: string[] = [];
    const onConversation = (_: unknown, id: string): void => void opened.push(id);
    const context = anthropicContext({ ...SMALL, maxConversations: 2, onConversation });
    const send = clientOf(context);
    for (const question of ["agent", "a", "b", "agent", "b", "a"]) {
      await send([ask(question)], AGENT);
    }
    expect(opened).toHaveLength(3);
  });

  it("is not changed by the order of fields, ids of items or marks for caches", async () => {
    const { opened, send } = open();
    const cache_control = { type: "ephemeral" };
    const marked = { text: "Fix it.", cache_control, type: "text" };
    await send([ask("Fix it."), answer, ask("And?")], AGENT);
    const again = { content: [marked], role: "user" } as unknown as AnthropicMessage;
    await send([again, { ...answer, id: "msg_1" } as AnthropicMessage, ask("And?")], AGENT);
    expect(opened).toEqual([]);
  });
});

describe("a stored conversation", () => {
  const history = requests("Fix it.", 100).at(-1) ?? [];
  const helping = requests("Look.", 100, "h").at(-1) ?? [];

  it.each<[name: string, before: readonly AnthropicMessage[], beside: Beside]>([
    ["nothing", [], {}],
    ["a title", [ask("Fix it.")], TITLE],
    ["a helper that begins alike", requests("Fix it.", 3, "h").at(-1) ?? [], HELPER],
    ["a helper", requests("Look.", 90, "h").at(-1) ?? [], HELPER],
  ])("is found again, with %s before it", async (_name, before, beside) => {
    const stored = { conversation: "c", archive: memoryArchive() };
    const sent = await clientOf(anthropicContext({ ...SMALL, ...stored }))(history, AGENT);
    const edits = await editsOf(async (send) => {
      if (before.length > 0) await send(before, beside);
      expect(await send(history, AGENT)).toEqual(sent);
    }, stored);
    expect(edits).toBe(before.length > 100 ? 1 : 0);
  });

  it("is found again from its journal, with a title before it", async () => {
    const first = anthropicContext(SMALL);
    const sent = await clientOf(first)(history, AGENT);
    const journal = JSON.parse(JSON.stringify(first.journal()));
    const other = anthropicContext({ ...SMALL, archive: first.archive, journal });
    const send = clientOf(other);
    await send([ask("Fix it.")], TITLE);
    expect(other.journal()).toEqual(journal);
    expect(await send(history, AGENT)).toEqual(sent);
    expect(other.journal()).toEqual(journal);
  });

  it("is kept for every agent of the client", async () => {
    const stored = { conversation: "c", archive: memoryArchive() };
    const send = clientOf(anthropicContext({ ...SMALL, ...stored }));
    const [agent, helper] = [await send(history, AGENT), await send(helping, HELPER)];
    const edits = await editsOf(async (again) => {
      expect(await again(helping, HELPER)).toEqual(helper);
      expect(await again(history, AGENT)).toEqual(agent);
    }, stored);
    expect(edits).toBe(0);
  });

  it("is not that of a sub-agent", async () => {
    const stored = { ...SMALL, conversation: "c", archive: memoryArchive() };
    const send = clientOf(anthropicContext(stored).subAgent());
    await send(helping, HELPER);
    await send(history, HELPER);
    const again = anthropicContext(stored);
    await clientOf(again)([ask("Fix it.")], AGENT);
    expect(again.journal()).toEqual([]);
  });
});

/** How many edits are made in all conversations of a client. */
async function editsOf(
  work: (send: ReturnType<typeof clientOf>) => Promise<void>,
  options: ContextOptions = {},
): Promise<number> {
  const edits = { count: 0 };
  const onEvent = ({ name }: AnyContextEvent): void =>
    void (edits.count += name === "edited" ? 1 : 0);
  await work(
    clientOf(anthropicContext({ ...SMALL, ...options, plugins: [{ name: "count", onEvent }] })),
  );
  return edits.count;
}

function startsWith(
  list: readonly AnthropicMessage[],
  start: readonly AnthropicMessage[],
): boolean {
  return JSON.stringify(list.slice(0, start.length)) === JSON.stringify(start);
}

/** Each assistant's message with its results. */
function chunks(messages: readonly AnthropicMessage[]): AnthropicMessage[][] {
  return messages.flatMap((message, at) => (at % 2 === 0 ? [[message, messages[at + 1]!]] : []));
}

function marked({ role, content }: AnthropicMessage): AnthropicMessage {
  const cache_control = { type: "ephemeral" };
  const blocks = content as Exclude<typeof content, string | undefined>;
  return { role, content: blocks.map((block) => ({ ...block, cache_control })) };
}
