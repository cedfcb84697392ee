import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chatAnswers, responsesAnswers } from "../../src/hooks/openai/answers.ts";
import {
  type AnswerWatch,
  watchAnswer as watch,
  type WireApi,
} from "../../src/hooks/wire-answer.ts";

/** What was heard, and the answer as it is watched. */
const watchAnswer = (
  response: Response,
  { api = responsesAnswers, ...given }: Omit<AnswerWatch, "api"> & { readonly api?: WireApi },
): Response => watch(response, { api, ...given });

const SSE = { "content-type": "text/event-stream; charset=utf-8" };

/** An answer whose body comes in pieces; `pulled` counts those that were asked for. */
function answer(pieces: readonly Uint8Array[], headers: Record<string, string>) {
  const seen = { pulled: 0, cancelled: false };
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const piece = pieces[seen.pulled];
        seen.pulled += 1;
        if (piece === undefined) controller.close();
        else controller.enqueue(piece);
      },
      cancel() {
        seen.cancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return {
    seen,
    response: new Response(body as ReadableStream<Uint8Array<ArrayBuffer>>, { headers }),
  };
}

function cut(text: string, at: readonly number[]): Uint8Array[] {
  const bytes = new TextEncoder().encode(text);
  const ends = [...new Set(at.map((n) => n % (bytes.length + 1)))].toSorted((a, b) => a - b);
  return [...ends, bytes.length].map((end, n) => bytes.slice(ends[n - 1] ?? 0, end));
}

const data = (event: object): string => `data: ${JSON.stringify(event)}\n\n`;
const usage = { input: 12, output: 3 };
const chatUsage = { prompt_tokens: 12, completion_tokens: 3 };
const responsesUsage = { input_tokens: 12, output_tokens: 3 };
const chatStream = [
  data({ choices: [{ delta: { content: "Grüße 👋" } }], usage: null }),
  ": a comment\n\n",
  data({ choices: [{ delta: { content: 'says "usage": {' } }], usage: null }),
  data({ choices: [], usage: chatUsage }),
  "data: [DONE]\n\n",
].join("");
const responsesStream = [
  `event: response.created\n${data({ type: "response.created", response: { usage: null } })}`,
  `event: response.in_progress\n${data({ type: "response.in_progress", response: {} })}`,
  data({ type: "response.output_text.delta", delta: "Grüße 👋" }),
  data({ type: "response.completed", response: { usage: responsesUsage } }),
].join("");
const failedStream = [
  data({ type: "response.created", response: {} }),
  data({ type: "error", code: "context_length_exceeded", message: "too long" }),
  data({ type: "response.failed", response: { error: { code: "context_length_exceeded" } } }),
].join("");

describe.each([
  ["of Chat Completions", chatStream, chatAnswers],
  ["of Responses", responsesStream, responsesAnswers],
  ["of Chat Completions with CRLF", chatStream.replaceAll("\n", "\r\n"), chatAnswers],
])("a stream %s", (_name, stream, api) => {
  test("comes byte for byte, however it is cut, and its usage is heard", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat()), async (at) => {
        const heard: unknown[] = [];
        const { response } = answer(cut(stream, at), SSE);
        const watched = watchAnswer(response, {
          api,
          learn: (reported) => void heard.push(reported),
          again: () => Promise.reject(new Error("there is nothing to try again")),
        });
        expect(await watched.text()).toBe(stream);
        expect(heard).toMatchObject([usage]);
      }),
    );
  });
});

test("the usage of an answer that is no stream is heard", async () => {
  const heard: unknown[] = [];
  const body = JSON.stringify({ id: "ü", usage: responsesUsage });
  const { response } = answer(cut(body, [3, 8, 9]), { "content-type": "application/json" });
  const watched = watchAnswer(response, { learn: (reported) => void heard.push(reported) });
  expect(await watched.json()).toEqual(JSON.parse(body));
  expect(heard).toMatchObject([usage]);
});

