// One line in a program that uses the Anthropic SDK. Set ANTHROPIC_API_KEY to run it against the API;
// the tests run it against a local server.
import Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { anthropicContext } from "longhaul/anthropic";

if (process.env["ANTHROPIC_API_KEY"] === undefined) {
  console.error("This example asks a model: set ANTHROPIC_API_KEY and start it again.");
  process.exit(1);
}

const context = anthropicContext({ window: 32_000 });
const client = new Anthropic({ middleware: [context.middleware] });

const log = betaTool({
  name: "log",
  description: "Reads the log of a day.",
  inputSchema: { type: "object", properties: { day: { type: "number" } }, required: ["day"] },
  run: ({ day }) => `day ${day}: all is well, nothing to report.\n`.repeat(200),
});

context.on("prepared", ({ action, tokens }) => {
  if (action !== "none") console.log(`${action}: ${tokens.before} -> ${tokens.after} tokens`);
});

const answer = await client.beta.messages.toolRunner({
  model: "claude-haiku-4-5",
  max_tokens: 1_000,
  messages: [
    { role: "user", content: "Read the logs of all 30 days, then say whether all is well." },
  ],
  tools: context.tools([log]),
  thread: false,
});
console.log(answer.content.flatMap((block) => (block.type === "text" ? block.text : [])).join(""));
