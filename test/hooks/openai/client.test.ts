import OpenAI, { AzureOpenAI } from "openai";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Failure } from "../../../src/context/index.ts";
import { type OpenAIContextOptions, openaiContext } from "../../../src/hooks/openai/index.ts";
import { quarter, words } from "../../build-messages.ts";

type Params = OpenAI.ChatCompletionCreateParamsNonStreaming;
type Item = OpenAI.Responses.ResponseInputItem;

interface Sent {
  readonly url: string;
  readonly init: RequestInit;
  readonly body: { messages?: OpenAI.ChatCompletionMessageParam[]; input?: Item[] };
}

/** A client over a `fetch` that answers all alike and notes what was sent. */
function clientWith(answer: (sent: Sent) => Response = completion) {
  const sent: Sent[] = [];
  const client = new OpenAI({
    apiKey: "key",
    baseURL: "http://local/v1",
    maxRetries: 0,
    fetch: (url, init = {}) => {
      const body = JSON.parse((init.body ?? "{}") as string) as object;
      const one = { url: url as string, init, body };
      sent.push(one);
      return Promise.resolve(answer(one));
    },
  });
  return { client, sent };
}

function json(body: object, init: ResponseInit = {}): Response {
  const headers = { "content-type": "application/json", "x-request-id": "req_1" };
  return new Response(JSON.stringify(body), { headers, ...init });
}

function completion(): Response {
  const message = { role: "assistant", content: "done" };
  return json({
    id: "c",
    choices: [{ index: 0, finish_reason: "stop", message }],
    usage: { prompt_tokens: 5_000, completion_tokens: 10 },
  });
}

const SMALL: OpenAIContextOptions = { window: 16_000, counter: quarter };
const user = { role: "user" as const, content: "Do the work." };

/** A list of steps that is larger than the small window. */
function long(steps = 60): OpenAI.ChatCompletionMessageParam[] {
  return Array.from({ length: steps }, (_, n) => n).flatMap((n) => {
    const called = { name: "read", arguments: `{"path":"${n}.ts"}` };
    return [
      {
        role: "assistant" as const,
        content: words(200, `thought ${n}`),
        tool_calls: [{ id: `call_${n}`, type: "function" as const, function: called }],
      },
      { role: "tool" as const, tool_call_id: `call_${n}`, content: words(100, `file ${n}`) },
    ];
  });
}

function longInput(): Item[] {
  return long().map(({ content }) => ({ role: "user", content: content as string }));
}

const params = (messages: Params["messages"]): Params => ({ model: "m", messages });

