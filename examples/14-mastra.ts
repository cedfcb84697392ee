// A processor in an agent of Mastra's. Set OPENAI_API_KEY to run it against the API; the tests run it
// against a local server.
import { openai } from "@ai-sdk/openai";
import { Agent } from "@mastra/core/agent";
import { MockMemory } from "@mastra/core/memory";
import { createTool } from "@mastra/core/tools";
import { mastraContext } from "longhaul/mastra";
import { z } from "zod";

if (process.env["OPENAI_API_KEY"] === undefined) {
  console.error("This example asks a model: set OPENAI_API_KEY and start it again.");
  process.exit(1);
}

const log = createTool({
  id: "log",
  description: "Reads the log of a day.",
  inputSchema: z.object({ day: z.number() }),
  execute: async ({ day }) => `day ${day}: all is well, nothing to report.\n`.repeat(200),
});

const context = mastraContext({ window: 32_000 });
context.on("prepared", ({ action, tokens }) => {
  if (action !== "none") console.log(`${action}: ${tokens.before} -> ${tokens.after} tokens`);
});

// It is gone with the process; your own is a `Memory` of the package @mastra/memory. By default each gives
// the last 10 messages only: `lastMessages` lets the whole history come, which the processor needs.
const memory = new MockMemory();
const agent = new Agent({
  id: "reader",
  name: "Reader",
  instructions: "You read logs.",
  model: openai("gpt-5-mini"),
  tools: { log },
  memory,
  inputProcessors: [context.processor],
});

const question = "Read the logs of all 30 days, then say whether all is well.";
const options = { lastMessages: 100_000 };
const { text } = await agent.generate(question, {
  maxSteps: 100,
  memory: { thread: "logs", resource: "me", options },
});
console.log(text);
