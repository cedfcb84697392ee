import { checkMessages } from "../../core/message/check.ts";
import { messageText, type Message } from "../../core/message/message.ts";
import { isFrame } from "../../core/summary/frame.ts";
import { fieldsOf } from "../../core/text/json.ts";
import type { Decoder, Dialect } from "../../dialects/dialect.ts";
import { invalidWire } from "../../dialects/wire.ts";
import { createCallPairing } from "../../transcripts/call-pairing.ts";
import { text } from "../../transcripts/lenient.ts";
import { decodeEntry, type Entry } from "../../transcripts/opencode/entry.ts";
import type { AgentFormat } from "../inside/session.ts";
import { withoutStaleUsage } from "../inside/stale-usage.ts";
import {
  encodeOpencode,
  isMessage,
  OWN_ID,
  type OpencodeMessage,
  type OpencodeSource,
  userMessage,
} from "./encode.ts";

const OPENCODE = "opencode";

/** The list that opencode turns into a request. */
const dialect: Dialect<readonly OpencodeMessage[], OpencodeMessage> = {
  name: OPENCODE,
  traits: { summaryRole: "user", boundReasoning: false, endsWithInput: true },
  decode,
  createDecoder: decoder,
  encode: encodeOpencode,
  check: (list) => checkMessages(decode(list)),
};

function decode(list: readonly OpencodeMessage[]): readonly Message[] {
  const each = decoder();
  return list.flatMap((native) => each(native));
}

function decoder(): Decoder<OpencodeMessage> {
  const calls = createCallPairing();
  const current = withoutStaleUsage();
  /** A message that says nothing by itself stands before what follows: the question of a compaction. */
  let silent: OpencodeMessage[] = [];
  return (native) => {
    if (!isMessage(native)) throw invalidWire({ dialect: OPENCODE }, "has no info and no parts");
    const entry = decodeEntry(native, calls);
    const messages = entry === undefined ? [] : saidBy(entry);
    if (isOwn(native) && messages[0] !== undefined) messages[0] = asSummary(messages[0]);
    if (messages.length === 0) {
      silent.push(native);
      return [];
    }
    const before = silent;
    silent = [];
    const slices = messages.length;
    return messages.map((message, slice) => {
      const signed = withSignatures(current(message));
      const { parts } = signed;
      const source: OpencodeSource = {
        dialect: OPENCODE,
        value: native,
        parts,
        slice,
        slices,
        before,
      };
      return { ...signed, source };
    });
  };
}

/** A reply that failed is sent to nobody; a summary is one if it was finished. */
function saidBy(entry: Entry): Message[] {
  if (entry.isSummary) return entry.summary === undefined ? [] : [entry.summary];
  return entry.sent ? [...entry.messages] : [];
}

function isOwn({ info }: OpencodeMessage): boolean {
  return text(info["id"])?.startsWith(OWN_ID) === true;
}

function asSummary(message: Message): Message {
  return isFrame(messageText(message)) ? { ...message, kind: "summary" } : message;
}

/** Sealed thinking has its seal among what the provider said of it. */
export function withSignatures(message: Message): Message {
  if (!message.parts.some(({ type }) => type === "reasoning")) return message;
  const parts = message.parts.map((part) => {
    const signature = part.type === "reasoning" ? signatureIn(part.source?.value) : undefined;
    return signature === undefined ? part : { ...part, signature };
  });
  return { ...message, parts };
}

function signatureIn(native: unknown): string | undefined {
  const said = Object.values(fieldsOf(fieldsOf(native)["metadata"])).map(fieldsOf);
  const seals = said.map(
    (options) => text(options["signature"]) ?? text(options["reasoningEncryptedContent"]),
  );
  return seals.find((seal) => seal !== undefined);
}

/** opencode's messages, and how they are made. */
export const opencodeFormat: AgentFormat<OpencodeMessage> = {
  agent: OPENCODE,
  dialect,
  userMessage,
};
