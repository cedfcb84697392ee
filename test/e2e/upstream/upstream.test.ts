import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterEach, expect, test } from "vitest";
import { startUpstream, type Upstream, type UpstreamOptions } from "./index.ts";

const running: Upstream[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((upstream) => upstream.close()));
});

async function start(options: UpstreamOptions): Promise<Upstream> {
  const upstream = await startUpstream(options);
  running.push(upstream);
  return upstream;
}

test("the same script answers both SDKs", async () => {
  const upstream = await start({ script: ({ lastUserText }) => `You said: ${lastUserText}` });
  const messages = [{ role: "user" as const, content: "hello" }];
  const anthropic = new Anthropic({ apiKey: "k", baseURL: upstream.url, maxRetries: 0 });
  const message = await anthropic.messages.create({ model: "m", max_tokens: 100, messages });
  expect(message.content).toMatchObject([{ type: "text", text: "You said: hello" }]);
  const openai = new OpenAI({ apiKey: "k", baseURL: `${upstream.url}/v1`, maxRetries: 0 });
  const completion = await openai.chat.completions.create({ model: "m", messages });
  expect(completion.choices[0]!.message.content).toBe("You said: hello");
  expect(upstream.refusals).toEqual([]);
});