test("nothing is read before somebody reads, and no more than that", async () => {
  const pieces = [1, 2, 3].map((n) => new TextEncoder().encode(data({ n })));
  const { response, seen } = answer(pieces, SSE);
  const { body } = watchAnswer(response, { learn: () => undefined });
  const reader = body!.getReader();
  await Promise.resolve();
  expect(seen.pulled).toBe(0);
  await reader.read();
  expect(seen.pulled).toBe(1);
  await reader.cancel();
  expect(seen).toEqual({ pulled: 1, cancelled: true });
});

test("status, headers and URL stay", () => {
  const { response } = answer([], { ...SSE, "x-request-id": "req_1" });
  Object.defineProperty(response, "url", { value: "http://x/v1/responses" });
  const watched = watchAnswer(response, { learn: () => undefined });
  expect(watched.status).toBe(200);
  expect(watched.headers.get("x-request-id")).toBe("req_1");
  expect(watched.url).toBe("http://x/v1/responses");
});

describe("a stream that ends in an error before it says anything", () => {
  const other = (): Response => new Response(responsesStream, { headers: SSE });

  test("is replaced, however it is cut", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat()), async (at) => {
        const errors: unknown[] = [];
        const heard: unknown[] = [];
        const watched = watchAnswer(answer(cut(failedStream, at), SSE).response, {
          learn: (reported) => void heard.push(reported),
          again(error) {
            errors.push(error);
            return Promise.resolve(other());
          },
        });
        expect(await watched.text()).toBe(responsesStream);
        expect(errors).toMatchObject([{ code: "context_length_exceeded" }]);
        expect(heard).toMatchObject([usage]);
      }),
    );
  });

  test("comes as it is if there is no other answer, or that one failed too", async () => {
    for (const second of [undefined, new Response("no", { status: 400 })]) {
      const { response } = answer(cut(failedStream, [50]), SSE);
      const watched = watchAnswer(response, {
        learn: () => undefined,
        again: () => Promise.resolve(second),
      });
      expect(await watched.text()).toBe(failedStream);
    }
  });

  test("is not replaced once it has said something", async () => {
    const late = responsesStream.slice(0, responsesStream.lastIndexOf("data:"));
    const stream = late + data({ type: "response.failed", response: { error: {} } });
    const watched = watchAnswer(answer(cut(stream, []), SSE).response, {
      learn: () => undefined,
      again: () => Promise.reject(new Error("asked again")),
    });
    expect(await watched.text()).toBe(stream);
  });

  test("is given up when its reader goes away", async () => {
    const { response, seen } = answer(cut(failedStream, [40]), SSE);
    const watched = watchAnswer(response, {
      learn: () => undefined,
      again: () => Promise.resolve(undefined),
    });
    await watched.body!.cancel();
    expect(seen.cancelled).toBe(true);
  });

  test("is given up while another answer is on its way", async () => {
    const { response } = answer(cut(failedStream, []), SSE);
    let resolve: (second: Response) => void = () => undefined;
    const another = new Promise<Response>((done) => (resolve = done));
    const watched = watchAnswer(response, { learn: () => undefined, again: () => another });
    const reader = watched.body!.getReader();
    void reader.read();
    await new Promise((done) => setTimeout(done));
    await reader.cancel();
    const second = answer([], SSE);
    resolve(second.response);
    await new Promise((done) => setTimeout(done));
    expect(second.seen.cancelled).toBe(true);
  });

  test("is given up while nothing comes", async () => {
    let cancelled = false;
    const silent = new ReadableStream({ cancel: () => void (cancelled = true) });
    const watched = watchAnswer(new Response(silent, { headers: SSE }), { learn: () => undefined });
    const reader = watched.body!.getReader();
    const reading = reader.read();
    await reader.cancel();
    expect(cancelled).toBe(true);
    expect(await reading).toEqual({ done: true, value: undefined });
  });
});
