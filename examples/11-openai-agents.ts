// The OpenAI Agents SDK with a context. Set OPENAI_API_KEY to run it against the API; the tests run it
// against a local server.
import {
  Agent,
  MemorySession,
  OpenAIProvider,
  Runner,
  setTracingDisabled,
  tool,
} from "@openai/agents";
import { agentsContext } from "longhaul/openai-agents";

if (process.env["OPENAI_API_KEY"] === undefined) {
  console.error("This example asks a model: set OPENAI_API_KEY and start it again.");
  process.exit(1);
}

setTracingDisabled(true);
const context = agentsContext({ window: 32_000 });
const runner = new Runner({ modelProvider: context.modelProvider(new OpenAIProvider()) });

const log = tool({
  name: "log",
  description: "Reads the log of a day.",
  parameters: {
    type: "object",
    properties: { day: { type: "number" } },
    required: ["day"],
    additionalProperties: false,
  },
  execute: (input) => {
    const { day } = input as { day: number };
    return `day ${day}: all is well, nothing to report.\n`.repeat(200);
  },
});

context.on("prepared", ({ action, tokens }) => {
  if (action !== "none") console.log(`${action}: ${tokens.before} -> ${tokens.after} tokens`);
});

const agent = new Agent({
  name: "Watcher",
  model: "gpt-5-mini",
  instructions: "You watch over machines.",
  tools: [log, ...context.recallTools.map((options) => tool(options))],
});
const session = context.session(new MemorySession());
const question = "Read the logs of all 30 days, then say whether all is well.";
const { finalOutput } = await runner.run(agent, question, { session, maxTurns: 100 });
console.log(finalOutput);
