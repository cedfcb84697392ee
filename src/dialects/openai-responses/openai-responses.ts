import type { Decoder, Dialect, DialectIssue } from "../dialect.ts";
import { encodeOpenAIResponses } from "./encode.ts";
import {
  answeredTypes,
  callIdOf,
  fromReply,
  isHosted,
  itemType,
  mayBeCall,
  OPENAI_RESPONSES,
  outputType,
  type ReplySource,
  type ResponsesItem,
} from "./wire.ts";
import { checkList, type Report } from "../checking.ts";
import { fieldsOf } from "../../core/text/json.ts";
import type { WireObject } from "../wire.ts";
import type { Message, Part } from "../../core/message/index.ts";
import { listDialect } from "../decoding.ts";
import { fromNative } from "../native-message.ts";
import { createSeenCalls, decodeItem } from "./decode-item.ts";

/** OpenAI Responses: the `input` array, and what came as `output`. */
export const openaiResponses: Dialect<readonly ResponsesItem[], ResponsesItem> & {
  readonly encode: typeof encodeOpenAIResponses;
} = {
  ...listDialect(OPENAI_RESPONSES, createOpenAIResponsesDecoder),
  traits: { summaryRole: "system", boundReasoning: false, endsWithInput: false },
  encode: encodeOpenAIResponses,
  check: checkOpenAIResponses,
};

/** A call that waits for its output; the provider answers its own when it likes. */
interface OpenCall {
  readonly index: number;
  readonly type: string;
  readonly isHosted: boolean;
}

type Walk = ReturnType<typeof startWalk>;

function startWalk(reportAt: (index: number) => Report) {
  return {
    reportAt,
    ids: new Set<string>(),
    calls: new Set<string>(),
    open: new Map<string, OpenCall>(),
    /** The calls of the local shell by the ids of their items, which some outputs name. */
    shells: new Map<string, string>(),
    /** Stored items that were referred to; each may be a call that an output answers. */
    references: 0,
    /** Index of reasoning that nothing has followed yet. */
    thought: undefined as number | undefined,
  };
}

/**
 * The issues for which the Responses API would reject `input`; none in a legal conversation. It is taken
 * to be all there is: with `previous_response_id` an output may answer a call that is not in it.
 */
export function checkOpenAIResponses(conversation: unknown): readonly DialectIssue[] {
  return checkList(conversation, "item", (reportAt) => {
    const walk = startWalk(reportAt);
    return { visit: (item, index) => walkItem(walk, item, index), end: () => endWalk(walk) };
  });
}

function endWalk(walk: Walk): void {
  closeThought(walk);
  for (const [id, { index, isHosted: isAnswered }] of walk.open) {
    if (isAnswered) continue;
    walk.reportAt(index)("unanswered-tool-call", `calls ${id}, and no output follows`);
  }
}

function walkItem(walk: Walk, value: unknown, index: number): void {
  const item = fieldsOf(value);
  const type = itemType(item);
  if (type === undefined) {
    walk.reportAt(index)("unknown-item", "is no item: it has neither a type nor a role nor an id");
    return;
  }
  checkItem(item, type, walk.reportAt(index));
  followThought(walk, item, type, index);
  noteId(walk, item, index);
  if (type === "item_reference" && mayBeCall(item)) walk.references += 1;
  if (callIdOf(item) === undefined && isHosted(item)) return;
  if (answeredTypes(type).length > 0) closeCall(walk, item, type, index);
  else if (answeredTypes(outputType(type)).includes(type)) openCall(walk, item, type, index);
}

/** Reasoning leads to something that the model said or did, and that stands directly behind it. */
function followThought(walk: Walk, item: WireObject, type: string, index: number): void {
  const isReference = type === "item_reference" && String(item["id"]).startsWith("rs");
  if (type === "reasoning" || isReference) {
    walk.thought ??= index;
    return;
  }
  const isInput =
    (type === "message" && item["role"] !== "assistant") || answeredTypes(type).length > 0;
  if (isInput) closeThought(walk);
  walk.thought = undefined;
}

function closeThought(walk: Walk): void {
  if (walk.thought === undefined) return;
  walk.reportAt(walk.thought)("reasoning-alone", "is reasoning without the item it led to");
}

function noteId(walk: Walk, { id, type }: WireObject, index: number): void {
  if (typeof id !== "string" || type === "local_shell_call_output") return;
  if (walk.ids.has(id)) walk.reportAt(index)("duplicate-item-id", `has the id ${id} again`);
  walk.ids.add(id);
}

function openCall(walk: Walk, item: WireObject, type: string, index: number): void {
  const id = callIdOf(item);
  if (id === undefined || id === "" || id.length > MAX_ID) {
    walk.reportAt(index)("tool-call-id", `has the call_id ${JSON.stringify(id)}, which is refused`);
    return;
  }
  if (walk.calls.has(id))
    walk.reportAt(index)("duplicate-tool-call-id", `uses call_id ${id} again`);
  walk.calls.add(id);
  if (type === "local_shell_call") walk.shells.set(String(item["id"]), id);
  walk.open.set(id, { index, type, isHosted: isHosted(item) });
}

