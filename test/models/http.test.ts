import { describe, expect, it } from "vitest";
import { post } from "../../src/models/http.ts";
import { eventStream, json, scriptedFetch } from "./scripted-fetch.ts";

async function valuesOf(answer: () => Response | Promise<Response>): Promise<unknown[]> {
  const values: unknown[] = [];
  const request = {
    summarizer: "test:m",
    url: "https://api.example.com/v1",
    headers: {},
    body: {},
    signal: new AbortController().signal,
    redact: (text: string) => text.replaceAll("s3cret", "[redacted]"),
    keyHint: "check TEST_API_KEY",
    fetch: scriptedFetch(answer).fetch,
  };
  for await (const value of post(request)) values.push(value);
  return values;
}

describe("what comes back", () => {
  it("is one value, or one for each event", async () => {
    expect(await valuesOf(() => json({ a: 1 }))).toEqual([{ a: 1 }]);
    const events = [{ a: "é🎉" }, { b: 2 }, "[DONE]"];
    expect(await valuesOf(() => eventStream(events))).toEqual(events);
    expect(await valuesOf(() => eventStream(events, 1, "\r\n"))).toEqual(events);
  });

  it("may have a byte-order mark", async () => {
    expect(await valuesOf(() => new Response('\uFEFF{"a":1}'))).toEqual([{ a: 1 }]);
  });
});

describe("errors name the summarizer, the status, the reason and the next step", () => {
  const details = { summarizer: "test:m" };

  it.each([
    [
      "Anthropic",
      json(
        { type: "error", error: { type: "rate_limit_error", message: "Slow down." } },
        { status: 429, headers: { "retry-after": "12" } },
      ),
      "test:m answered 429: rate_limit_error: Slow down; it is asked too often, or the credit is used up.",
      { ...details, status: 429, retryAfterMs: 12_000 },
    ],
    [
      "OpenAI",
      json({ error: { message: "No such model", code: "model_not_found" } }, { status: 404 }),
      "test:m answered 404: model_not_found: No such model; check the name of the model and the base URL.",
      { ...details, status: 404 },
    ],
    [
      "Google",
      json([{ error: { code: 400, status: "INVALID_ARGUMENT", message: "Bad" } }], { status: 400 }),
      "test:m answered 400: INVALID_ARGUMENT: Bad; the request is not what it takes.",
      { ...details, status: 400 },
    ],
    [
      "Ollama",
      json({ error: "model is loading" }, { status: 503 }),
      "test:m answered 503: model is loading; the provider has a problem.",
      { ...details, status: 503 },
    ],
    [
      "FastAPI",
      json({ detail: "Not authenticated" }, { status: 401 }),
      "test:m answered 401: Not authenticated; check TEST_API_KEY.",
      { ...details, status: 401 },
    ],
    [
      "a proxy's page",
      new Response("<html><body>Bad gateway</body></html>", { status: 502 }),
      "test:m answered 502; the provider has a problem.",
      { ...details, status: 502 },
    ],
    [
      "plain text on several lines",
      new Response("upstream\n  timed out\n", { status: 504 }),
      "test:m answered 504: upstream timed out; the provider has a problem.",
      { ...details, status: 504 },
    ],
    [
      "a redirect",
      new Response(null, { status: 307, headers: { location: "https://evil.example" } }),
      "test:m answered 307; it wants to redirect; give the address it redirects to as base URL.",
      { ...details, status: 307 },
    ],
    [
      "an echoed key",
      json({ error: { message: "Wrong key s3cret" } }, { status: 403 }),
      "test:m answered 403: Wrong key [redacted]; check TEST_API_KEY.",
      { ...details, status: 403 },
    ],
    [
      "an error with status 200",
      json({ error: { code: 429, message: "Provider is busy (s3cret)" } }),
      "test:m broke off with an error: Provider is busy ([redacted]).",
      details,
    ],
    [
      "an error in a stream",
      eventStream([
        { ok: 1 },
        { type: "error", error: { type: "overloaded_error", message: "Busy" } },
      ]),
      "test:m broke off with an error: overloaded_error: Busy.",
      details,
    ],
    [
      "a page with status 200",
      new Response("<html>Sign in</html>"),
      "test:m answered with something that is no JSON, or broke off; check the base URL.",
      details,
    ],
    [
      "an empty body",
      new Response(""),
      "test:m answered with something that is no JSON, or broke off; check the base URL.",
      details,
    ],
  ])("%s", async (_, response, message, expected) => {
    await expect(valuesOf(() => response)).rejects.toMatchObject({
      code: "summarizer-failed",
      message,
      details: expected,
    });
  });

  it("a long reason is clipped", async () => {
    const response = json({ error: { message: "word ".repeat(10_000) } }, { status: 400 });
    const error: unknown = await valuesOf(() => response).catch((one: unknown) => one);
    expect((error as Error).message.length).toBeLessThan(600);
  });

  it("what fetch throws is told without its cause", async () => {
    const cause = Object.assign(new Error("connect ECONNREFUSED s3cret"), { code: "ECONNREFUSED" });
    const fail = (): never => {
      throw new TypeError("fetch failed", { cause });
    };
    const error: unknown = await valuesOf(fail).catch((one: unknown) => one);
    expect(error).toMatchObject({
      message:
        "test:m could not be reached, or broke off: fetch failed (connect ECONNREFUSED [redacted]).",
    });
    expect((error as Error).cause).toBeUndefined();
  });
});

describe("a body without end", () => {
  const endless = (type: string, open: { closed: boolean }, status = 200): Response => {
    const chunk = new TextEncoder().encode("x".repeat(1_000_000));
    const stream = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(chunk),
      cancel: () => void (open.closed = true),
    });
    return new Response(stream, { status, headers: { "content-type": type } });
  };

  it.each(["application/json", "text/event-stream"])("is not read: %s", async (type) => {
    const open = { closed: false };
    await expect(valuesOf(() => endless(type, open))).rejects.toMatchObject({
      code: "summarizer-failed",
      message: "test:m answered with more than 8 MB; it was cut off.",
    });
    expect(open.closed).toBe(true);
  });

  it("is not read when it is an error either", async () => {
    const open = { closed: false };
    await expect(valuesOf(() => endless("text/plain", open, 500))).rejects.toMatchObject({
      details: { status: 500 },
    });
    expect(open.closed).toBe(true);
  });
});

it("closes the connection when nobody wants more", async () => {
  let closed = false;
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new TextEncoder().encode('data: {"a":1}\n\n')),
    cancel: () => void (closed = true),
  });
  const headers = { "content-type": "text/event-stream" };
  const request = {
    summarizer: "test:m",
    url: "https://api.example.com",
    headers: {},
    body: {},
    signal: new AbortController().signal,
    redact: String,
    keyHint: "",
    fetch: scriptedFetch(() => new Response(stream, { headers })).fetch,
  };
  for await (const _ of post(request)) break;
  expect(closed).toBe(true);
});
