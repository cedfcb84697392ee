import * as http from "node:http";
import { describe, expect, it, vi } from "vitest";
import {
  gatewayForTest,
  type RawRequest,
  rawRequest,
  type RawUpstream,
  rawUpstream,
} from "./raw-upstream.ts";

interface Message {
  readonly role: string;
  readonly content: unknown;
}

/** A long history of one task, with the result of a tool after each call. */
function history(task: string, steps: number): Message[] {
  const list: Message[] = [{ role: "user", content: task }];
  for (let at = 0; at < steps; at++) {
    const id = `toolu_${task.length}_${at}`;
    const output = `${task} ${at}: a line of output\n`.repeat(120);
    list.push(
      { role: "assistant", content: [{ type: "tool_use", id, name: "read", input: { at } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: output }] },
    );
  }
  return list;
}

function answerMessage({ body }: RawRequest, response: http.ServerResponse): void {
  const message = {
    type: "message",
    role: "assistant",
    content: [{ type: "text", text: "ok" }],
    stop_reason: "end_turn",
    usage: { input_tokens: Math.ceil(body.length / 4), output_tokens: 1 },
  };
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(message));
}

const SESSION = { "x-claude-code-session-id": "s-1", "x-api-key": "k" };

interface Asking {
  readonly url: string;
  readonly upstream: RawUpstream;
  readonly headers?: Readonly<Record<string, string>>;
  readonly path?: string;
  readonly tools?: boolean;
}

/** Sends a history as a client does, and gives back both texts: what was sent, and what went on. */
async function ask(
  messages: readonly Message[],
  { url, upstream, headers = SESSION, path = "/v1/messages", tools = true }: Asking,
): Promise<{ readonly given: string; readonly sent: string; readonly messages: Message[] }> {
  const own = tools ? { tools: [{ name: "read", input_schema: { type: "object" } }] } : {};
  const given = JSON.stringify({ model: "m", max_tokens: 500, system: "s", ...own, messages });
  const before = upstream.requests.length;
  await rawRequest(url + path, { method: "POST", headers, body: given });
  const sent = upstream.requests[before]?.body.toString() ?? "";
  return { given, sent, messages: (JSON.parse(sent) as { messages: Message[] }).messages };
}

describe("conversations under one name", () => {
  it("are told apart: title calls, sub-agents, branches, rewinds, a new beginning", async () => {
    const upstream = await rawUpstream(answerMessage);
    const gateway = await gatewayForTest(upstream, { window: 16_000 });
    const at = { url: gateway.url, upstream };
    const main = history("The main task", 20);
    const agent = { ...SESSION, "x-claude-code-agent-id": "a-1" };
    for (let end = 1; end <= main.length; end += 2) await ask(main.slice(0, end), at);
    const full = await ask(main, at);
    expect(full.sent).toMatch(/<tool-output-compacted|<prior-conversation-summary/);
    expect(full.sent.length).toBeLessThan(full.given.length / 2);

    const title = await ask([{ role: "user", content: "A title, please." }], {
      ...at,
      tools: false,
    });
    expect(title.sent).toBe(title.given);
    const sub = await ask(history("A task of its own", 2), { ...at, headers: agent });
    expect(sub.sent).toBe(sub.given);

    // Back to where nothing was edited yet, and on from there another way.
    const rewound = await ask(main.slice(0, 3), at);
    expect(rewound.sent).toBe(rewound.given);
    const branch = [...main.slice(0, 3), { role: "assistant", content: "Otherwise." }];
    const other = await ask([...branch, { role: "user", content: "Go on otherwise." }], at);
    expect(other.sent).toBe(other.given);
    const compacted = [{ role: "user", content: "A summary by the client itself." }];
    const fresh = await ask(compacted, at);
    expect(fresh.sent).toBe(fresh.given);

    // And the first one goes on as it was.
    const longer = [
      ...main,
      { role: "assistant", content: "Done." },
      { role: "user", content: "?" },
    ];
    const on = await ask(longer, at);
    expect(JSON.stringify(on.messages.slice(0, full.messages.length))).toBe(
      JSON.stringify(full.messages),
    );
    // Another key is another conversation: it finds nothing of this one, and makes its own edits.
    const { counted } = gateway.metrics;
    const edits = counted("planned_edits");
    await ask(main, { ...at, headers: { ...SESSION, "x-api-key": "another" } });
    expect(counted("planned_edits")).toBeGreaterThan(edits);
    expect(counted("prefix_violations")).toBe(0);
  });

  it("are counted as they would be sent, and a count writes nothing", async () => {
    const upstream = await rawUpstream(answerMessage);
    const gateway = await gatewayForTest(upstream, { window: 16_000 });
    const at = { url: gateway.url, upstream };
    const main = history("The main task", 20);
    const path = "/v1/messages/count_tokens";
    const before = await ask(main, { ...at, path });
    expect(before.sent).toBe(before.given);
    const sent = await ask(main, at);
    expect(sent.sent).not.toBe(sent.given);
    const counted = await ask(main, { ...at, path });
    expect(counted.messages).toEqual(sent.messages);
    expect(gateway.metrics.counted("planned_edits")).toBe(1);
  });

  it("have large outputs cut once, when they come, and the same for ever", async () => {
    const upstream = await rawUpstream(answerMessage);
    const { url } = await gatewayForTest(upstream);
    const at = { url, upstream };
    const [task, call] = history("Read it", 1);
    const block = {
      type: "tool_result",
      tool_use_id: "toolu_7_0",
      content: "a line\n".repeat(30_000),
    };
    const first = [task!, call!, { role: "user", content: [block] }];
    const sent = await ask(first, at);
    expect(sent.sent).toContain("Only the start of the output is above");
    expect(sent.sent.length).toBeLessThan(60_000);
    const marked = { ...block, cache_control: { type: "ephemeral" } };
    const again = await ask([task!, call!, { role: "user", content: [marked] }], at);
    const { content } = again.messages[2] as { content: (typeof marked)[] };
    const { content: cut } = sent.messages[2] as { content: (typeof marked)[] };
    expect(content[0]?.content).toBe(cut[0]?.content);
    expect(content[0]?.cache_control).toEqual({ type: "ephemeral" });
    // One that stood there before the gateway did is no arrival.
    const old = [
      ...first,
      { role: "assistant", content: "Seen." },
      { role: "user", content: "On." },
    ];
    const late = await ask(old, {
      ...at,
      headers: { ...SESSION, "x-claude-code-session-id": "s-2" },
    });
    expect(late.sent).toBe(late.given);
  });
});