describe("the client", () => {
  test("is of the same class, and the original stays as it is", async () => {
    const { client, sent } = clientWith();
    const { create } = client.chat.completions;
    const own = openaiContext(SMALL).client(client);
    expect(own).toBeInstanceOf(OpenAI);
    expect(own).not.toBe(client);
    expect(own.baseURL).toBe(client.baseURL);
    expect(client.chat.completions.create).toBe(create);
    await client.chat.completions.create(params([user, ...long()]));
    expect(sent[0]?.body.messages).toHaveLength(121);
  });

  test("of Azure keeps its version and deployment", async () => {
    const urls: string[] = [];
    const azure = new AzureOpenAI({
      apiKey: "k",
      apiVersion: "2026-01-01",
      endpoint: "http://local",
      deployment: "mine",
      fetch: (url) => {
        urls.push(url as string);
        return Promise.resolve(completion());
      },
    });
    const own = openaiContext(SMALL).client(azure);
    expect(own).toBeInstanceOf(AzureOpenAI);
    await azure.chat.completions.create(params([user]));
    await own.chat.completions.create(params([user]));
    expect(urls[1]).toBe(urls[0]);
    expect(urls[1]).toContain("/deployments/mine/chat/completions?api-version=2026-01-01");
  });

  test("cannot be made of a client that has no copy", () => {
    const old = { chat: { completions: {} } } as OpenAI;
    expect(() => openaiContext().client(old)).toThrow(/version 5 or later/);
  });

  test("sends the very bytes while there is room, and calls of other kinds as they are", async () => {
    const { client, sent } = clientWith();
    const own = openaiContext(SMALL).client(client);
    await client.chat.completions.create(params([user]));
    await own.chat.completions.create(params([user]));
    expect(sent[1]?.init.body).toBe(sent[0]?.init.body);
    await own.embeddings.create({ model: "e", input: "text" });
    expect(sent[2]?.url).toBe("http://local/v1/embeddings");
  });

  test("sends a shorter list when there is none, and keeps what the caller made", async () => {
    const { client, sent } = clientWith();
    const context = openaiContext(SMALL);
    const own = context.client(client);
    const messages = [user, ...long()];
    const before = structuredClone(messages);
    await own.chat.completions.create({ ...params(messages), temperature: 0.5 });
    expect(messages).toEqual(before);
    expect(sent[0]?.body).toMatchObject({ model: "m", temperature: 0.5 });
    expect(sent[0]?.body.messages?.length).toBeLessThan(60);
    expect(context.journal()).toHaveLength(1);
  });

  test("gives back all that the SDK's promise has", async () => {
    const { client } = clientWith();
    const own = openaiContext(SMALL).client(client);
    const request = own.chat.completions.create(params([user]));
    const { data, response, request_id } = await request.withResponse();
    expect(data.choices[0]?.message.content).toBe("done");
    expect(request_id).toBe("req_1");
    expect(response.status).toBe(200);
    const raw = await own.chat.completions.create(params([user])).asResponse();
    expect(await raw.json()).toMatchObject({ id: "c" });
  });

  test("passes the options of a request on", async () => {
    const { client, sent } = clientWith();
    const own = openaiContext(SMALL).client(client);
    const fetchOptions = { redirect: "error" as const };
    await own.chat.completions.create(params([user]), { headers: { "x-own": "1" }, fetchOptions });
    expect(new Headers(sent[0]?.init.headers).get("x-own")).toBe("1");
    expect(sent[0]?.init.redirect).toBe("error");
  });

  test("is prepared also through a copy that the SDK makes of it", async () => {
    const { client, sent } = clientWith();
    const context = openaiContext(SMALL);
    const copy = context.client(client).withOptions({ timeout: 1_000 });
    await copy.chat.completions.create(params([user, ...long()]));
    expect(sent[0]?.body.messages?.length).toBeLessThan(60);
  });

  test("learns what the provider counted", async () => {
    const { client } = clientWith();
    const context = openaiContext(SMALL);
    const own = context.client(client);
    const tokens: { before: number; source: string }[] = [];
    context.on("prepared", (report) => void tokens.push(report.tokens));
    await own.chat.completions.create(params([user]));
    const answer = { role: "assistant" as const, content: "done" };
    await own.chat.completions.create(params([user, answer, { ...user, content: "And now?" }]));
    expect(tokens[1]).toMatchObject({ source: "reported" });
    expect(tokens[1]?.before).toBeGreaterThan(5_009);
  });

  test("sends what it cannot read, and says so", async () => {
    const { client, sent } = clientWith();
    const context = openaiContext(SMALL);
    const failures: string[] = [];
    context.on("failed", ({ code }) => void failures.push(code));
    const own = context.client(client.withOptions({ logLevel: "off" }));
    const odd = [null, { role: "robot", content: 7 }] as never;
    await own.chat.completions.create(params(odd));
    await own.chat.completions.create({ model: "m" } as never);
    expect(sent.map(({ body }) => body.messages)).toEqual([odd, undefined]);
    expect(failures).toEqual(["invalid-message"]);
  });

  test("gives up with the caller", async () => {
    const { client, sent } = clientWith();
    const own = openaiContext(SMALL).client(client);
    const signal = AbortSignal.abort();
    const request = own.chat.completions.create(params([user, ...long()]), { signal });
    await expect(request).rejects.toThrow(/aborted/);
    expect(sent).toEqual([]);
  });

  test("an error that is no overflow arrives as it does without", async () => {
    const error = { error: { message: "no credit", type: "billing", code: "insufficient_quota" } };
    const { client, sent } = clientWith(() => json(error, { status: 402 }));
    const own = openaiContext(SMALL).client(client);
    const failed = own.chat.completions.create(params([user]));
    await expect(failed).rejects.toMatchObject({ status: 402, code: "insufficient_quota" });
    expect(sent).toHaveLength(1);
  });

  test("the second overflow in a row is passed on", async () => {
    const error = { error: { message: "maximum context length is 4000 tokens" } };
    const { client, sent } = clientWith(() => json(error, { status: 400 }));
    const own = openaiContext({ window: 64_000 }).client(client);
    const failed = own.chat.completions.create(params([user, ...long(10)]));
    await expect(failed).rejects.toMatchObject({ status: 400 });
    expect(sent).toHaveLength(2);
    expect(sent[1]!.body.messages!.length).toBeLessThan(sent[0]!.body.messages!.length);
  });
});

