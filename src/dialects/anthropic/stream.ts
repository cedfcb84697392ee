import { fieldsOf } from "../../core/text/json.ts";
import { numberIn, numberOf, parseInput, textIn, type WireObject } from "../wire.ts";

/** Deltas that add to a text: the type of their block, and its field. */
const ADDS: ReadonlyMap<unknown, readonly [type: string, field: string]> = new Map([
  ["text_delta", ["text", "text"]],
  ["thinking_delta", ["thinking", "thinking"]],
  ["signature_delta", ["thinking", "signature"]],
]);

interface OpenBlock {
  readonly index: number;
  readonly block: Record<string, unknown>;
  input: string;
}

/**
 * The whole message that the events of a stream tell, as far as they go. Servers that are not the
 * provider's leave out indexes and starts of blocks, and use an index again: no text may be lost.
 */
export function wholeMessage(events: readonly WireObject[]): WireObject {
  let message: WireObject = {};
  const blocks: OpenBlock[] = [];
  const open = new Map<number, OpenBlock>();
  const begin = (index: number, block: WireObject): OpenBlock => {
    const begun = { index, block: { ...block }, input: "" };
    blocks.push(begun);
    open.set(index, begun);
    return begun;
  };
  for (const event of events) {
    const { type } = event;
    const index = numberIn(event, "index") ?? blocks.at(-1)?.index ?? 0;
    const change = fieldsOf(event["delta"]);
    if (type === "message_start") message = fieldsOf(event["message"]);
    if (type === "content_block_start") begin(index, fieldsOf(event["content_block"]));
    if (type === "message_delta") {
      const usage = counted(fieldsOf(message["usage"]), fieldsOf(event["usage"]));
      message = { ...message, ...change, usage };
    }
    if (type !== "content_block_delta") continue;
    const known = open.get(index);
    const [kind, field] = ADDS.get(change["type"]) ?? [];
    if (kind !== undefined && field !== undefined) {
      const { block } = known?.block["type"] === kind ? known : begin(index, { type: kind });
      block[field] = `${textIn(block, field) ?? ""}${textIn(change, field) ?? ""}`;
    }
    if (known === undefined) continue;
    if (change["type"] === "input_json_delta") known.input += textIn(change, "partial_json") ?? "";
    if (change["type"] === "citations_delta") {
      const { citations } = known.block;
      known.block["citations"] = [
        ...(Array.isArray(citations) ? (citations as unknown[]) : []),
        change["citation"],
      ];
    }
  }
  for (const { block, input } of blocks) if (input !== "") block["input"] = parseInput(input);
  const content = blocks.sort((a, b) => a.index - b.index).map(({ block }) => block);
  return { ...message, content };
}

/** Counts are cumulative, and those of the input need not come twice. */
function counted(before: WireObject, now: WireObject): WireObject {
  const entries = Object.entries(now).map(([name, value]) => {
    const known = before[name];
    return [name, typeof known === "number" ? Math.max(known, numberOf(value)) : (value ?? known)];
  });
  return { ...before, ...(Object.fromEntries(entries) as WireObject) };
}