const STREAM = JSON.stringify({
  model: "m",
  stream: true,
  max_tokens: 10,
  messages: [{ role: "user", content: "?" }],
});
const BEGUN =
  'data: {"type":"message_start","message":{"usage":{"input_tokens":1}}}\n\n' +
  'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"hi"}}\n\n';

describe("a model's stream", () => {
  it("ends at the provider when the client goes, begun or not", async () => {
    let closed = 0;
    const upstream = await rawUpstream(({ headers }, response, { socket }) => {
      socket.once("close", () => (closed += 1));
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.flushHeaders();
      if (headers["x-begins"] === "yes") response.write(BEGUN);
    });
    const { url, metrics } = await gatewayForTest(upstream);
    for (const begins of ["yes", "no"]) {
      const headers = { "x-begins": begins };
      const request = http.request(`${url}/v1/messages`, { method: "POST", headers });
      const heard = new Promise((resolve) =>
        request.once("response", (answer) => answer.once("data", resolve)),
      );
      request.on("error", () => undefined);
      request.end(STREAM);
      if (begins === "yes") expect(String(await heard)).toBe(BEGUN);
      else await vi.waitFor(() => expect(upstream.requests).toHaveLength(2));
      request.destroy();
    }
    await vi.waitFor(() => expect(closed).toBe(2));
    await vi.waitFor(() => expect(metrics.active()).toBe(0));
  });

  it("is cut where the provider's is cut", async () => {
    const upstream = await rawUpstream((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(BEGUN, () => response.destroy());
    });
    const { url } = await gatewayForTest(upstream);
    const answer = rawRequest(`${url}/v1/messages`, { method: "POST", body: STREAM });
    await expect(answer).rejects.toThrow(/aborted|hang up/);
    const health = await rawRequest(`${url}/healthz`);
    expect(health.status).toBe(200);
  });
});

describe("a stream that has not begun", () => {
  it("says that somebody is there, and passes what comes then", async () => {
    const text = 'data: {"choices":[{"delta":{"content":"hi"}}]}\n\n';
    const upstream = await rawUpstream((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.flushHeaders();
      setTimeout(() => response.end(text), 400);
    });
    const { url } = await gatewayForTest(upstream, { limits: { keepAliveMs: 50 } });
    const body = JSON.stringify({
      model: "m",
      stream: true,
      messages: [{ role: "user", content: "?" }],
    });
    const answer = await rawRequest(`${url}/v1/chat/completions`, { method: "POST", body });
    const said = answer.body.toString();
    expect(said).toMatch(/^(?:: waiting for the model\n\n)+data: /);
    expect(said.endsWith(text)).toBe(true);
  });
});
