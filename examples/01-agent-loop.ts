// The loop of an agent that never overflows: call `prepare` before every request.
import { createContext, type Message } from "longhaul";

const context = createContext({ window: 16_000 });
const history: Message[] = [
  { role: "system", parts: [{ type: "text", text: "You are a careful agent." }] },
  { role: "user", parts: [{ type: "text", text: "Read all the logs. Never delete one." }] },
];

for (let step = 1; step <= 40; step++) {
  const { messages, report } = await context.prepare(history);
  if (report.action !== "none") {
    const { before, after } = report.tokens;
    console.log(`step ${step}: ${report.action}, ${before} -> ${after} tokens`);
  }
  history.push(...answer(messages, step));
}

/** Stands for your model and your tools: it always wants to see one more log. */
function answer(_messages: readonly Message[], step: number): Message[] {
  const call = { toolCallId: `call_${step}`, toolName: "bash" };
  const log = `log ${step}: all is well, nothing to report today.\n`.repeat(60);
  return [
    {
      role: "assistant",
      parts: [{ type: "tool-call", ...call, input: { command: `cat log.${step}` } }],
    },
    {
      role: "tool",
      parts: [{ type: "tool-result", ...call, output: [{ type: "text", text: log }] }],
    },
  ];
}
