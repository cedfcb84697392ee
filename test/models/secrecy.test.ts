import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { aiSdkDrivers, type Driver, httpDrivers, KEY } from "./drivers.ts";
import { eventStream, json, scriptedFetch } from "./scripted-fetch.ts";
import { summaryRequest } from "./summary-request.ts";
import {
  anthropicSummarizer,
  openaiCompatibleSummarizer,
  type Summarizer,
} from "../../src/models/index.ts";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Everything that anybody could print of what came back. */
async function allOf(summarizer: Summarizer): Promise<string> {
  const found: unknown = await summarizer
    .summarize(summaryRequest())
    .catch((error: unknown) => error);
  const seen = [found, ...(found instanceof Error ? [found.stack, found.cause] : [])];
  return inspect([summarizer.name, JSON.stringify(summarizer), ...seen], {
    depth: 20,
    showHidden: true,
    maxStringLength: Infinity,
  });
}

const echoes: readonly (readonly [string, () => Response])[] = [
  ["Anthropic's error", () => json({ error: { type: KEY, message: KEY } }, { status: 401 })],
  ["a text", () => new Response(`key ${KEY} is wrong`, { status: 403 })],
  ["a page", () => new Response(`<html>${KEY}</html>`, { status: 403 })],
  ["a page with status 200", () => new Response(`<html>${KEY}</html>`)],
  ["an error with status 200", () => json({ error: { message: `Bearer ${KEY}` } })],
  ["an error in a stream", () => eventStream([{ error: { message: encodeURIComponent(KEY) } }])],
  [
    "an echo of the request",
    () => json({ detail: JSON.stringify({ "x-api-key": KEY }) }, { status: 422 }),
  ],
  ["headers", () => json({}, { status: 429, headers: { "retry-after": KEY, "x-echo": KEY } })],
  ["a redirect", () => new Response(null, { status: 302, headers: { location: `/?key=${KEY}` } })],
  [
    "an answer of Anthropic",
    () => json({ type: "message", content: [{ type: "text", text: `Key: ${KEY}` }] }),
  ],
  [
    "an answer of OpenAI",
    () => json({ choices: [{ message: { content: `Key: ${KEY}` }, finish_reason: KEY }] }),
  ],
];

describe.each(echoes)("a key in %s", (_, answer) => {
  it("is told to nobody", async () => {
    const { fetch } = scriptedFetch(answer);
    for (const make of [anthropicSummarizer, openaiCompatibleSummarizer]) {
      const summarizers = [
        make({ model: "m", apiKey: KEY, fetch }),
        make({ model: "m", apiKey: `${KEY}\n`, fetch }),
        make({ model: "m", fetch, env: { ANTHROPIC_API_KEY: KEY, OPENAI_API_KEY: KEY } }),
        make({ model: "m", fetch, env: {}, headers: { Authorization: `Bearer ${KEY}` } }),
        make({ model: "m", fetch, env: {}, baseURL: `https://example.com/v1?key=${KEY}` }),
      ];
      for (const summarizer of summarizers) expect(await allOf(summarizer)).not.toContain(KEY);
    }
  });
});

it("a header that no fetch takes is not repeated", async () => {
  const headers = { "x-api-key": `${KEY}\u0000\n` };
  const summarizer = anthropicSummarizer({ model: "m", headers, env: {} });
  const all = await allOf(summarizer);
  expect(all).toContain("could not be reached");
  expect(all).not.toContain(KEY);
});

describe("over the wire", () => {
  const withServer = async (answer: string, use: (url: string) => Promise<void>): Promise<void> => {
    const server = createServer((request, response) => {
      request.resume();
      response.writeHead(401, { "content-type": "application/json" }).end(answer);
    });
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.closeAllConnections();
    server.close();
  };

  it.each(httpDrivers)("$name", async ({ make }: Driver) => {
    await withServer(JSON.stringify({ error: { message: `Wrong: ${KEY}` } }), async (url) => {
      const all = await allOf(make({ url }));
      expect(all).toContain("Wrong: [redacted]");
      expect(all).not.toContain(KEY);
    });
  });

  // Their keys are not ours to know, but those of the environment are.
  it.each(aiSdkDrivers)("$name, key from the environment", async ({ make }: Driver) => {
    process.env["LONGHAUL_TEST_API_KEY"] = KEY;
    await withServer(JSON.stringify({ error: { message: `Wrong: ${KEY}` } }), async (url) => {
      expect(await allOf(make({ url }))).not.toContain(KEY);
    });
    delete process.env["LONGHAUL_TEST_API_KEY"];
  });
});
