import { readFileSync } from "node:fs";
import Anthropic from "@anthropic-ai/sdk";
import { expect, test } from "vitest";
import { anthropicContext } from "../../src/hooks/anthropic/index.ts";
import { upstreamForTest } from "../provider/for-test.ts";

const page = readFileSync("docs/anthropic.md", "utf8");

test("the one line on the page works", async () => {
  const server = await upstreamForTest({ script: () => "Hello.", apiKey: "k" });
  const code = /```ts\n([^]*?)```/.exec(page)?.[1]?.replace(/^import .*$/gm, "") ?? "";
  const Client = function (options: object) {
    return new Anthropic({ ...options, baseURL: server.url, apiKey: "k" });
  };
  // What the page shows is what runs.
  // oxlint-disable-next-line typescript/no-implied-eval
  const run = new Function("Anthropic", "anthropicContext", `${code}; return client;`) as (
    ...values: unknown[]
  ) => Anthropic;
  const client = run(Client, anthropicContext);
  const answer = await client.messages.create({
    model: "claude-haiku-4-5",
    max_tokens: 10,
    messages: [{ role: "user", content: "Hi" }],
  });
  expect(answer.content).toMatchObject([{ type: "text", text: "Hello." }]);
});
