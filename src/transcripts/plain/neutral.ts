import { neutral as dialect, type NeutralMessage } from "../../dialects/neutral/neutral.ts";
import { isRecord } from "../content.ts";
import type { DocumentFormat, RecordsFormat } from "../transcript.ts";
import { isOurs } from "./plain-conversation.ts";
import { plainFormats, type PlainFormats } from "./plain-format.ts";

/** The version of the neutral format that is written, and the newest that is read. */
export const NEUTRAL_VERSION = 1;

/** Part types that no other format has under `parts`. */
const PARTS = new Set(["tool-call", "tool-result", "opaque"]);

/**
 * Our own messages as JSON: `{ "format": "longhaul", "version": 1, "messages": [...] }`, a bare
 * list, or one message a line (as an archived head is kept). What was written is read back equal.
 */
const formats: PlainFormats = plainFormats({
  name: "neutral",
  title: "Longhaul messages",
  detect: ({ wrapper, messages }) => {
    if (!isOurs(wrapper)) {
      return messages.some(isNeutral) || 'there is no "format": "longhaul", and no tool parts';
    }
    const version = wrapper["version"];
    const isKnown = typeof version === "number" && version <= NEUTRAL_VERSION;
    return isKnown || `its version is ${String(version)}; this reads ${NEUTRAL_VERSION}`;
  },
  createDecoder: () => {
    const decode = dialect.createDecoder();
    // The decoder checks what it is given, whatever its type says.
    return (native) => decode(native as NeutralMessage);
  },
});

export const neutral: DocumentFormat = formats.document;
export const neutralLines: RecordsFormat = formats.records;

/** Whether a message with `parts` is ours; the AI SDK's UI messages have `parts`, too. */
function isNeutral(message: unknown): boolean {
  if (!isRecord(message) || !Array.isArray(message["parts"])) return false;
  if (typeof message["kind"] === "string") return true;
  return message["parts"].some((part) => isRecord(part) && PARTS.has(String(part["type"])));
}
