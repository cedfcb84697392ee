// Three lines in a program that uses the AI SDK, version 6 or 7. Set OPENAI_API_KEY to run it against
// the API; the tests run it against a local server.
import { openai } from "@ai-sdk/openai";
import { generateText, jsonSchema, stepCountIs, tool, wrapLanguageModel } from "ai";
import { aiSdkContext } from "longhaul/ai-sdk";

if (process.env["OPENAI_API_KEY"] === undefined) {
  console.error("This example asks a model: set OPENAI_API_KEY and start it again.");
  process.exit(1);
}

const model = openai("gpt-5-mini");
const context = aiSdkContext({ model, window: 32_000 });

const log = tool({
  description: "Reads the log of a day.",
  inputSchema: jsonSchema<{ day: number }>({
    type: "object",
    properties: { day: { type: "number" } },
    required: ["day"],
  }),
  execute: async ({ day }) => `day ${day}: all is well, nothing to report.\n`.repeat(200),
});

context.on("prepared", ({ action, tokens }) => {
  if (action !== "none") console.log(`${action}: ${tokens.before} -> ${tokens.after} tokens`);
});

const result = await generateText({
  model: wrapLanguageModel({ model, middleware: context.middleware }),
  prompt: "Read the logs of all 30 days, then say whether all is well.",
  tools: context.tools({ log, ...context.recallTools }),
  prepareStep: context.prepareStep,
  stopWhen: stepCountIs(100),
});
console.log(result.text);

const saved = await context.persisted(result);
console.log(`${saved.length} messages are saved, of ${result.response.messages.length + 1}`);
