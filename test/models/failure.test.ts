import { describe, expect, it } from "vitest";
import { ContextError } from "../../src/core/error.ts";
import { callFailure, retryAfterMs } from "../../src/models/failure.ts";

const NOW = Date.parse("2026-01-01T00:00:00Z");
const KEY = "sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789";

function error(message: string, rest: object = {}): Error {
  return Object.assign(new Error(message), rest);
}

describe("what an error of a summarizer means", () => {
  it.each([
    [429, "transient"],
    [500, "transient"],
    [529, "transient"],
    [408, "transient"],
    [400, "refused"],
    [422, "refused"],
    [401, "hopeless"],
    [404, "hopeless"],
    [413, "overflow"],
  ])("status %i is %s, wherever it stands", (status, kind) => {
    const wrapped = [
      error("x", { status }),
      error("x", { statusCode: status }),
      error("x", { cause: { status } }),
      error("x", { lastError: { statusCode: status } }),
      error("x", { response: { status } }),
      new ContextError("summarizer-failed", "x", { details: { status } }),
    ];
    for (const one of wrapped) expect(callFailure(one, NOW).kind).toBe(kind);
  });

  it("a fault of the network is transient, a wrong option hopeless", () => {
    expect(callFailure(new TypeError("fetch failed"), NOW).kind).toBe("transient");
    expect(callFailure(error("x", { code: "ECONNRESET" }), NOW).kind).toBe("transient");
    expect(callFailure(error("x", { isRetryable: false }), NOW).kind).toBe("refused");
    expect(callFailure(new ContextError("invalid-options", "x"), NOW).kind).toBe("hopeless");
  });

  it("keeps what was counted until then", () => {
    const usage = { input: 900, cached: 800, output: 3 };
    const failed = new ContextError("summarizer-failed", "broke off", { details: { usage } });
    expect(callFailure(failed, NOW)).toMatchObject({ kind: "transient", usage });
    expect(callFailure(error("x", { usage: { input: Number.NaN } }), NOW).usage).toBeUndefined();
  });

  it("an overflow is one, with its limit, whatever the status", () => {
    const failure = callFailure(
      error("prompt is too long: 9000 tokens > 8000 maximum", { status: 400 }),
      NOW,
    );
    expect(failure).toMatchObject({ kind: "overflow", limit: 8_000 });
  });

  it.each([
    [{ headers: { "Retry-After": "7" } }, 7_000],
    [{ headers: new Headers({ "retry-after": "0.5" }) }, 500],
    [{ responseHeaders: { "retry-after-ms": "250", "retry-after": "9" } }, 250],
    [{ headers: { "retry-after": "Thu, 01 Jan 2026 00:00:05 GMT" } }, 5_000],
    [{ headers: { "retry-after": "Wed, 31 Dec 2025 00:00:00 GMT" } }, 0],
    [{ details: { retryAfterMs: 40 } }, 40],
    [{ headers: { "retry-after": "soon" } }, undefined],
  ])("reads how long to wait from %j", (rest, ms) => {
    expect(callFailure(error("x", { status: 429, ...rest }), NOW).retryAfterMs).toBe(ms);
  });

  it("survives errors in a circle and values that are no errors", () => {
    const circle = error("round");
    circle.cause = circle;
    expect(callFailure(circle, NOW).message).toBe("round");
    for (const value of [undefined, null, 7, {}, [], Symbol("x")]) {
      expect(callFailure(value, NOW).message).toBe("The call failed.");
    }
  });
});

describe("what a report tells of an error", () => {
  it.each([
    `Incorrect API key provided: ${KEY}.`,
    `request failed {"authorization":"Bearer ${KEY}"}`,
    `Authorization: Bearer ${KEY}`,
    `x-api-key=${KEY}`,
    `https://api.example.com/v1?key=${KEY}&alt=sse`,
    `https://user:${KEY}@api.example.com`,
    `the key ${KEY.slice(14)} is wrong`,
    `AIzaSyAbCdEfGhIjKlMnOpQrStUvWxYz01234 was refused`,
    `gsk_AbCdEfGhIjKl was refused`,
    `api-key 1AbCdEfGh2 rejected`,
    `eyJhbGciOiJIUzI1.eyJzdAbCdEf.x-1 has expired`,
    `${"x ".repeat(90)}${KEY}`,
  ])("holds no key: %s", (message) => {
    const { message: told } = callFailure(error(message, { status: 401 }), NOW);
    expect(told).not.toMatch(/AbCdEf|sk-ant|IjKl/);
    expect(told.length).toBeLessThanOrEqual(200);
  });

  it("holds the words of a body and not the body", () => {
    const body = '{"type":"error","error":{"message":"Model \\"x\\" is gone","secret":"abc"}}';
    const { message } = callFailure(error(`404 ${body}`, { status: 404 }), NOW);
    expect(message).toBe('404 Model "x" is gone');
    const page = callFailure(error("Bad gateway <html><p>secret</p></html>", { status: 502 }), NOW);
    expect(page.message).toBe("HTTP 502: Bad gateway");
  });

  it("is one line of at most 200 characters, and keeps the names of models", () => {
    const { message } = callFailure(
      error(`no model claude-sonnet-4-5-20250929-v2\n${"bb ".repeat(400)}`),
      NOW,
    );
    expect(message).toContain("claude-sonnet-4-5-20250929-v2");
    expect(message).not.toContain("\n");
    expect(message).toHaveLength(200);
  });
});

it.each([
  [{}, undefined],
  [{ "retry-after": "7" }, 7_000],
  [{ "retry-after": "0.5" }, 500],
  [{ "retry-after": "Fri, 02 Jan 2026 03:05:05 GMT" }, 60_000],
  [{ "retry-after": "Fri, 02 Jan 2026 03:00:00 GMT" }, 0],
  [{ "retry-after": "soon" }, undefined],
  [{ "retry-after": "" }, undefined],
  [{ "retry-after-ms": "250", "retry-after": "1" }, 250],
])("headers %j mean to wait %s ms", (headers, expected) => {
  expect(
    retryAfterMs(
      new Headers(headers as Record<string, string>),
      Date.parse("2026-01-02T03:04:05Z"),
    ),
  ).toBe(expected);
});
