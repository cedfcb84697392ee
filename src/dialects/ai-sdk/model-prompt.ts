import { ContextError } from "../../core/error.ts";
import { parseDataUrl } from "../files.ts";
import { type Block, isWireBlock, isWireObject, type WireBlock, type WireObject } from "../wire.ts";
import type { AiSdkMessage } from "./wire.ts";

export interface PromptMessage {
  readonly role: AiSdkMessage["role"];
  readonly content: string | readonly WireBlock[];
  readonly providerOptions?: AiSdkMessage["providerOptions"];
}

/** Prompt messages that the SDK made already, by the message that each was made from. */
type KnownPrompt = ReadonlyMap<AiSdkMessage, PromptMessage>;

/**
 * Messages as the SDK would hand them to the model: content in parts, results in a row together,
 * what is of no use to the model left out. The same messages give the same prompt, so that the
 * provider knows the prefix; files are not downloaded. `known` is used where it has a message.
 */
export function modelPrompt(
  messages: readonly AiSdkMessage[],
  version: ModelVersion,
  known: KnownPrompt = new Map(),
): PromptMessage[] {
  const prompt: PromptMessage[] = [];
  for (const message of messages) {
    const converted = known.get(message) ?? modelMessage(message, version);
    const last = prompt.at(-1);
    if (last?.role === "tool" && converted.role === "tool") {
      const content = [...blocksOf(last), ...blocksOf(converted)];
      prompt[prompt.length - 1] = { ...converted, content };
    } else if (converted.role !== "tool" || converted.content.length > 0) {
      prompt.push(converted);
    }
  }
  return prompt;
}

/**
 * The messages of a prompt by those that they were made from, if the prompt begins with them;
 * `undefined` if it says something else. A row of tool messages became one, so it is not in the map.
 */
export function matchPrompt(
  messages: readonly AiSdkMessage[],
  prompt: readonly PromptMessage[],
  version: ModelVersion,
): { readonly known: KnownPrompt; readonly length: number } | undefined {
  const known = new Map<AiSdkMessage, PromptMessage>();
  let length = 0;
  for (let at = 0; at < messages.length;) {
    const row = rowAt(messages, at);
    at += row.length;
    const [made] = modelPrompt(row, version);
    if (made === undefined) continue;
    const found = prompt[length];
    if (found === undefined || wordsOf(found) !== wordsOf(made)) return undefined;
    length += 1;
    if (row.length === 1) known.set(row[0] as AiSdkMessage, found);
  }
  return { known, length };
}

function blocksOf({ content }: PromptMessage): readonly WireBlock[] {
  return typeof content === "string" ? [] : content;
}

/** A message, with the tool messages that follow if it is one. */
function rowAt(messages: readonly AiSdkMessage[], at: number): readonly AiSdkMessage[] {
  let end = at + 1;
  if (messages[at]?.role === "tool") while (messages[end]?.role === "tool") end += 1;
  return messages.slice(at, end);
}

/** The words that are the same before and after the SDK went over a message: files may be downloaded. */
function wordsOf({ role, content }: PromptMessage): string {
  if (typeof content === "string") return JSON.stringify([role, content]);
  const words = content.map((part) => {
    const { type, text, toolCallId } = part as WireObject;
    return type === "text" || type === "reasoning" ? text : toolCallId;
  });
  return JSON.stringify([role, ...words]);
}

function modelMessage(message: AiSdkMessage, version: ModelVersion): PromptMessage {
  const { role, content, providerOptions } = message;
  if (role === "system") return { role, content, providerOptions };
  if (typeof content === "string") {
    return { role, content: [{ type: "text", text: content }], providerOptions };
  }
  const parts = content.filter((part): part is Block => isWireBlock(part) && isSent(part));
  return { role, content: parts.map((part) => modelPart(part, version)), providerOptions };
}

/** Approvals are between the SDK and its user, unless the provider runs the tool. */
function isSent(part: Block): boolean {
  if (part.type === "text") return part["text"] !== "" || part["providerOptions"] !== undefined;
  if (part.type === "tool-approval-response") return part["providerExecuted"] === true;
  return part.type !== "tool-approval-request";
}

function modelPart(part: Block, version: ModelVersion): WireBlock {
  switch (part.type) {
    case "tool-result":
      return { ...part, output: modelOutput(part["output"], version) };
    case "image":
      return filePart(part, part["image"], version);
    case "file":
    case "reasoning-file":
      return filePart(part, part["data"], version);
    default:
      return part;
  }
}

function filePart(part: Block, value: unknown, version: ModelVersion): WireBlock {
  const content = fileData(value);
  if (content === undefined) return { type: "text", text: "[file, not shown here]" };
  const { type, image: _, ...rest } = part;
  const found = "mediaType" in content ? content.mediaType : undefined;
  return {
    ...rest,
    type: type === "image" ? "file" : type,
    data: modelFileData(content, version),
    mediaType: found ?? part["mediaType"] ?? imageType(version),
  };
}

/** The versions of the AI SDK's interface for language models: `ai` 5, 6 and 7. */
export type ModelVersion = "v2" | "v3" | "v4";

/** A language model object of the AI SDK, as far as it is used here. */
export interface AiSdkModel {
  readonly specificationVersion: ModelVersion;
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: never): PromiseLike<unknown>;
}

/**
 * The agent's tools as the model's interface takes them: a list of such tools as it is, or an
 * SDK's set of tools whose schemas are known as JSON. `undefined` for anything else.
 */
