/** Google ADK: its compactors append to, or cut, the events of a session. */
import {
  type CompactedEvent,
  createEvent,
  type Event,
  isCompactedEvent,
  TokenBasedContextCompactor,
} from "@google/adk";
import { type Message, messageText, resultText } from "../../../src/core/message/index.ts";
import { answerAt, type Contestant, type Past, userMessage } from "../contestants.ts";
import { oneResultEach } from "./langchain.ts";
import { largest } from "./largest.ts";

/** One event a message; its time is the place of the message. */
function eventOf(message: Message, timestamp: number): Event {
  const isOwn = message.role === "assistant";
  const parts = message.parts.map((part) => {
    if (part.type === "tool-call") {
      const args = part.input as Record<string, unknown>;
      return { functionCall: { id: part.toolCallId, name: part.toolName, args } };
    }
    if (part.type === "tool-result") {
      const response = { output: resultText(part) };
      return { functionResponse: { id: part.toolCallId, name: part.toolName, response } };
    }
    return { text: messageText({ ...message, parts: [part] }) };
  });
  const content = { role: isOwn ? "model" : "user", parts };
  return createEvent({ author: isOwn ? "agent" : "user", timestamp, content });
}

async function compactedByAdk(
  { past, summary }: Pick<Past, "past" | "summary">,
  eventRetentionSize: number,
): Promise<readonly Message[] | undefined> {
  const single = oneResultEach(past);
  const events = single.map(eventOf);
  const summarizer = {
    summarize: async (some: Event[]): Promise<CompactedEvent> => ({
      ...createEvent({ author: "system" }),
      isCompacted: true,
      startTime: some[0]?.timestamp ?? 0,
      endTime: some.at(-1)?.timestamp ?? 0,
      compactedContent: answerAt({ summary }),
    }),
  };
  const options = { tokenThreshold: 1, eventRetentionSize, summarizer };
  const context = { session: { events } };
  await new TokenBasedContextCompactor(options).compact(context as never);
  const compacted = events.find(isCompactedEvent);
  if (compacted === undefined) return undefined;
  // What a request shows of a session: the newest compaction and the events after its end.
  const rest = single.filter((_, at) => at > compacted.endTime);
  return [userMessage(compacted.compactedContent), ...rest];
}

/** It has no default; its own examples keep so many. */
const KEPT_EVENTS = 20;

export const ADK: readonly Contestant[] = [
  {
    name: "Google ADK 2.0.0 TokenBasedContextCompactor (stub)",
    asksModel: true,
    does: `the newest events behind a stub in place of its model's summary; ${KEPT_EVENTS} events, for it has no default`,
    byDefault: async (past) => {
      const messages = await compactedByAdk(past, KEPT_EVENTS);
      return messages && { messages };
    },
    within: ({ past }, tokens) =>
      largest(past.length, tokens, (events) => compactedByAdk({ past }, events)),
  },
];
