import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { OpencodeMessage } from "../../../src/plugins/opencode/encode.ts";
import { opencodeFormat } from "../../../src/plugins/opencode/format.ts";
import type { OpencodeHooks } from "../../../src/plugins/opencode/host.ts";
import { longhaulOpencode } from "../../../src/plugins/opencode/server.ts";
import { recording, RECORDINGS } from "../../recordings.ts";
import { describeInside, inFreshHome, type Loaded } from "../describe-inside.ts";

const ID = "ses_1";
const MODEL = { providerID: "some", modelID: "some-model" };

/** What opencode does with the hooks of a plugin, as far as it matters here. */
function hosted(hooks: OpencodeHooks): Loaded<OpencodeMessage> {
  return {
    async send(list) {
      const messages = [...list];
      await hooks["experimental.chat.messages.transform"]({}, { messages });
      return messages;
    },
    async arrives(output) {
      const call = { tool: "bash", sessionID: ID, args: { command: "seq 9000" } };
      const answer: { output: string } = { output };
      await hooks["tool.execute.after"](call, answer);
      return answer.output;
    },
    async compacts(head) {
      const asked: { prompt?: string } = {};
      await hooks["experimental.session.compacting"]({ sessionID: ID }, asked);
      // The summary before is no part of the head that opencode gives.
      const isAsked = head[0]?.parts.some(({ type }) => type === "compaction");
      const messages = isAsked === true ? head.slice(2) : [...head];
      await hooks["experimental.chat.messages.transform"]({}, { messages });
      if (asked.prompt !== undefined) expect(messages).toEqual([]);
      const answer = { text: "The model's own words." };
      await hooks["experimental.text.complete"]({ sessionID: ID, messageID: "m1" }, answer);
      return answer.text;
    },
    calls: (tool, input) => hooks.tool[tool]!.execute(input, { sessionID: ID }),
  };
}

async function load(window: number): Promise<Loaded<OpencodeMessage>> {
  const limit = { context: window, output: 2_000 };
  const hooks = await longhaulOpencode({});
  await hooks["chat.params"]({
    sessionID: ID,
    model: { id: MODEL.modelID, providerID: "some", limit },
  });
  return hosted(hooks);
}

const NO_TOKENS = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } };

function user(id: string, created: number, parts: object[]): OpencodeMessage {
  const info = { id, sessionID: ID, role: "user", agent: "build", model: MODEL, time: { created } };
  return { info, parts: parts.map((part) => ({ ...part, messageID: id })) };
}

function assistant(id: string, created: number, parts: object[], more = {}): OpencodeMessage {
  const about = { id, sessionID: ID, role: "assistant", parentID: "msg_0", time: { created } };
  const info = { ...about, ...MODEL, tokens: NO_TOKENS, ...more };
  return { info, parts: parts.map((part) => ({ ...part, messageID: id })) };
}

function session(steps: number, lines: number, rule: string): OpencodeMessage[] {
  const list = [user("msg_0", 1, [{ type: "text", text: `Do the steps. ${rule}` }])];
  for (let step = 1; step <= steps; step++) {
    const output = `${`line of step ${step}\n`.repeat(lines)}FACT-${step}: ${step * 7919}`;
    const state = { status: "completed", input: { command: `step ${step}` }, output, title: "t" };
    list.push(
      assistant(`msg_${step}`, step * 10, [
        { type: "step-start" },
        { type: "text", text: `Step ${step}.`, metadata: { openai: { itemId: `msg_${step}` } } },
        {
          type: "tool",
          tool: "bash",
          callID: `call_${step}`,
          state: { ...state, metadata: { exit: 0 }, time: { start: 1, end: 2 } },
        },
        { type: "step-finish", reason: "tool-calls", cost: 0, tokens: NO_TOKENS },
      ]),
    );
  }
  return list;
}

function compaction(text: string, kept = "msg_7", time = 5_000): OpencodeMessage[] {
  const finished = { parentID: "msg_c", summary: true, finish: "stop", mode: "compaction" };
  return [
    user("msg_c", time, [{ type: "compaction", auto: true, tail_start_id: kept }]),
    assistant("msg_s", time + 1, [{ type: "text", text }], finished),
  ];
}

function recorded(file: string): readonly OpencodeMessage[] {
  const text = recording(path.join("opencode", file)).toString("utf8");
  const { messages } = JSON.parse(text) as { readonly messages: readonly OpencodeMessage[] };
  const isOwn = ({ info, parts }: OpencodeMessage): boolean =>
    info["summary"] !== true && !parts.some(({ type }) => type === "compaction");
  return messages.filter(isOwn).map(({ info, parts }) => ({
    info: { ...info, sessionID: ID, ...(info["role"] === "user" && { model: MODEL }) },
    parts,
  }));
}

const FILES = ["oc-1.4.3-auto-compaction.json", "oc-1.2.20-pruned-outputs.json.gz"];

inFreshHome();

describeInside("opencode", {
  conversation: `opencode-${ID}`,
  load,
  decode: (list) => opencodeFormat.dialect.decode(list),
  recorded: existsSync(RECORDINGS) ? FILES.map((name) => ({ name, list: recorded(name) })) : [],
  session,
  odd: [user("msg_x", 9_000, [{ type: "text", text: "A reminder.", synthetic: true }])],
  file: (list, compacted) => {
    const { at = list.length, kept, summary } = compacted ?? {};
    // Between the times of the messages that it stands between.
    const between = summary ? compaction(summary, `msg_${kept}`, at * 10 - 5) : [];
    const info = { id: ID, title: "t", version: "1.4.3", directory: "/work", time: { created: 1 } };
    return JSON.stringify({ info, messages: list.toSpliced(at, 0, ...between) });
  },
  summary: (text) => compaction(text),
});