export async function modelTools(
  tools: unknown,
  version: ModelVersion,
): Promise<readonly WireObject[] | undefined> {
  if (tools === undefined || tools === null) return [];
  if (Array.isArray(tools)) {
    const known = tools.filter((tool: unknown) => isWireObject(tool) && isModelTool(tool));
    return known.length === tools.length ? (known as WireObject[]) : undefined;
  }
  if (!isWireObject(tools)) return undefined;
  const made = await Promise.all(
    Object.entries(tools).map(([name, tool]) => modelTool(name, tool, version)),
  );
  const known = made.filter((tool) => tool !== undefined);
  return known.length === made.length ? known : undefined;
}

function isModelTool(tool: WireObject): boolean {
  const { type, name, inputSchema, id } = tool;
  if (typeof name !== "string") return false;
  return type === "function" ? isWireObject(inputSchema) : typeof id === "string";
}

async function modelTool(
  name: string,
  tool: unknown,
  version: ModelVersion,
): Promise<WireObject | undefined> {
  if (!isWireObject(tool)) return undefined;
  const { type, id, args, description, inputExamples, strict, providerOptions } = tool;
  const about = { description, inputExamples, providerOptions, strict };
  if (type === "provider" || type === "provider-defined") {
    return { type: version === "v2" ? "provider-defined" : "provider", name, id, args };
  }
  const inputSchema = await jsonSchema(tool["inputSchema"]);
  if (inputSchema === undefined || typeof description === "function") return undefined;
  return { type: "function", name, inputSchema, ...about };
}

/** Schemas of the SDK hold theirs, or make it when asked; those of libraries do not. */
async function jsonSchema(schema: unknown): Promise<WireObject | undefined> {
  const made: unknown = typeof schema === "function" ? (schema as () => unknown)() : schema;
  const json: unknown = isWireObject(made) ? await made["jsonSchema"] : undefined;
  return isWireObject(json) ? json : undefined;
}

/** The output of a tool result as the model's interface takes it. */
function modelOutput(output: unknown, version: ModelVersion): unknown {
  if (!isWireObject(output)) return output;
  if (output["type"] === "execution-denied" && version === "v2") {
    const { reason } = output;
    return { type: "text", value: typeof reason === "string" ? reason : "Tool execution denied." };
  }
  if (output["type"] !== "content" || !Array.isArray(output["value"])) return output;
  const value = output["value"].map((item: unknown) =>
    isWireObject(item) ? outputItem(item, version) : item,
  );
  return { ...output, value };
}

function outputItem(item: WireObject, version: ModelVersion): WireObject {
  const { type, providerOptions } = item;
  if (type === "text" || type === "custom") return item;
  const content = fileData(item["data"] ?? item["url"]);
  if (content === undefined) return { type: "text", text: `[${String(type)}, not shown here]` };
  const isImage = String(type).startsWith("image") || String(item["mediaType"]).startsWith("image");
  const mediaType =
    item["mediaType"] ?? (isImage ? imageType(version) : "application/octet-stream");
  if (version === "v4") {
    return { type: "file", data: modelFileData(content, version), mediaType, providerOptions };
  }
  if ("url" in content) {
    const url = content.url.href;
    if (version === "v2") return { type: "text", text: `[file: ${url}]` };
    return { type: isImage ? "image-url" : "file-url", url, providerOptions };
  }
  const { data } = content;
  if (version === "v2") return { type: "media", data, mediaType };
  return { type: isImage ? "image-data" : "file-data", data, mediaType, providerOptions };
}

function imageType(version: ModelVersion): string {
  return version === "v4" ? "image" : "image/*";
}

type FileData =
  | { readonly data: string | Uint8Array; readonly mediaType?: string }
  | { readonly url: URL };

/** The content of a file part; `undefined` where only its provider can look it up. */
function fileData(value: unknown): FileData | undefined {
  if (isWireObject(value) && value["type"] === "data") return fileData(value["data"]);
  if (isWireObject(value) && value["type"] === "url") return fileData(value["url"]);
  if (value instanceof Uint8Array) return { data: value };
  if (value instanceof ArrayBuffer) return { data: new Uint8Array(value) };
  const text = value instanceof URL ? value.href : value;
  if (typeof text !== "string") return undefined;
  if (text.startsWith("data:")) return parseDataUrl(text);
  return URL.canParse(text) ? { url: new URL(text) } : { data: text };
}

/** The same as the model's interface takes it. */
function modelFileData(content: FileData, version: ModelVersion): unknown {
  if (version !== "v4") return "url" in content ? content.url : content.data;
  const { url, data } = content as { readonly url?: URL; readonly data?: unknown };
  return url === undefined ? { type: "data", data } : { type: "url", url };
}

const VERSIONS: ReadonlySet<unknown> = new Set(["v2", "v3", "v4"]);

/** A language model of the SDK. Throws `invalid-options` for anything else. */
export function checkedModel(model: unknown): AiSdkModel {
  if (typeof model === "string") {
    throw invalid(
      `${JSON.stringify(model)} is only the id of a model; make it with its provider, e.g. anthropic("claude-haiku-4-5")`,
    );
  }
  if (!isWireObject(model) || typeof model["doGenerate"] !== "function") {
    const problem = "this is no language model of the AI SDK";
    throw invalid(`${problem}; pass what a provider's function returns`);
  }
  if (!VERSIONS.has(model["specificationVersion"])) {
    throw invalid(
      `the model speaks version ${String(model["specificationVersion"])} of the AI SDK's interface; v2, v3 and v4 are known (ai 5, 6 and 7)`,
    );
  }
  return model as unknown as AiSdkModel;
}

function invalid(problem: string): ContextError {
  return new ContextError("invalid-options", `aiSdkSummarizer needs a model: ${problem}.`);
}