function closeCall(walk: Walk, item: WireObject, type: string, index: number): void {
  const named = callIdOf(item) ?? "";
  const id = walk.shells.get(named) ?? named;
  const call = walk.open.get(id);
  if (call !== undefined && answeredTypes(type).includes(call.type)) {
    walk.open.delete(id);
    return;
  }
  if (walk.calls.has(id) && call === undefined) {
    walk.reportAt(index)("duplicate-tool-result", `answers ${id} a second time`);
  } else if (walk.references > 0) {
    walk.references -= 1;
  } else {
    walk.reportAt(index)("unpaired-tool-result", `is the ${type} of ${id}, which no such call has`);
  }
}

const MAX_ID = 64;
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;
/** The beginnings of the ids of these items; the API refuses any other. */
const ID_PREFIX: Readonly<Record<string, string>> = {
  message: "msg",
  reasoning: "rs",
  function_call: "fc",
  custom_tool_call: "ctc",
};
const INPUT = ["input_text", "input_image", "input_file", "input_audio"];
const CONTENT: Readonly<Record<string, readonly string[]>> = {
  system: INPUT,
  developer: INPUT,
  user: INPUT,
  assistant: ["output_text", "refusal"],
};

function checkItem(item: WireObject, type: string, report: Report): void {
  checkId(item, type, report);
  switch (type) {
    case "message":
      checkMessage(item, report);
      break;
    case "reasoning":
      if (!Array.isArray(item["summary"]))
        report("missing-summary", "is reasoning without summary");
      break;
    case "function_call":
      checkCall(item, "arguments", report);
      break;
    case "custom_tool_call":
      checkCall(item, "input", report);
      break;
    case "function_call_output":
    case "custom_tool_call_output":
      checkOutput(item, report);
  }
}

function checkId({ id }: WireObject, type: string, report: Report): void {
  if (id === undefined || id === null) return;
  const prefix = ID_PREFIX[type] ?? "";
  const isLegal = typeof id === "string" && id !== "" && id.length <= MAX_ID;
  if (!isLegal || !id.startsWith(prefix)) {
    report("item-id", `has the id ${JSON.stringify(id)}, which is refused on a ${type}`);
  }
}

function checkMessage(item: WireObject, report: Report): void {
  const { role, content } = item;
  const allowed = CONTENT[String(role)];
  if (allowed === undefined) {
    return report("unknown-role", `has the unknown role ${JSON.stringify(role)}`);
  }
  if (typeof content === "string") return;
  if (!Array.isArray(content)) {
    return report("missing-content", "needs a string or an array as content");
  }
  for (const part of content as unknown[]) {
    const { type, text } = fieldsOf(part);
    if (typeof type !== "string" || !allowed.includes(type)) {
      report("content-part", `of the ${String(role)} may not hold a part of type ${String(type)}`);
    } else if (type.endsWith("_text") && typeof text !== "string") {
      report("content-part", "has a text part whose text is no string");
    }
  }
}

function checkCall(item: WireObject, field: "arguments" | "input", report: Report): void {
  if (typeof item[field] !== "string") {
    report("tool-arguments", `has a call whose ${field} are no string`);
  }
  if (!TOOL_NAME.test(String(item["name"]))) {
    report("tool-name", `calls ${JSON.stringify(item["name"])}, which is no tool name`);
  }
}

function checkOutput({ output }: WireObject, report: Report): void {
  if (typeof output === "string") return;
  const isPart = (part: unknown): boolean =>
    INPUT.slice(0, 3).includes(String(fieldsOf(part)["type"]));
  const isList = Array.isArray(output) && output.every(isPart);
  if (!isList)
    report("tool-output-shape", "has an output that is neither a string nor input parts");
}

/** A reply that further items may join. */
interface OpenReply {
  readonly items: ResponsesItem[];
  readonly parts: Part[];
  /** All of it as a message, until another item joins. */
  message?: Message;
}

/** Items of the model in a row are one assistant message; each output is a tool message. */
export function createOpenAIResponsesDecoder(): Decoder<ResponsesItem> {
  const calls = createSeenCalls();
  let index = 0;
  let reply: OpenReply | undefined;
  /** The last reply that held reasoning, while nothing but outputs came since. */
  let thought: ReplySource["value"] | undefined;

  const open = (): readonly Message[] => {
    if (reply === undefined) return [];
    reply.message ??= fromReply(reply, thought);
    return [reply.message];
  };
  const close = (): readonly Message[] => {
    const closed = open();
    const [message] = closed;
    if (message?.parts.some((part) => part.type === "reasoning") === true) {
      thought = message.source?.value as ReplySource["value"];
    }
    reply = undefined;
    return closed;
  };
  const decode = (native: ResponsesItem): readonly Message[] => {
    const decoded = decodeItem(native, calls, { dialect: OPENAI_RESPONSES, index });
    index += 1;
    if (decoded.type === "reply") {
      reply ??= { items: [], parts: [] };
      reply.items.push(native);
      reply.parts.push(...decoded.parts);
      delete reply.message;
      return [];
    }
    const closed = close();
    if (decoded.drafts.some(({ role }) => role !== "tool")) thought = undefined;
    return [...closed, ...fromNative(OPENAI_RESPONSES, native, decoded.drafts)];
  };
  return Object.assign(decode, { open });
}
