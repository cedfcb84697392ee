// An agent in a plain loop over fetch: `context.fetch` is all there is to it.
import type { ChatMessage } from "longhaul/dialects";
import { openaiContext } from "longhaul/openai";

if (process.env["OPENAI_API_KEY"] === undefined) {
  console.error("This example asks a model: set OPENAI_API_KEY and start it again.");
  process.exit(1);
}

const { OPENAI_BASE_URL = "https://api.openai.com/v1", OPENAI_API_KEY } = process.env;
const context = openaiContext({ window: 32_000 });
const parameters = { type: "object", properties: { day: { type: "number" } }, required: ["day"] };
const log = { name: "log", description: "Reads the log of a day.", parameters };
const messages: ChatMessage[] = [{ role: "user", content: "Read the logs of all 30 days." }];

for (let calls: Call[] | undefined = []; calls !== undefined;) {
  for (const { id, function: called } of calls) {
    const { day } = JSON.parse(called.arguments) as { day: number };
    const output = `day ${day}: all is well, nothing to report.\n`.repeat(200);
    const { text } = await context.truncate(output, { toolName: called.name });
    messages.push({ role: "tool", tool_call_id: id, content: text });
  }
  const response = await context.fetch(`${OPENAI_BASE_URL}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${OPENAI_API_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: "gpt-5-mini",
      messages,
      tools: [{ type: "function", function: log }],
    }),
  });
  if (!response.ok) throw new Error(await response.text());
  const { choices } = (await response.json()) as { choices: [{ message: Answer }] };
  messages.push(choices[0].message);
  calls = choices[0].message.tool_calls;
  if (calls === undefined) console.log(choices[0].message.content, context.journal().length);
}

type Call = { type: "function"; id: string; function: { name: string; arguments: string } };
type Answer = ChatMessage & { content: string | null; tool_calls?: Call[] };
