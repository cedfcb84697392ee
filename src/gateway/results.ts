import { fieldsOf } from "../core/text/json.ts";
import type { AnthropicMessage } from "../dialects/anthropic/wire.ts";
import type { ChatMessage } from "../dialects/openai-chat/wire.ts";
import type { ResponsesItem } from "../dialects/openai-responses/wire.ts";
import { isWireObject, objectsIn, type WireObject } from "../dialects/wire.ts";
import type { Output } from "./arrivals.ts";

export interface Place<Native> {
  readonly at: number;
  readonly list: readonly Native[];
}

type Arrive = (output: Output) => Promise<unknown>;

/** The form of results in an API, and of the calls before them. */
interface ResultForm<Native> {
  /** The fields of a result that name its call and hold its content. */
  readonly id: string;
  readonly content: string;
  /** The call with an id in a message: its name and input. */
  readonly callIn: (message: WireObject, id: unknown) => WireObject | undefined;
  /** The model's own messages, behind which no result is new. */
  readonly isAnswer: (message: Native) => boolean;
}

/** A result as it goes on; the very one if nothing changed. */
async function arrivedResult<Native extends object>(
  result: WireObject,
  { at, list }: Place<Native>,
  form: ResultForm<Native>,
  arrive: Arrive,
): Promise<WireObject> {
  let call: WireObject | undefined;
  // The call stands shortly before its result.
  for (let before = at - 1; before >= 0 && call === undefined; before--) {
    call = form.callIn(fieldsOf(list[before]), result[form.id]);
  }
  const { name, arguments: written, input = written } = call ?? {};
  const isNew = list.findLastIndex((one) => isWireObject(one) && form.isAnswer(one)) < at;
  const given = result[form.content];
  const tool = typeof name === "string" ? name : "";
  const content = await arrive({ content: given, tool, input, isNew });
  return content === given ? result : { ...result, [form.content]: content };
}

const BLOCKS: ResultForm<AnthropicMessage> = {
  id: "tool_use_id",
  content: "content",
  callIn: ({ content }, id) =>
    objectsIn(content).find((one) => one["type"] === "tool_use" && one["id"] === id),
  isAnswer: ({ role }) => role === "assistant",
};

/** A message of Anthropic with its tool results as they go on; the very message if nothing changed. */
export async function arrivedBlocks(
  place: Place<AnthropicMessage>,
  arrive: Arrive,
): Promise<AnthropicMessage> {
  const message = place.list[place.at] as AnthropicMessage;
  const { content: blocks } = fieldsOf(message);
  if (!Array.isArray(blocks) || !blocks.some(isToolResult)) return message;
  const made = await Promise.all(
    blocks.map((block: unknown) =>
      isToolResult(block) ? arrivedResult(block, place, BLOCKS, arrive) : block,
    ),
  );
  const isSame = made.every((block, index) => block === blocks[index]);
  return isSame ? message : ({ ...message, content: made } as AnthropicMessage);
}

function isToolResult(block: unknown): block is WireObject {
  return isWireObject(block) && block["type"] === "tool_result";
}

const CHAT: ResultForm<ChatMessage> = {
  id: "tool_call_id",
  content: "content",
  callIn({ tool_calls }, id) {
    const call = objectsIn(tool_calls).find((one) => one["id"] === id);
    return call && fieldsOf(call["function"]);
  },
  isAnswer: ({ role }) => role === "assistant",
};

/** A message of Chat Completions with its result as it goes on. */
export async function arrivedChat(place: Place<ChatMessage>, arrive: Arrive): Promise<ChatMessage> {
  const message = place.list[place.at] as ChatMessage & WireObject;
  if (!isWireObject(message) || message["role"] !== "tool") return message;
  return (await arrivedResult(message, place, CHAT, arrive)) as ChatMessage & WireObject;
}

const OUTPUT = /^(?:function|custom_tool|local_shell|shell|apply_patch)_call_output$/;

const ITEMS: ResultForm<ResponsesItem> = {
  id: "call_id",
  content: "output",
  callIn: (item, id) => (item["call_id"] === id ? item : undefined),
  isAnswer: isSaid,
};

/** An item of Responses with its output as it goes on. */
export async function arrivedItem(
  place: Place<ResponsesItem>,
  arrive: Arrive,
): Promise<ResponsesItem> {
  const item = place.list[place.at] as ResponsesItem & WireObject;
  if (!isWireObject(item) || !OUTPUT.test(String(item["type"]))) return item;
  return arrivedResult(item, place, ITEMS, arrive);
}

/** The model's own items: its words, its thinking, a call. */
export function isSaid(item: object): boolean {
  const { role, type } = item as WireObject;
  if (role !== undefined) return role === "assistant";
  return typeof type === "string" && !type.endsWith("_output");
}
