/**
 * One replica of an agent: says `ready`, gets lists of messages, answers with what it would send and
 * how often its model was asked.
 */
import { createContext, type Message } from "../../src/index.ts";
import { postgresArchive } from "../../src/entry/postgres.ts";

const [connectionString = "", schema = "", hangs = ""] = process.argv.slice(2);
let asked = 0;
const context = createContext({
  window: 24_000,
  conversation: "shared",
  archive: postgresArchive({ connectionString, schema }),
  summarizer: async () => {
    asked++;
    process.send?.("asked");
    await new Promise((done) => setTimeout(done, hangs === "" ? 300 : 60_000));
    return "## Goal\n- Go through all logs.\n## Instructions\n- (none)\n## Discoveries\n- (none)\n## Accomplished\n- (none)\n## Relevant files\n- (none)";
  },
});
async function answer(history: Message[]): Promise<void> {
  const { messages, report } = await context.prepare(history);
  const failures = report.failures.map(({ message }) => message);
  process.send?.({ messages, action: report.action, failures, asked });
}

process.on("message", (history: Message[]) => void answer(history));
process.send?.("ready");