describe("runTools", () => {
  test("runs tools whose outputs are truncated, and does not change them", async () => {
    const answers = [
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: "call_1", type: "function", function: { name: "log", arguments: '{"day":1}' } },
        ],
      },
      { role: "assistant", content: "all is well" },
    ];
    const { client, sent } = clientWith(() =>
      json({ id: "c", choices: [{ index: 0, finish_reason: "stop", message: answers.shift() }] }),
    );
    const context = openaiContext({ window: 128_000 });
    const days: unknown[] = [];
    const log = {
      type: "function" as const,
      function: {
        name: "log",
        description: "Reads a log.",
        parameters: { type: "object", properties: { day: { type: "number" } } },
        parse: JSON.parse,
        function: ({ day }: { day: number }) => {
          days.push(day);
          return "a line of the log\n".repeat(10_000);
        },
      },
    };
    const { function: run } = log.function;
    const runner = context.client(client).chat.completions.runTools({
      ...params([user]),
      tools: [log, ...context.recallTools],
    });
    expect(await runner.finalContent()).toBe("all is well");
    expect(days).toEqual([1]);
    expect(log.function.function).toBe(run);
    const output = sent[1]?.body.messages?.at(-1)?.content as string;
    expect(output.length).toBeLessThan(60_000);
    expect(output).toContain("<tool-output-truncated");
    const handle = /out_[0-9a-f]{16}/.exec(output)?.[0] ?? "";
    expect(await context.recall(handle)).toHaveLength(180_000);
  });
});

describe("what the server keeps or cuts itself", () => {
  const managed = {
    previous_response_id: "resp_1",
    conversation: "conv_1",
    truncation: "auto" as const,
    context_management: [{ type: "compaction" }],
  };

  test.each(Object.entries(managed))("%s is left alone, and said once", async (field, value) => {
    const { client, sent } = clientWith(() => json({ object: "response", id: "r", output: [] }));
    const context = openaiContext(SMALL);
    const failures: Failure[] = [];
    context.on("failed", (failure) => void failures.push(failure));
    const own = context.client(client);
    const input = longInput();
    for (let n = 0; n < 2; n++) {
      await own.responses.create({ model: "m", input, [field]: value });
    }
    expect(sent.map(({ body }) => body.input?.length)).toEqual([input.length, input.length]);
    expect(failures).toMatchObject([{ code: "managed-elsewhere" }]);
    expect(failures[0]?.message).toContain(field);
  });

  test("null, as the API itself says it, is nothing", async () => {
    const { client, sent } = clientWith(() => json({ object: "response", id: "r", output: [] }));
    const context = openaiContext(SMALL);
    const input = longInput();
    const own = context.client(client);
    await own.responses.create({
      model: "m",
      input,
      previous_response_id: null,
      conversation: null,
      truncation: null,
      context_management: null,
    });
    expect(sent[0]!.body.input!.length).toBeLessThan(input.length);
  });
});

