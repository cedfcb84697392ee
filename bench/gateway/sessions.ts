/** The recorded sessions that gateways are measured on. */
import path from "node:path";
import type { Message } from "../../src/core/message/index.ts";
import { estimator } from "../../src/core/tokens/estimator.ts";
import { createMessageMeter } from "../../src/core/tokens/index.ts";
import { readSessions, sessionFiles } from "../quality/sessions.ts";

export interface Session {
  readonly name: string;
  readonly messages: readonly Message[];
  readonly tokens: number;
}

const meter = createMessageMeter(estimator);

/** The stretches with the most requests, at most so many: those of a few messages say nothing. */
export async function longestSessions(most: number, folder?: string): Promise<readonly Session[]> {
  const sessions: Session[] = [];
  for (const file of sessionFiles(folder)) {
    for (const { part, conversation } of await readSessions(file)) {
      const { messages } = conversation;
      const answers = messages.filter(({ role }) => role === "assistant");
      const name = `${path.basename(file)}#${part}`;
      if (answers.length >= 5) sessions.push({ name, messages, tokens: meter.total(messages) });
    }
  }
  return sessions.toSorted((a, b) => b.messages.length - a.messages.length).slice(0, most);
}

/** The lengths of its requests: every answer came to all that stands before it. */
export function requestsOf({ messages }: Session): readonly number[] {
  return messages.flatMap(({ role }, at) =>
    role === "assistant" && at > 0 && messages[at - 1]?.role !== "assistant" ? [at] : [],
  );
}
