// The route of a chat (Next.js, Hono, …) over the AI SDK. The user interface and the database keep
// every message; what the model gets stays inside its window. A request starts with nothing in
// memory: the journal of the conversation is in the archive.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { openai } from "@ai-sdk/openai";
import {
  convertToModelMessages,
  jsonSchema,
  stepCountIs,
  streamText,
  tool,
  type UIMessage,
  wrapLanguageModel,
} from "ai";
import { aiSdkContext } from "longhaul/ai-sdk";
import { directoryArchive } from "longhaul/archive/directory";

if (process.env["OPENAI_API_KEY"] === undefined) {
  console.error("This example asks a model: set OPENAI_API_KEY and start it again.");
  process.exit(1);
}

const archive = directoryArchive(mkdtempSync(path.join(tmpdir(), "longhaul-chat-")));
const database = new Map<string, UIMessage[]>();

const log = tool({
  description: "Reads the log of a day.",
  inputSchema: jsonSchema<{ day: number }>({
    type: "object",
    properties: { day: { type: "number" } },
    required: ["day"],
  }),
  execute: async ({ day }) => `day ${day}: all is well, nothing to report.\n`.repeat(200),
});

export async function POST(request: Request): Promise<Response> {
  const { id, message } = (await request.json()) as { id: string; message: UIMessage };
  const model = openai("gpt-5-mini");
  const context = aiSdkContext({ model, window: 32_000, conversation: id, archive });
  const tools = context.tools({ log, ...context.recallTools });
  const messages = [...(database.get(id) ?? []), message];
  const result = streamText({
    model: wrapLanguageModel({ model, middleware: context.middleware }),
    messages: await convertToModelMessages(messages, { tools }),
    tools,
    prepareStep: context.prepareStep,
    stopWhen: stepCountIs(100),
  });
  return result.toUIMessageStreamResponse({
    originalMessages: messages,
    onFinish: async ({ messages: all }) => {
      database.set(id, all);
      console.log(`${context.journal().length} edits so far`);
      await context.close();
    },
  });
}

for (const text of ["Read the logs of all 30 days.", "Is all well?"]) {
  const message = { id: text, role: "user", parts: [{ type: "text", text }] };
  const body = JSON.stringify({ id: "chat-1", message });
  const response = await POST(new Request("http://localhost/api/chat", { method: "POST", body }));
  const stream = await response.text();
  console.log(stream.includes("All is well.") ? "All is well." : stream);
}
