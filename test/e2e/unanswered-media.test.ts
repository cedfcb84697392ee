import { describe, expect, it } from "vitest";
import { type Context, createContext } from "../../src/context/index.ts";
import { type Message, messageText } from "../../src/core/message/index.ts";
import { anthropic } from "../../src/dialects/anthropic/anthropic.ts";
import type { Dialect } from "../../src/dialects/dialect.ts";
import { openaiChat } from "../../src/dialects/openai-chat/openai-chat.ts";
import { openaiResponses } from "../../src/dialects/openai-responses/openai-responses.ts";
import { assistant, step, user, words } from "../build-messages.ts";
import { goodSummary } from "../good-summary.ts";
import { upstreamForTest } from "../provider/for-test.ts";

/**
 * A user sends a picture, and the window is full: it goes out as it is, or described and behind a
 * handle, as the caller wants; the server takes either.
 */

const WINDOW = 24_000;
/** The smallest picture there is. */
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const QUESTION = "What is wrong in this picture?";

const PATHS = {
  anthropic: "/v1/messages",
  "openai-chat": "/v1/chat/completions",
  "openai-responses": "/v1/responses",
} as const;
const DIALECTS = [anthropic, openaiChat, openaiResponses] as readonly Dialect[];

function asked(): Message[] {
  const work = Array.from({ length: 30 }, (_, n) => [
    assistant(words(600, `thought ${n}`)),
    ...step(`c${n}`, "bash", { command: `run ${n}` }, "done"),
  ]);
  const image = { type: "file", mediaType: "image/png", data: PIXEL } as const;
  const question: Message = { role: "user", parts: [{ type: "text", text: QUESTION }, image] };
  return [user("Look after the pictures."), ...work.flat(), assistant("Done."), question];
}

/** Sends what a context made of the messages, as the provider wants it. */
async function send(url: string, { name, encode }: Dialect, messages: readonly Message[]) {
  const wire = encode(messages);
  const list = name === "openai-responses" ? { input: wire } : { messages: wire };
  const tools = [{ name: "bash", input_schema: { type: "object" } }];
  const body = name === "anthropic" ? { max_tokens: 100, tools, ...(wire as object) } : list;
  const headers = {
    "content-type": "application/json",
    "x-api-key": "key",
    authorization: "Bearer key",
    "anthropic-version": "2023-06-01",
  };
  const path = PATHS[name as keyof typeof PATHS];
  const request = { method: "POST", headers, body: JSON.stringify({ model: "m", ...body }) };
  const response = await fetch(url + path, request);
  expect([response.status, response.ok ? "" : await response.text()]).toEqual([200, ""]);
}

function create(dialect: Dialect, unansweredMedia: "keep" | "describe"): Context {
  const { traits } = dialect;
  return createContext({ window: WINDOW, traits, unansweredMedia, summarizer: goodSummary });
}

describe.each(DIALECTS.map((dialect) => [dialect.name, dialect] as const))("%s", (_, dialect) => {
  it("gets the picture as it is where it is kept, once", async () => {
    const upstream = await upstreamForTest({ script: () => "A pixel.", window: WINDOW });
    const context = create(dialect, "keep");
    const { messages, report } = await context.prepare(asked());
    expect(report).toMatchObject({ action: "compact", continuation: { state: "media" } });
    expect(JSON.stringify(dialect.encode(messages)).split(PIXEL)).toHaveLength(2);
    await send(upstream.url, dialect, messages);
    expect(upstream.refusals).toEqual([]);
    expect(upstream.requests[0]?.view?.lastUserText).toContain(QUESTION);
  });

  it("gets a description where it is not, and the handle gives the picture back", async () => {
    const upstream = await upstreamForTest({ script: () => "A pixel.", window: WINDOW });
    const context = create(dialect, "describe");
    const { messages, report } = await context.prepare(asked());
    expect(report).toMatchObject({ action: "compact", continuation: { state: "media" } });
    const last = messages.at(-1)!;
    expect(last.metadata).toMatchObject({ had_media: true });
    expect(messageText(last)).toContain(QUESTION);
    expect(JSON.stringify(dialect.encode(messages))).not.toContain(PIXEL);
    const [handle = ""] = /\b(?:in|msg|parts|out)_[0-9a-f]{16}\b/.exec(messageText(last)) ?? [];
    expect(await context.recall(handle)).toContain(PIXEL);
    await send(upstream.url, dialect, messages);
    expect(upstream.refusals).toEqual([]);
    expect(upstream.requests[0]?.view?.lastUserText).toContain("image/png");
  });

  it("does not send it again once it was answered and the window is full again", async () => {
    const context = create(dialect, "keep");
    const history = asked();
    await context.prepare(history);
    const more = Array.from({ length: 30 }, (__, n) => [
      assistant(words(600, `later ${n}`)),
      ...step(`d${n}`, "bash", { command: `run again ${n}` }, "done"),
    ]);
    const { messages, report } = await context.prepare([...history, ...more.flat()]);
    expect(report.action).toBe("compact");
    const all = JSON.stringify(messages.map(({ source: __, ...message }) => message));
    expect(all).toContain(QUESTION);
    expect(all.split(PIXEL).length).toBeLessThanOrEqual(2);
  });
});
