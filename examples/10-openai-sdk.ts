// One line in a program that uses the OpenAI SDK. Set OPENAI_API_KEY to run it against the API; the
// tests run it against a local server.
import { openaiContext } from "longhaul/openai";
import OpenAI from "openai";

if (process.env["OPENAI_API_KEY"] === undefined) {
  console.error("This example asks a model: set OPENAI_API_KEY and start it again.");
  process.exit(1);
}

const context = openaiContext({ window: 32_000 });
const openai = context.client(new OpenAI());

context.on("prepared", ({ action, tokens }) => {
  if (action !== "none") console.log(`${action}: ${tokens.before} -> ${tokens.after} tokens`);
});

const log: OpenAI.Responses.FunctionTool = {
  type: "function",
  name: "log",
  description: "Reads the log of a day.",
  parameters: { type: "object", properties: { day: { type: "number" } }, required: ["day"] },
  strict: false,
};
const tools = [log, ...context.responsesRecallTools];
const input: OpenAI.Responses.ResponseInput = [
  { role: "user", content: "Read the logs of all 30 days, then say whether all is well." },
];

for (;;) {
  const { output, output_text } = await openai.responses.create({
    model: "gpt-5-mini",
    input,
    tools,
    store: false,
    include: ["reasoning.encrypted_content"],
  });
  input.push(...(output as OpenAI.Responses.ResponseInput));
  const calls = output.filter((item) => item.type === "function_call");
  if (calls.length === 0) {
    console.log(output_text);
    break;
  }
  for (const { call_id, name, arguments: json } of calls) {
    const recall = context.responsesRecallTools.find((tool) => tool.name === name);
    const { text } = await context.truncate((await recall?.execute(json)) ?? readLog(json), {
      toolName: name,
    });
    input.push({ type: "function_call_output", call_id, output: text });
  }
}

function readLog(json: string): string {
  const { day } = JSON.parse(json) as { day: number };
  return `day ${day}: all is well, nothing to report.\n`.repeat(200);
}
