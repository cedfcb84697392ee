import { checkMessages } from "../../core/message/check.ts";
import { messageText, type Message } from "../../core/message/message.ts";
import { isFrame } from "../../core/summary/frame.ts";
import { createDecoder, listDialect } from "../../dialects/decoding.ts";
import type { Fields } from "../../core/text/json.ts";
import type { Decoder, Dialect } from "../../dialects/dialect.ts";
import type { WireObject } from "../../dialects/wire.ts";
import { CUSTOM, type PiMessage, piMessages } from "../../resume/pi-messages.ts";
import { type CallPairing, createCallPairing } from "../../transcripts/call-pairing.ts";
import { number } from "../../transcripts/lenient.ts";
import { decodeMessage } from "../../transcripts/pi/message.ts";
import type { AgentFormat } from "../inside/session.ts";
import { withoutStaleUsage } from "../inside/stale-usage.ts";

const PI = "pi";

/** The list that pi turns into a request. */
const dialect: Dialect<readonly PiMessage[], PiMessage> = {
  ...listDialect(PI, decoder),
  traits: { summaryRole: "user", boundReasoning: false, endsWithInput: true },
  encode: (messages) => piMessages(messages, { now: 0 }),
  check: (list) => checkMessages(dialect.decode(list)),
};

function decoder(): Decoder<PiMessage> {
  const calls = createCallPairing();
  const current = withoutStaleUsage();
  return createDecoder<PiMessage>(PI, (native) => {
    const message = decoded(native, calls);
    if (message === undefined) return [];
    return [current(message)];
  });
}

/** `undefined` for what pi sends to nobody: replies that failed or were stopped, empty messages. */
function decoded(native: WireObject, calls: CallPairing): Message | undefined {
  if (isUnsent(native)) return undefined;
  const { message } = decodeMessage(native, number(native["timestamp"]), calls);
  if (message === undefined || message.parts.length === 0) return undefined;
  const isSummary = native["customType"] === CUSTOM && isFrame(messageText(message));
  return isSummary ? { ...message, kind: "summary" } : message;
}

/** Replies that failed or were stopped. */
export function isUnsent({ stopReason }: Fields): boolean {
  return stopReason === "error" || stopReason === "aborted";
}

/** pi's messages, and how they are made. */
export const piFormat: AgentFormat<PiMessage> = {
  agent: PI,
  dialect,
  userMessage: (text) => ({
    role: "user",
    content: [{ type: "text", text }],
    timestamp: 0,
  }),
};

/** The message in which pi has the summary of a compaction. */
export function summaryMessage(summary: string): PiMessage {
  return { role: "compactionSummary", summary, tokensBefore: 0, timestamp: 0 };
}
