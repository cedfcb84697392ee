// One line in an agent of LangChain's. Set ANTHROPIC_API_KEY to run it against the API; the tests run
// it against a local server.
import { ChatAnthropic } from "@langchain/anthropic";
import { createAgent, tool } from "langchain";
import { langchainContext } from "longhaul/langchain";

if (process.env["ANTHROPIC_API_KEY"] === undefined) {
  console.error("This example asks a model: set ANTHROPIC_API_KEY and start it again.");
  process.exit(1);
}

const log = tool(
  ({ day }: { day: number }) => `day ${day}: all is well, nothing to report.\n`.repeat(200),
  {
    name: "log",
    description: "Reads the log of a day.",
    schema: { type: "object", properties: { day: { type: "number" } }, required: ["day"] },
  },
);

const context = langchainContext({ window: 32_000 });
context.on("prepared", ({ action, tokens }) => {
  if (action !== "none") console.log(`${action}: ${tokens.before} -> ${tokens.after} tokens`);
});

const agent = createAgent({
  model: new ChatAnthropic({ model: "claude-haiku-4-5" }),
  tools: [log],
  middleware: [context.middleware],
});

const { messages } = await agent.invoke(
  { messages: "Read the logs of all 30 days, then say whether all is well." },
  { recursionLimit: 200 },
);
console.log(messages.at(-1)?.text);
console.log(`the state has all ${messages.length} messages`);
