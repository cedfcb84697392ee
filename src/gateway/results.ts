import { fieldsOf } from "../core/text/json.ts";
import type { AnthropicMessage } from "../dialects/anthropic/wire.ts";
import type { ChatMessage } from "../dialects/openai-chat/wire.ts";
import type { ResponsesItem } from "../dialects/openai-responses/wire.ts";
import { isWireObject, objectsIn, type WireObject } from "../dialects/wire.ts";
import type { Output } from "./arrivals.ts";

/** A message at its place in a request. */
export interface Place<Native> {
  readonly at: number;
  readonly list: readonly Native[];
}

type Arrive = (output: Output) => Promise<unknown>;

/** A message of Anthropic with its tool results as they go on; the very message if nothing changed. */
export async function arrivedBlocks(
  { at, list }: Place<AnthropicMessage>,
  arrive: Arrive,
): Promise<AnthropicMessage> {
  const message = list[at] as AnthropicMessage;
  const blocks: unknown = isWireObject(message) ? message["content"] : undefined;
  if (!Array.isArray(blocks) || !blocks.some(isToolResult)) return message;
  const isNew = isNewest(at, list, ({ role }) => role === "assistant");
  const made = await Promise.all(
    blocks.map(async (block: unknown) => {
      if (!isToolResult(block)) return block;
      const call = findCall(at, list, (one) => blockWith(one, block["tool_use_id"]));
      const { name, input } = call ?? {};
      const { content: given } = block;
      const content = await arrive({ content: given, tool: nameOf(name), input, isNew });
      return content === given ? block : { ...block, content };
    }),
  );
  const isSame = made.every((block, index) => block === blocks[index]);
  return isSame ? message : ({ ...message, content: made } as AnthropicMessage);
}

function isToolResult(block: unknown): block is WireObject {
  return isWireObject(block) && block["type"] === "tool_result";
}

function blockWith(message: unknown, id: unknown): WireObject | undefined {
  const blocks = objectsIn(fieldsOf(message)["content"]);
  return blocks.find((one) => one["type"] === "tool_use" && one["id"] === id);
}

/** A message of Chat Completions with its result as it goes on. */
export async function arrivedChat(
  { at, list }: Place<ChatMessage>,
  arrive: Arrive,
): Promise<ChatMessage> {
  const message = list[at] as ChatMessage;
  if (!isWireObject(message) || message["role"] !== "tool") return message;
  const id = message["tool_call_id"];
  const { name, arguments: input } = findCall(at, list, (one) => functionWith(one, id)) ?? {};
  const isNew = isNewest(at, list, ({ role }) => role === "assistant");
  const { content: given } = message;
  const content = await arrive({ content: given, tool: nameOf(name), input, isNew });
  return content === given ? message : ({ ...(message as WireObject), content } as ChatMessage);
}

function functionWith(message: unknown, id: unknown): WireObject | undefined {
  const call = objectsIn(fieldsOf(message)["tool_calls"]).find((one) => one["id"] === id);
  return call && fieldsOf(call["function"]);
}

const OUTPUT = /^(?:function|custom_tool|local_shell|shell|apply_patch)_call_output$/;

/** An item of Responses with its output as it goes on. */
export async function arrivedItem(
  { at, list }: Place<ResponsesItem>,
  arrive: Arrive,
): Promise<ResponsesItem> {
  const item = list[at] as WireObject & ResponsesItem;
  if (!isWireObject(item) || !OUTPUT.test(String(item["type"]))) return item;
  const call = findCall(at, list, (one) =>
    isWireObject(one) && one["call_id"] === item["call_id"] ? one : undefined,
  );
  const { name, arguments: written, input = written } = call ?? {};
  const isNew = isNewest(at, list, isSaid);
  const { output: given } = item as WireObject;
  const output = await arrive({ content: given, tool: nameOf(name), input, isNew });
  return output === given ? item : ({ ...item, output } as ResponsesItem);
}

/** The model's own items: its words, its thinking, a call. */
export function isSaid(item: object): boolean {
  const { role, type } = item as WireObject;
  if (role !== undefined) return role === "assistant";
  return typeof type === "string" && !type.endsWith("_output");
}

function isNewest<Native>(
  at: number,
  list: readonly Native[],
  isAnswer: (native: Native) => boolean,
): boolean {
  return list.findLastIndex((native) => isWireObject(native) && isAnswer(native)) < at;
}

/** The call of a result, which stands shortly before it. */
function findCall<Native>(
  at: number,
  list: readonly Native[],
  look: (native: Native) => WireObject | undefined,
): WireObject | undefined {
  for (let before = at - 1; before >= 0; before--) {
    const call = look(list[before] as Native);
    if (call !== undefined) return call;
  }
  return undefined;
}

function nameOf(name: unknown): string {
  return typeof name === "string" ? name : "";
}