describe("several conversations through one client", () => {
  test("do not disturb one another", async () => {
    const { client, sent } = clientWith();
    const context = openaiContext(SMALL);
    const own = context.client(client);
    const main = [user, ...long()];
    await own.chat.completions.create(params(main));
    const first = sent.at(-1)?.body.messages ?? [];
    const title = [{ role: "user" as const, content: "Find a title." }];
    await own.chat.completions.create(params(title));
    expect(sent.at(-1)?.body.messages).toEqual(title);
    main.push({ role: "assistant", content: "Done." }, { role: "user", content: "And now?" });
    await own.chat.completions.create(params(main));
    const second = sent.at(-1)?.body.messages ?? [];
    expect(second.slice(0, first.length)).toEqual(first);
    expect(context.journal()).toHaveLength(1);
  });

  test("get no rules and no words of one another", async () => {
    const { client, sent } = clientWith();
    const own = openaiContext({ ...SMALL, constraints: ["Be kind."] }).client(client);
    const secret = { role: "user" as const, content: "My name is Ada. Never tell anyone." };
    await own.chat.completions.create(params([secret, ...long()]));
    expect(JSON.stringify(sent.at(-1)?.body)).toContain("Ada");
    await own.chat.completions.create(params([user, ...long()]));
    const other = JSON.stringify(sent.at(-1)?.body);
    expect(other).toContain("Be kind.");
    expect(other).not.toContain("Ada");
  });
});

test("a fetch that gets a whole request prepares it, too", async () => {
  const sent: Request[] = [];
  const plain = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    sent.push(request.clone());
    const { messages } = (await request.json()) as Params;
    const error = { code: "context_length_exceeded", message: "maximum context length is 9000" };
    return messages.length > 60 ? json({ error }, { status: 400 }) : completion();
  };
  onTestFinished(() => void (globalThis.fetch = plain));
  const asked = (messages: Params["messages"]): Request =>
    new Request("http://local/v1/chat/completions", {
      method: "POST",
      headers: { authorization: "Bearer key", "content-length": "5" },
      body: JSON.stringify(params(messages)),
    });
  const context = openaiContext({ counter: quarter, window: 200_000 });
  const short = asked([user]);
  expect((await context.fetch(short)).status).toBe(200);
  expect(await sent.at(-1)?.json()).toEqual(params([user]));
  expect((await context.fetch(asked([user, ...long()]))).status).toBe(200);
  expect(sent).toHaveLength(3);
  const shorter = (await sent.at(-1)?.json()) as Params;
  expect(shorter.messages.length).toBeLessThan(60);
  expect(sent.at(-1)?.headers.get("authorization")).toBe("Bearer key");
});

test("no more is kept free than the answer may have, and what is kept by option stays", async () => {
  const limits = [
    { max_tokens: 4_000 },
    { max_completion_tokens: 4_000 },
    {},
    { max_tokens: 90_000 },
  ];
  const reserves: number[][] = [];
  for (const options of [{}, { reserved: 9_000 }]) {
    for (const limit of limits) {
      const context = openaiContext({ window: 30_000, ...options });
      context.on("prepared", ({ reserved, usable }) => void reserves.push([reserved, usable]));
      const { client } = clientWith();
      const params = { model: "m", messages: [user], ...limit };
      await context.client(client).chat.completions.create(params);
    }
  }
  const usual = [15_000, 15_000];
  const followed = [4_000, 26_000];
  const given = [9_000, 21_000];
  expect(reserves).toEqual([followed, followed, usual, usual, given, given, given, given]);
});

test("the limit that one conversation was refused for holds for the next, by its model", async () => {
  const limit = 12_000;
  const { client, sent } = clientWith(({ body, init }) => {
    const { model } = body as { model?: string };
    const tokens = Math.ceil((init.body as string).length / 4);
    if (model !== "small" || tokens <= limit) return completion();
    const message = `This model's maximum context length is ${limit} tokens. However, your messages resulted in ${tokens} tokens.`;
    return json({ error: { message, code: "context_length_exceeded" } }, { status: 400 });
  });
  const context = openaiContext({ window: 100_000, counter: quarter });
  const windows: number[] = [];
  context.on("prepared", ({ window }) => void windows.push(window));
  const openai = context.client(client);
  const ask = (model: string, question: string) =>
    openai.chat.completions.create({
      model,
      messages: [{ role: "user", content: question }, ...long(80)],
    });
  await ask("small", "One?");
  expect(sent).toHaveLength(2);
  await ask("small", "Two?");
  await ask("small", "Three?");
  expect(sent).toHaveLength(4);
  await ask("large", "Four?");
  expect(windows.slice(-3)).toEqual([limit, limit, 100_000]);
  expect(sent).toHaveLength(5);
});
