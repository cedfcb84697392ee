import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";
import { ask } from "./ask.ts";
import { upstreamForTest } from "./for-test.ts";
import type { ProtocolName } from "./index.ts";
import { post } from "./post.ts";

const PROTOCOLS = Object.keys(ask) as ProtocolName[];
const prompt = "What is 6 × 7? 👩‍🚀";
const REQUESTS: Readonly<Record<ProtocolName, object>> = {
  anthropic: { model: "m", max_tokens: 500, messages: [{ role: "user", content: prompt }] },
  "openai-chat": { model: "m", messages: [{ role: "user", content: prompt }] },
  "openai-responses": { model: "m", input: prompt },
};

describe.each(PROTOCOLS)("%s", (protocol) => {
  test("a text that is long, odd and many-lined comes whole, streamed or not", async () => {
    const text = 'a\r\n"b"\\ data: [DONE]\n\n👩‍🚀 <|endoftext|> \u2028'.repeat(300);
    const upstream = await upstreamForTest({ script: () => ({ parts: [{ type: "text", text }] }) });
    for (const stream of [true, false]) {
      const asked = await ask[protocol]({ url: upstream.url, stream, prompt, limit: 20_000 });
      expect(asked.text).toBe(text);
    }
  });

  test("the output limit cuts the text", async () => {
    const upstream = await upstreamForTest({ script: () => "word ".repeat(1_000) });
    const asked = await ask[protocol]({ url: upstream.url, stream: true, prompt, limit: 100 });
    expect(asked.finish).toMatch(/^(?:max_tokens|length|max_output_tokens)$/);
    expect(countTokens(asked.text)).toBeLessThanOrEqual(100);
    expect(countTokens(asked.text)).toBeGreaterThan(90);
  });

  test("usage is counted", async () => {
    const upstream = await upstreamForTest({ script: () => "42" });
    const { body } = await post(upstream.url, protocol, REQUESTS[protocol]);
    const { usage: reported } = body as { usage: Record<string, number> };
    const { promptTokens, usage } = upstream.requests[0]!;
    expect(usage).toMatchObject({ input: promptTokens, output: countTokens("42") });
    expect(reported["input_tokens"] ?? reported["prompt_tokens"]).toBe(promptTokens);
    expect(upstream.totals).toMatchObject({ requests: 1, input: promptTokens! });
  });

  test("a script that throws is a 500 that is not tried again", async () => {
    const upstream = await upstreamForTest({
      script: () => {
        throw new Error("no more turns");
      },
    });
    const { status, message, headers } = await post(upstream.url, protocol, REQUESTS[protocol]);
    expect(status).toBe(500);
    expect(message).toBe("The script failed: no more turns");
    expect(headers.get("x-should-retry")).toBe("false");
    expect(upstream.requests).toMatchObject([{ outcome: "failed", error: message }]);
    expect(upstream.rejected).toBe(0);
  });

  test("the log has the body, and no two requests have one id", async () => {
    const upstream = await upstreamForTest({ script: () => "ok" });
    const header = protocol === "anthropic" ? "request-id" : "x-request-id";
    const ids = new Set<string | null>();
    for (let turn = 0; turn < 3; turn++) {
      ids.add((await post(upstream.url, protocol, REQUESTS[protocol])).headers.get(header));
    }
    expect(ids.size).toBe(3);
    expect(upstream.requests.map(({ body }) => body)).toEqual(Array(3).fill(REQUESTS[protocol]));
  });
});

test("the same requests get the same bytes", async () => {
  const run = async (): Promise<unknown[]> => {
    const upstream = await upstreamForTest({
      script: () => ({
        parts: [
          { type: "reasoning", text: "hm" },
          { type: "call", name: "read", input: { a: 1 } },
        ],
      }),
    });
    const bodies: unknown[] = [];
    for (const protocol of PROTOCOLS) {
      const body = { ...REQUESTS[protocol], stream: true };
      bodies.push((await post(upstream.url, protocol, body)).body);
    }
    return bodies;
  };
  expect(await run()).toEqual(await run());
});

test("what is not there is a 404, and a probe is answered", async () => {
  const upstream = await upstreamForTest({ script: () => "ok" });
  expect((await fetch(`${upstream.url}/`, { method: "HEAD" })).status).toBe(200);
  expect((await fetch(`${upstream.url}/v1/nothing`, { method: "POST" })).status).toBe(404);
  expect(upstream.refusals).toEqual(["404 Unknown request URL: POST /v1/nothing"]);
});

test("requests at once are answered each for itself", async () => {
  const held: (() => void)[] = [];
  const upstream = await upstreamForTest({
    script: ({ lastUserText }) =>
      new Promise((resolve) => {
        held.push(() => resolve(`About ${lastUserText}`));
        if (held.length === 3) for (const release of held.reverse()) release();
      }),
  });
  const asked = await Promise.all(
    PROTOCOLS.map((protocol) =>
      ask[protocol]({ url: upstream.url, stream: true, prompt: protocol }),
    ),
  );
  expect(asked.map(({ text }) => text)).toEqual(PROTOCOLS.map((protocol) => `About ${protocol}`));
});
