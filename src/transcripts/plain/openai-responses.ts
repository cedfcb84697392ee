import { openaiResponses as dialect } from "../../dialects/openai-responses/openai-responses.ts";
import type { ResponsesItem } from "../../dialects/openai-responses/wire.ts";
import { isRecord } from "../content.ts";
import type { DocumentFormat, RecordsFormat } from "../transcript.ts";
import { hasBlock } from "./blocks.ts";
import { plainFormats, type PlainFormats } from "./plain-format.ts";

/** Block types that no other format has in `content`. */
const BLOCKS = new Set(["input_text", "input_image", "input_file", "output_text"]);
/** Item types that no other format has in a list of messages. */
const ITEM = /^(?:reasoning|item_reference|compaction|[a-z_]+_call(?:_output)?)$/;

/**
 * Items of OpenAI's Responses API: a list, a request with one (`input`), or items by lines.
 */
const formats: PlainFormats = plainFormats({
  name: "openai-responses",
  title: "OpenAI Responses items",
  detect: ({ messages }) =>
    messages.some(isOwnItem) || "no message has a type or a part that only OpenAI Responses knows",
  createDecoder: () => {
    const decode = dialect.createDecoder();
    // The decoder checks what it is given, whatever its type says.
    return Object.assign((native: unknown) => decode(native as ResponsesItem), {
      open: () => decode.open?.() ?? [],
    });
  },
});

export const openaiResponses: DocumentFormat = formats.document;
export const openaiResponsesLines: RecordsFormat = formats.records;

function isOwnItem(item: unknown): boolean {
  if (!isRecord(item)) return false;
  const { type, role, content } = item;
  if (type === "message" && typeof role === "string" && typeof content === "string") return true;
  if (typeof type === "string" && role === undefined && ITEM.test(type)) return true;
  return hasBlock(item, (block) => BLOCKS.has(String(block["type"])));
}
