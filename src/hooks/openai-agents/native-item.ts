import type { Dialect } from "../../dialects/dialect.ts";
import { openaiResponses } from "../../dialects/openai-responses/openai-responses.ts";
import type { ResponsesItem } from "../../dialects/openai-responses/wire.ts";
import { isWireObject, type WireObject } from "../../dialects/wire.ts";
import { originOf, responsesView, shellAction, shellOutput } from "./responses-view.ts";
import type { AgentItem } from "./wire.ts";

/** The names of the tools called so far, by call id: the SDK wants them with the results too. */
type ItemNames = Map<string, string>;

/** The very item that a view was made from, a copy of it with what was edited, or a new one. */
function nativeItem(item: ResponsesItem, names: ItemNames): AgentItem {
  const encoded = item as unknown as WireObject;
  const origin = originOf(item);
  const native = (origin === undefined ? made(encoded, names) : edited(encoded)) as AgentItem;
  const { callId, name } = native as { readonly callId?: unknown; readonly name?: unknown };
  if (typeof callId === "string" && typeof name === "string") names.set(callId, name);
  return native;
}

/** A value with an origin, as the SDK has it. */
function edited(value: WireObject): WireObject {
  const origin = originOf(value);
  if (origin === undefined || origin.view === value) return origin?.native ?? value;
  const { native, view } = origin;
  const names = new Set([...Object.keys(view), ...Object.keys(value)]);
  const changed = [...names].filter((name) => value[name] !== view[name]);
  const copy: Record<string, unknown> = { ...native };
  if (native["type"] !== "unknown") {
    for (const name of changed) change(copy, name, value);
    return copy;
  }
  // An item that the SDK has no name for goes out as the provider said it.
  const provided: Record<string, unknown> = { ...(native["providerData"] as object) };
  for (const name of changed) change(name === "id" ? copy : provided, name, value);
  return { ...copy, providerData: provided };
}

function change(copy: Record<string, unknown>, name: string, value: WireObject): void {
  const field = name === "call_id" ? "callId" : name;
  const changed = nativeField(name, value, copy["role"] as string | undefined);
  if (changed === undefined) delete copy[field];
  else copy[field] = changed;
}

function nativeField(name: string, value: WireObject, role: string | undefined): unknown {
  const field = value[name];
  switch (name) {
    case "content":
      return contentOf(field, role);
    case "output":
      return value["type"] === "shell_call_output" ? shellOutput(field) : contentOf(field, "user");
    case "action":
      return shellAction(field);
    default:
      return field;
  }
}

/** Content or an output; what the assistant said has no short form in the SDK. */
function contentOf(content: unknown, role: string | undefined): unknown {
  if (typeof content === "string" && role === "assistant") {
    return [{ type: "output_text", text: content }];
  }
  return Array.isArray(content) ? content.map((block) => blockOf(block as WireObject)) : content;
}

function blockOf(block: WireObject): WireObject {
  if (originOf(block) !== undefined) return edited(block);
  const { type, text, image_url, file_data, file_url, filename, detail } = block;
  switch (type) {
    case "output_text":
      return { type, text };
    case "input_image":
      return { type, image: image_url, detail };
    case "input_file": {
      const file = file_data ?? { url: file_url };
      return { type, file, filename };
    }
    default:
      return block;
  }
}

/** An item that no view stands behind, e.g. a summary. */
function made(item: WireObject, names: ItemNames): WireObject {
  const { type, role, call_id: callId } = item;
  if (type === "message") {
    const content = contentOf(item["content"], role as string);
    return { type, role, status: role === "assistant" ? "completed" : undefined, content };
  }
  if (type === "function_call" || type === "custom_tool_call") {
    const input = type === "function_call" ? item["arguments"] : JSON.stringify(item["input"]);
    const status = "completed";
    return { type: "function_call", callId, name: item["name"], arguments: input, status };
  }
  if (type === "shell_call_output") return { type, callId, output: shellOutput(item["output"]) };
  const { output: given } = item;
  const isText = typeof given === "string" || (Array.isArray(given) && given.every(isWireObject));
  if (typeof type === "string" && type.endsWith("_output") && isText) {
    if (type === "apply_patch_call_output") {
      return { type, callId, status: item["status"], output: item["output"] };
    }
    const name = names.get(String(callId)) ?? "unknown";
    const output = contentOf(item["output"], "user");
    return { type: "function_call_result", callId, name, status: "completed", output };
  }
  return { type: "unknown", providerData: item };
}

/**
 * The items of the Agents SDK. They are those of the Responses API with other names, and the same
 * rules hold for them on the wire; so they are shown to the dialect of that API, which decides.
 */
export const agentItems: Dialect<readonly AgentItem[], AgentItem> = {
  ...openaiResponses,
  decode: (items) => openaiResponses.decode(viewsOf(items)),
  createDecoder() {
    const decode = openaiResponses.createDecoder();
    const open = decode.open;
    return Object.assign((item: AgentItem) => decode(responsesView(item)), open && { open });
  },
  encode(messages) {
    const names: ItemNames = new Map();
    return openaiResponses.encode(messages).map((item) => nativeItem(item, names));
  },
  check: (items, options) => openaiResponses.check(viewsOf(items), options),
};

function viewsOf(items: readonly AgentItem[]): readonly ResponsesItem[] {
  // Anything but a list is for the dialect to refuse.
  return Array.isArray(items) ? items.map((item: AgentItem) => responsesView(item)) : items;
}