describe("the messages of opencode", () => {
  const { dialect } = opencodeFormat;

  it("keep the question of a compaction before its summary, through any edit of the rest", () => {
    const list = [...compaction("What was."), ...session(2, 3, "")];
    const messages = dialect.decode(list);
    const [summary] = messages;
    expect(summary).toMatchObject({ kind: "summary" });
    const edited = messages.map((message) =>
      message.role === "tool" ? { ...message, parts: message.parts.map(emptied) } : message,
    );
    const encoded = dialect.encode(edited);
    expect(encoded.slice(0, 3).every((one, at) => one === list[at])).toBe(true);
    expect(encoded).toHaveLength(list.length);
    expect(encoded[3]?.parts[2]).toMatchObject({ tool: "bash", state: { output: "gone" } });
    expect(encoded[3]?.parts[1]).toBe(list[3]?.parts[1]);
  });

  it("answer an interrupted call as opencode does", () => {
    const state = { status: "running", input: { command: "sleep" }, time: { start: 1 } };
    const call = { type: "tool", tool: "bash", callID: "c", state };
    const list = [...session(1, 3, ""), assistant("msg_9", 99, [call])];
    const encoded = dialect.encode(dialect.decode(list));
    expect(encoded.every((one, at) => one === list[at])).toBe(true);
  });
});

function emptied<Part extends { readonly type: string }>(part: Part): Part {
  return part.type === "tool-result" ? { ...part, output: [{ type: "text", text: "gone" }] } : part;
}

describe("the plugin of opencode", () => {
  it("touches no answer but that of a compaction", async () => {
    const hooks = await longhaulOpencode({});
    const agent = hosted(hooks);
    await agent.send(session(3, 10, ""));
    const answer = { text: "Done." };
    await hooks["experimental.text.complete"]({ sessionID: ID, messageID: "m" }, answer);
    expect(answer.text).toBe("Done.");
    // A compaction whose model never answered is over with the next request.
    await hooks["experimental.session.compacting"]({ sessionID: ID }, {});
    await agent.send(session(3, 10, ""));
    await agent.send(session(3, 10, ""));
    await hooks["experimental.text.complete"]({ sessionID: ID, messageID: "m" }, answer);
    expect(answer.text).toBe("Done.");
  });

  it("adds its summary to the message of a model that says nothing, once", async () => {
    const patched: { path: Record<string, string>; body: { text?: string; id?: string } }[] = [];
    const patch = async (request: unknown) => {
      patched.push(request as (typeof patched)[number]);
      return { data: {} };
    };
    const hooks = await longhaulOpencode({ client: { session: { _client: { patch } } } });
    const list = session(12, 30, "Never touch secret.txt.");
    await hosted(hooks).send(list);
    await hooks["experimental.session.compacting"]({ sessionID: ID }, {});
    await hooks["experimental.chat.messages.transform"]({}, { messages: list.slice(0, -4) });
    const [question, { info }] = compaction("") as [OpencodeMessage, OpencodeMessage];
    const begun = { ...info, time: { created: 1 } };
    const over = { ...info, time: { created: 1, completed: 2 } };
    for (const one of [begun, over, over])
      await hooks.event({ event: { type: "message.updated", properties: { info: one } } });
    expect(patched).toHaveLength(1);
    expect(patched[0]?.path).toMatchObject({ sessionID: ID, messageID: info["id"] });
    expect(patched[0]?.body.text).toMatch(/^<prior-conversation-summary[^]*secret\.txt/);
    const sent = [question, { info, parts: [] }, ...list.slice(-4)];
    await hooks["experimental.chat.messages.transform"]({}, { messages: sent });
    expect(patched).toHaveLength(1);
    expect(sent[1]?.parts).toEqual([patched[0]?.body]);
  });

  it("lets no hook reject, whatever it is handed", async () => {
    const thrower = new Proxy(
      {},
      {
        get: () => {
          throw new Error("spoilt");
        },
      },
    );
    const hooks = await longhaulOpencode({ client: thrower });
    for (const [name, hook] of Object.entries(hooks).filter(
      ([, one]) => typeof one === "function",
    )) {
      for (const given of [undefined, null, {}, thrower, { event: thrower, sessionID: 3 }, []]) {
        const answer: unknown = await (hook as (...all: unknown[]) => unknown)(given, given);
        expect([name, answer]).toEqual([name, undefined]);
      }
    }
  });

  it("cuts what an MCP server answers, and leaves its other content", async () => {
    const hooks = await longhaulOpencode({}, { maxBytes: 2_000 });
    const image = { type: "image", data: "QUJD", mimeType: "image/png" };
    const content = [{ type: "text", text: "a line\n".repeat(9_000) }, image];
    const output: { content: typeof content } = { content };
    await hooks["tool.execute.after"]({ tool: "files_read", sessionID: ID }, output);
    expect(JSON.stringify(output.content).length).toBeLessThan(4_000);
    expect(output.content[1]).toBe(image);
  });

  it("shows what fills the window, and leaves commands of others", async () => {
    const hooks = await longhaulOpencode({});
    const config: { command?: Record<string, { template: string }> } = {};
    await hooks.config(config);
    expect(config.command).toHaveProperty("window");
    await hosted(hooks).send(session(3, 10, ""));
    const parts = [{ type: "text", text: "What fills the window?" }];
    await hooks["command.execute.before"]({ command: "other", sessionID: ID }, { parts });
    expect(parts[0]?.text).toBe("What fills the window?");
    await hooks["command.execute.before"]({ command: "window", sessionID: ID }, { parts });
    expect(parts[0]?.text).toMatch(/tokens in the window[^]*tool-result[^]*step 3/);
  });
});
