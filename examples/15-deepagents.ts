// One line in a deep agent. Set ANTHROPIC_API_KEY to run it against the API; the tests run
// it against a local server.
import { ChatAnthropic } from "@langchain/anthropic";
import { createDeepAgent } from "deepagents";
import { tool } from "langchain";
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

const agent = createDeepAgent({
  model: new ChatAnthropic({ model: "claude-haiku-4-5" }),
  tools: [log],
  // In the place of its own summarizer, also in the sub-agent that it has by itself.
  middleware: [{ ...context.middleware, name: "SummarizationMiddleware" }],
});

const { messages } = await agent.invoke(
  { messages: "Read the logs of all 30 days, then say whether all is well." },
  { recursionLimit: 500 },
);
console.log(messages.at(-1)?.text);
