import type { ResponsesItem } from "../../dialects/openai-responses/wire.ts";
import { isWireObject, type WireObject } from "../../dialects/wire.ts";
import type { AgentItem } from "./wire.ts";

/** The origin of a view. Copies of a view have it too, so that they can be told from new items. */
const ORIGIN = Symbol("longhaul.origin");

/** The value of the SDK that a view stands for, and the view as it was made. */
interface Origin {
  readonly native: WireObject;
  readonly view: WireObject;
}

export function originOf(view: object): Origin | undefined {
  return (view as { readonly [ORIGIN]?: Origin })[ORIGIN];
}

function viewOf(native: WireObject, fields: WireObject): WireObject {
  const view: Record<PropertyKey, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) view[name] = value;
  }
  view[ORIGIN] = { native, view };
  return view;
}

/** The id that the SDK makes up where a provider has none. */
const FAKE_ID = "FAKE_ID";

/** An item as the Responses API would have it. Anything but an object comes back as it is. */
export function responsesView(item: AgentItem): ResponsesItem {
  if (!isWireObject(item)) return item;
  const native: WireObject = item;
  const id = native["id"] === FAKE_ID ? undefined : native["id"];
  return viewOf(native, { ...fieldsOf(native), id });
}

function fieldsOf(native: WireObject): WireObject {
  const { type, role } = native;
  if (type === undefined || type === "message") {
    if (typeof role !== "string") return native;
    return { type: "message", role, content: contentView(native["content"], role) };
  }
  const call_id = native["callId"];
  switch (type) {
    case "function_call":
      return { type, call_id, name: native["name"], arguments: native["arguments"] };
    case "function_call_result":
      return { type: "function_call_output", call_id, output: outputView(native["output"]) };
    case "reasoning":
      return reasoningView(native);
    case "computer_call_result":
      return { type: "computer_call_output", call_id, output: screenshotView(native["output"]) };
    case "shell_call":
      return { ...provided(native), type, call_id, action: shellActionView(native["action"]) };
    case "shell_call_output":
      return { type, call_id, output: pieces(native["output"], "exitCode", "exit_code") };
    case "apply_patch_call":
      return { type, call_id, operation: native["operation"] };
    case "apply_patch_call_output":
      return { type, call_id, status: native["status"], output: native["output"] };
    case "hosted_tool_call":
      return { ...provided(native), type: hostedType(native), output: native["output"] };
    default:
      return otherView(native);
  }
}

/** Items that are passed as they are, or that the SDK does not know. */
function otherView(native: WireObject): WireObject {
  const { callId, providerData: _, ...fields } = native;
  const call_id = native["call_id"] ?? callId;
  const own = native["type"] === "unknown" ? {} : fields;
  const type = own["type"] ?? provided(native)["type"] ?? "unknown";
  return { ...provided(native), ...own, type, ...(call_id != null && { call_id }) };
}

/** Fields of the provider's own, which the SDK has no name for. */
function provided({ providerData }: WireObject): WireObject {
  return isWireObject(providerData) ? providerData : {};
}

/** The API's own type of a call that the provider carried out. */
function hostedType(native: WireObject): unknown {
  const type = provided(native)["type"] ?? native["name"];
  return typeof type === "string" && !type.endsWith("_call") && HOSTED_SHORT.has(type)
    ? `${type}_call`
    : type;
}

/** Their names in older versions of the SDK. */
const HOSTED_SHORT: ReadonlySet<string> = new Set([
  "web_search",
  "file_search",
  "code_interpreter",
  "image_generation",
]);

function reasoningView(native: WireObject): WireObject {
  const { encrypted_content, encryptedContent } = provided(native);
  const summary = Array.isArray(native["content"]) ? (native["content"] as unknown[]) : [];
  return {
    type: "reasoning",
    summary: summary.map((block) => ({ ...(block as object), type: "summary_text" })),
    content: native["rawContent"],
    encrypted_content: encrypted_content ?? encryptedContent,
  };
}

function screenshotView(output: unknown): unknown {
  return isWireObject(output) ? { type: output["type"], image_url: output["data"] } : output;
}

function outputView(output: unknown): unknown {
  if (Array.isArray(output)) return contentView(output, "user");
  if (!isWireObject(output)) return output;
  return output["type"] === "text" ? output["text"] : [blockView(output, "user")];
}

function contentView(content: unknown, role: string): unknown {
  if (!Array.isArray(content)) return content;
  return content.map((block: unknown) => (isWireObject(block) ? blockView(block, role) : block));
}

/** The fields that hold a picture, a file or a sound are named otherwise; texts are the same. */
function blockView(block: WireObject, role: string): WireObject {
  const { type, image, file, filename, detail } = block;
  switch (type) {
    case "input_image":
    case "image":
      return viewOf(block, { type: "input_image", image_url: addressOf(image), detail });
    case "input_file":
    case "file":
      return viewOf(block, { type: "input_file", filename, ...fileView(file) });
    case "audio":
      return viewOf(block, { ...block, type: `${role === "assistant" ? "out" : "in"}put_audio` });
    default:
      return block;
  }
}

function fileView(file: unknown): WireObject {
  const address = addressOf(file);
  if (address === undefined) return {};
  return /^https?:/.test(address) ? { file_url: address } : { file_data: address };
}

/** A URL, a `data:` URL or base64, wherever it stands. */
function addressOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (!isWireObject(value)) return undefined;
  const { url, data, mediaType } = value;
  if (typeof url === "string") return url;
  if (typeof data !== "string") return undefined;
  return typeof mediaType === "string" ? `data:${mediaType};base64,${data}` : data;
}

/** The action of a shell call in the names of the API. */
function shellActionView(action: unknown): unknown {
  if (!isWireObject(action)) return action;
  const { timeoutMs: timeout_ms, maxOutputLength: max_output_length, ...rest } = action;
  return { ...rest, timeout_ms, max_output_length };
}

/** And back. */
export function shellAction(action: unknown): unknown {
  if (!isWireObject(action)) return action;
  const { timeout_ms, max_output_length, ...rest } = action;
  return {
    ...rest,
    timeoutMs: timeout_ms ?? undefined,
    maxOutputLength: max_output_length ?? undefined,
  };
}

export function shellOutput(output: unknown): unknown {
  return pieces(output, "exit_code", "exitCode");
}

/** The output of a shell call: a piece for each command. */
function pieces(output: unknown, from: string, to: string): unknown {
  if (!Array.isArray(output)) return output;
  return output.map((piece: unknown) => {
    if (!isWireObject(piece) || !isWireObject(piece["outcome"])) return piece;
    const { [from]: value, ...rest } = piece["outcome"];
    return { ...piece, outcome: value === undefined ? rest : { ...rest, [to]: value } };
  });
}
