import { fieldsOf } from "../../core/text/json.ts";
import { objectsIn, parseInput, textIn, type WireObject } from "../wire.ts";

/** Deltas that add to a text field of a block. */
const ADDS: Readonly<Record<string, string>> = {
  text_delta: "text",
  thinking_delta: "thinking",
  signature_delta: "signature",
};

/** The whole message that the events of a stream tell, as far as they go. */
export function wholeMessage(events: readonly WireObject[]): WireObject {
  let message: WireObject = {};
  const blocks: Record<string, unknown>[] = [];
  const inputs = new Map<number, string>();
  for (const event of events) {
    const { type, delta, index: at } = event;
    const index = Number(at);
    const block = blocks[index];
    const change = fieldsOf(delta);
    if (type === "message_start") message = fieldsOf(event["message"]);
    if (type === "content_block_start") blocks[index] = { ...fieldsOf(event["content_block"]) };
    if (type === "message_delta") {
      const usage = { ...fieldsOf(message["usage"]), ...fieldsOf(event["usage"]) };
      message = { ...message, ...change, usage };
    }
    if (type !== "content_block_delta" || block === undefined) continue;
    const field = ADDS[String(change["type"])];
    if (field !== undefined)
      block[field] = `${textIn(block, field) ?? ""}${textIn(change, field) ?? ""}`;
    if (change["type"] === "input_json_delta") {
      inputs.set(index, (inputs.get(index) ?? "") + String(change["partial_json"]));
    }
    if (change["type"] === "citations_delta") {
      const { citations } = block;
      block["citations"] = [...(Array.isArray(citations) ? citations : []), change["citation"]];
    }
  }
  for (const [index, text] of inputs) {
    if (text !== "") Object.assign(blocks[index] ?? {}, { input: parseInput(text) });
  }
  return { ...message, content: objectsIn(blocks) };
}
