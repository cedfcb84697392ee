import type { Archive } from "../../archive/archive.ts";
import { memoryArchive } from "../../archive/memory.ts";
import type { Context } from "../../context/index.ts";
import type { LangChainMessage } from "../../dialects/langchain/wire.ts";
import { isWireObject, type WireObject } from "../../dialects/wire.ts";
import { truncateValue } from "../../tools/truncate-value.ts";
import { recallForms, schemaJson } from "../tools.ts";
import { type RunnableConfigLike, type StateLike, truncatedMessage } from "./conversation.ts";

/**
 * A tool as agents, `ToolNode` and `bindTools` take it: LangChain asks what a tool has, not which
 * class made it.
 */
export interface LangChainTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema. */
  readonly schema: { readonly type: "object"; readonly [field: string]: unknown };
  readonly returnDirect: false;
  readonly lc_namespace: string[];
  readonly lc_runnable: true;
  /** Takes a tool call, or its arguments. */
  invoke(input: unknown, config?: ToolConfigLike): Promise<string>;
  readonly [field: string]: unknown;
}

/** The second argument of a tool. */
export interface ToolConfigLike extends RunnableConfigLike {
  readonly state?: StateLike;
}

/** `recall` and `search_archive`, on the archive of the conversation that calls them. */
export function langchainRecallTools(
  archiveOf: (config: ToolConfigLike) => Archive,
): LangChainTool[] {
  return recallForms(memoryArchive()).map(({ name, description, schema }) => ({
    name,
    description,
    schema,
    returnDirect: false,
    lc_namespace: ["longhaul", "tools"],
    lc_runnable: true,
    async invoke(input, config = {}) {
      const tool = recallForms(archiveOf(config)).find((one) => one.name === name);
      return tool?.execute(argsOf(input)) ?? "";
    },
  }));
}

/** Tools are invoked with a call, or with its arguments. */
function argsOf(input: unknown): unknown {
  return isWireObject(input) && isWireObject(input["args"]) ? input["args"] : input;
}

/** The part of tools that the model will see, for counting; the same list is looked at once. */
export function createToolCounter(): (
  tools: readonly unknown[] | undefined,
) => readonly WireObject[] {
  let last: readonly unknown[] | undefined;
  let counted: readonly WireObject[] = [];
  return (tools = []) => {
    if (tools !== last) counted = tools.map(countedTool);
    last = tools;
    return counted;
  };
}

function countedTool(tool: unknown): WireObject {
  if (!isWireObject(tool)) return {};
  const { name, description } = tool;
  // A tool of the provider is sent as it is.
  if (tool["invoke"] === undefined) return tool;
  return { name, description, schema: schemaJson(tool["schema"]) };
}

/**
 * Changes a tool message, or those that a LangGraph `Command` brings; anything else comes back as
 * it is.
 */
async function withToolMessages<Result>(
  result: Result,
  change: (message: LangChainMessage) => Promise<LangChainMessage>,
): Promise<Result> {
  if (isToolMessage(result)) return (await change(result)) as Result & LangChainMessage;
  if (!isWireObject(result) || result["lg_name"] !== "Command") return result;
  const { update } = result;
  if (!isWireObject(update) || !Array.isArray(update["messages"])) return result;
  const before: readonly unknown[] = update["messages"];
  const messages = await Promise.all(
    before.map((message) => (isToolMessage(message) ? change(message) : message)),
  );
  if (messages.every((message, at) => message === before[at])) return result;
  const prototype = Object.getPrototypeOf(result) as object;
  const copy = Object.create(prototype, Object.getOwnPropertyDescriptors(result)) as object;
  return Object.assign(copy, { update: { ...update, messages } }) as object as Result;
}

function isToolMessage(value: unknown): value is LangChainMessage {
  return isWireObject(value) && value["type"] === "tool" && "tool_call_id" in value;
}

/** A tool whose results are within the limits of T15; nothing is changed in the one that is given. */
export function truncatingTool(
  tool: object,
  contextOf: (config: ToolConfigLike) => Context,
): object {
  const { invoke, name = "" } = tool as { readonly invoke?: unknown; readonly name?: string };
  if (typeof invoke !== "function") return tool;
  const truncated = async (given: unknown, config?: ToolConfigLike): Promise<unknown> => {
    const result: unknown = await Reflect.apply(invoke, tool, [given, config]);
    const context = contextOf(config ?? {});
    const args = argsOf(given);
    if (typeof result === "string") {
      return truncateValue(result, { toolName: name, input: args }, context.truncation);
    }
    return withToolMessages(result, (message) =>
      truncatedMessage(message, { name, args }, context.truncation),
    );
  };
  return Object.create(tool, { invoke: { value: truncated, enumerable: true } }) as object;
}
