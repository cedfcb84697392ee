import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";
import { upstreamForTest } from "./for-test.ts";
import type { Upstream, UpstreamOptions, Usage } from "./index.ts";
import { post } from "./post.ts";

/** About this many tokens, different for each name. */
const long = (name: string, tokens: number): string => `${name} is here. `.repeat(tokens / 4);
const marked = (text: string): object => ({
  type: "text",
  text,
  cache_control: { type: "ephemeral" },
});
const plain = (text: string): object => ({ type: "text", text });

const start = (options: Partial<UpstreamOptions> = {}): Promise<Upstream> =>
  upstreamForTest({ script: () => "ok", ...options });

/** Sends one request, and tells what it used. */
async function use(
  upstream: Upstream,
  protocol: Parameters<typeof post>[1],
  body: object,
): Promise<Usage> {
  const { message } = await post(upstream.url, protocol, body);
  expect(message).toBe("");
  return upstream.requests.at(-1)!.usage!;
}

describe("Anthropic: breakpoints decide", () => {
  const ask = (...content: object[]): object => ({
    model: "m",
    max_tokens: 50,
    messages: [{ role: "user", content }],
  });

  test("without any, nothing is cached", async () => {
    const upstream = await start();
    const body = ask(plain(long("Ann", 4_000)));
    await use(upstream, "anthropic", body);
    expect(await use(upstream, "anthropic", body)).toMatchObject({ cacheRead: 0, cacheWrite: 0 });
  });

  test("what one request writes the next one reads, and writes what is new", async () => {
    const upstream = await start();
    const [ann, bob, eve] = ["Ann", "Bob", "Eve"].map((name) => long(name, 4_000));
    const first = await use(upstream, "anthropic", ask(plain(ann!), marked(bob!)));
    expect(first.cacheRead).toBe(0);
    expect(first.cacheWrite).toBe(first.input);
    const second = await use(upstream, "anthropic", ask(plain(ann!), plain(bob!), marked(eve!)));
    expect(second.cacheRead).toBe(first.cacheWrite);
    expect(second.cacheRead + second.cacheWrite).toBe(second.input);
    const changed = await use(
      upstream,
      "anthropic",
      ask(plain(`${ann} Changed.`), plain(bob!), marked(eve!)),
    );
    expect(changed).toMatchObject({ cacheRead: 0, cacheWrite: changed.input });
  });

  test("content behind the last breakpoint is neither read nor written", async () => {
    const upstream = await start();
    const body = ask(marked(long("Ann", 4_000)), plain("And now?"));
    const { input, cacheWrite } = await use(upstream, "anthropic", body);
    expect(input - cacheWrite).toBe(countTokens("And now?"));
    const { body: again } = await post(upstream.url, "anthropic", body);
    expect(again).toMatchObject({
      usage: {
        input_tokens: countTokens("And now?"),
        cache_read_input_tokens: cacheWrite,
        cache_creation_input_tokens: 0,
      },
    });
  });

  test("system and tools come before the messages", async () => {
    const upstream = await start();
    const tools = [
      { name: "a", description: long("Ann", 2_000), input_schema: { type: "object" } },
    ];
    const system = [marked(long("Bob", 2_000))];
    const first = await use(upstream, "anthropic", { ...ask(plain("One.")), system, tools });
    const second = await use(upstream, "anthropic", { ...ask(plain("Two.")), system, tools });
    expect(second.cacheRead).toBe(first.cacheWrite);
    const other = await use(upstream, "anthropic", { ...ask(plain("Two.")), system });
    expect(other.cacheRead).toBe(0);
  });

  test("a prefix of less than 1,024 tokens is not cached", async () => {
    const upstream = await start();
    const body = ask(marked(long("Ann", 800)));
    await use(upstream, "anthropic", body);
    expect(await use(upstream, "anthropic", body)).toMatchObject({ cacheRead: 0, cacheWrite: 0 });
  });

  test("from a breakpoint it is looked back over 20 blocks", async () => {
    const upstream = await start();
    const head = long("Ann", 4_000);
    const between = (count: number): object[] =>
      Array.from({ length: count }, (_, index) => plain(`Block ${index}.`));
    const { cacheWrite } = await use(upstream, "anthropic", ask(marked(head)));
    const near = ask(plain(head), ...between(18), marked("Near."));
    expect((await use(upstream, "anthropic", near)).cacheRead).toBe(cacheWrite);
    const other = await start();
    await use(other, "anthropic", ask(marked(head)));
    const far = ask(plain(head), ...between(19), marked("Far."));
    expect((await use(other, "anthropic", far)).cacheRead).toBe(0);
  });
});

describe.each(["openai-chat", "openai-responses"] as const)(
  "%s: the longest prefix",
  (protocol) => {
    const ask = (...texts: string[]): object => {
      const messages = texts.map((content) => ({ role: "user", content }));
      return { model: "m", [protocol === "openai-chat" ? "messages" : "input"]: messages };
    };

    test("is read in steps of 128 tokens", async () => {
      const upstream = await start();
      const first = await use(upstream, protocol, ask(long("Ann", 4_000)));
      expect(first.cacheRead).toBe(0);
      const second = await use(upstream, protocol, ask(long("Ann", 4_000), "And now?"));
      expect(second.cacheRead % 128).toBe(0);
      expect(first.input - second.cacheRead).toBeLessThan(256);
      expect(upstream.totals.cacheRead).toBe(second.cacheRead);
    });

    test("may end inside a message", async () => {
      const upstream = await start();
      const head = long("Ann", 4_000);
      await use(upstream, protocol, ask(head + long("Bob", 4_000)));
      const { cacheRead } = await use(upstream, protocol, ask(head + long("Eve", 4_000)));
      const tokens = countTokens(head);
      expect(cacheRead).toBeGreaterThan(tokens * 0.9);
      expect(cacheRead).toBeLessThanOrEqual(tokens + 128);
    });

    test("counts from 1,024 tokens on", async () => {
      const upstream = await start();
      await use(upstream, protocol, ask(long("Ann", 800)));
      expect((await use(upstream, protocol, ask(long("Ann", 800), "And?"))).cacheRead).toBe(0);
    });

    test("is another one for another model", async () => {
      const upstream = await start();
      const body = ask(long("Ann", 4_000));
      await use(upstream, protocol, body);
      expect((await use(upstream, protocol, { ...body, model: "other" })).cacheRead).toBe(0);
      expect((await use(upstream, protocol, body)).cacheRead).toBeGreaterThan(3_000);
    });
  },
);
