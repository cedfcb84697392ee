import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import type { Failure } from "../../src/context/index.ts";
import { openaiContext } from "../../src/hooks/openai/index.ts";
import { words } from "../build-messages.ts";
import { upstreamForTest } from "../provider/for-test.ts";

/** What the server takes; the context is told of a larger window. */
const WINDOW = 8_000;
const user = { role: "user" as const, content: "Do the work. Never touch legacy/." };

/** Version 7 of the SDK, as `@openai/agents` brings it. */
async function version7(): Promise<typeof OpenAI> {
  const agents = createRequire(createRequire(import.meta.url).resolve("@openai/agents"));
  const sdk = (await import(pathToFileURL(agents.resolve("openai")).href)) as {
    readonly OpenAI: typeof OpenAI;
  };
  return sdk.OpenAI;
}

function chat(steps: number): OpenAI.ChatCompletionMessageParam[] {
  return Array.from({ length: steps }, (_, n) => n).flatMap((n) => [
    { role: "assistant" as const, content: words(400, `thought ${n}`) },
    { role: "user" as const, content: words(20, `go on ${n}`) },
  ]);
}

type Item = OpenAI.Responses.ResponseInputItem;

function items(steps: number): Item[] {
  return Array.from({ length: steps }, (_, n) => n).flatMap((n): Item[] => {
    const call_id = `call_${n}`;
    return [
      { type: "function_call", call_id, name: "read", arguments: `{"path":"${n}.ts"}` },
      { type: "function_call_output", call_id, output: words(400, `file ${n}`) },
    ];
  });
}

interface Asked {
  readonly text: string;
  readonly usage?: object | null;
}

const model = "scripted";
const now = {
  type: "function" as const,
  function: { name: "now", description: "The time.", parameters: {}, function: () => "12:00" },
};
const ways: Readonly<Record<string, (client: OpenAI) => Promise<Asked>>> = {
  "chat.completions.create": async (client) => {
    const messages = [user, ...chat(40)];
    const { choices, usage } = await client.chat.completions.create({ model, messages });
    return { text: choices[0]?.message.content ?? "", usage };
  },
  "chat.completions.create, streamed": async (client) => {
    const messages = [user, ...chat(40)];
    const stream = await client.chat.completions.create({ model, messages, stream: true });
    let text = "";
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? "";
    return { text };
  },
  "chat.completions.stream": async (client) => {
    const messages = [user, ...chat(40)];
    const stream = client.chat.completions.stream({ model, messages });
    return { text: (await stream.finalContent()) ?? "" };
  },
  "chat.completions.parse": async (client) => {
    const messages = [user, ...chat(40)];
    const { choices } = await client.chat.completions.parse({ model, messages });
    return { text: choices[0]?.message.content ?? "" };
  },
  "chat.completions.runTools": async (client) => {
    const messages = [user, ...chat(40)];
    const runner = client.chat.completions.runTools({ model, messages, tools: [now] });
    return { text: (await runner.finalContent()) ?? "" };
  },
  "responses.create": async (client) => {
    const input = [user, ...items(40)];
    const { output_text, usage } = await client.responses.create({ model, input });
    return { text: output_text, usage };
  },
  "responses.create, streamed": async (client) => {
    const input = [user, ...items(40)];
    const stream = await client.responses.create({ model, input, stream: true });
    let text = "";
    const types: string[] = [];
    for await (const event of stream) {
      types.push(event.type);
      if (event.type === "response.output_text.delta") text += event.delta;
    }
    // The stream that failed is not to be seen.
    expect(types.filter((type) => type === "response.created")).toHaveLength(1);
    expect(types).not.toContain("error");
    return { text };
  },
  "responses.stream": async (client) => {
    const stream = client.responses.stream({ model, input: [user, ...items(40)] });
    return { text: (await stream.finalResponse()).output_text };
  },
  "responses.parse": async (client) => {
    const response = await client.responses.parse({ model, input: [user, ...items(40)] });
    return { text: response.output_text };
  },
};

describe.each(["6", "7"])("version %s of the SDK", (version) => {
  describe.each(Object.entries(ways))("%s", (_name, ask) => {
    test("goes on after the server refused it as too long", async () => {
      const upstream = await upstreamForTest({ script: () => "All is well.", window: WINDOW });
      const Client = version === "7" ? await version7() : OpenAI;
      const plain = new Client({ apiKey: "key", baseURL: `${upstream.url}/v1`, maxRetries: 0 });
      const context = openaiContext({ window: 128_000 });
      const failures: Failure[] = [];
      context.on("failed", (failure) => void failures.push(failure));
      expect((await ask(context.client(plain))).text).toBe("All is well.");
      expect(upstream.requests.map(({ outcome }) => outcome)).toEqual(["overflow", "answered"]);
      expect(failures).toEqual([]);
      expect(JSON.stringify(upstream.requests.at(-1)?.body)).toContain("Never touch legacy/.");
      // What was learned holds: the next request is shorter before it is sent.
      expect((await ask(context.client(plain))).text).toBe("All is well.");
      expect(upstream.rejected).toBe(1);
    });
  });
});

test("without a context the same requests fail", async () => {
  const upstream = await upstreamForTest({ script: () => "All is well.", window: WINDOW });
  const client = new OpenAI({ apiKey: "key", baseURL: `${upstream.url}/v1`, maxRetries: 0 });
  for (const ask of Object.values(ways)) await expect(ask(client)).rejects.toThrow(/context/);
  expect(upstream.rejected).toBe(Object.keys(ways).length);
});

test("a chain of previous_response_id goes through as it is, and is said once", async () => {
  const upstream = await upstreamForTest({ script: () => "Noted.", window: WINDOW });
  const plain = new OpenAI({ apiKey: "key", baseURL: `${upstream.url}/v1`, logLevel: "off" });
  const context = openaiContext({ window: WINDOW });
  const failures: Failure[] = [];
  context.on("failed", (failure) => void failures.push(failure));
  const client = context.client(plain);
  let previous: string | undefined;
  for (let n = 0; n < 3; n++) {
    const { id } = await client.responses.create({
      model,
      input: `Note ${n}.`,
      ...(previous !== undefined && { previous_response_id: previous }),
    });
    previous = id;
  }
  expect(upstream.refusals).toEqual([]);
  expect(failures).toMatchObject([{ code: "managed-elsewhere" }]);
  expect(failures[0]?.message).toContain("previous_response_id");
});

describe("without a client of ours", () => {
  test("a fetch does it for any client that takes one", async () => {
    const upstream = await upstreamForTest({ script: () => "All is well.", window: WINDOW });
    const { fetch } = openaiContext({ window: 128_000 });
    const body = JSON.stringify({ model, messages: [user, ...chat(40)] });
    const headers = { "content-type": "application/json", authorization: "Bearer key" };
    for (let n = 0; n < 2; n++) {
      const url = `${upstream.url}/v1/chat/completions`;
      const response = await fetch(url, { method: "POST", headers, body });
      expect(response.status).toBe(200);
    }
    expect(upstream.rejected).toBe(1);
  });
});
