import { truncateValue } from "../../tools/truncate-value.ts";
import type { TruncationOptions } from "../../tools/index.ts";
import { parseInput } from "../../dialects/wire.ts";
import type { Recall } from "../tools.ts";
import type { AgentItem } from "./wire.ts";

/** The argument of the SDK's `tool()`. */
export interface RecallToolOptions {
  readonly name: string;
  readonly description: string;
  readonly parameters: {
    type: "object";
    properties: Record<string, { [keyword: string]: unknown }>;
    required: string[];
    additionalProperties: false;
  };
  readonly strict: true;
  /** The answer for the model. Never rejects. */
  readonly execute: (input: unknown) => Promise<string | RecallPiece[]>;
}

/** A piece of a recall as a tool of the SDK may answer. */
export type RecallPiece =
  | { type: "text"; text: string }
  | { type: "image"; image: { data: string; mediaType: string } };

/** The answer of a recall: a text; a list where images were recalled. */
export function recallPieces({ text, images }: Recall): string | RecallPiece[] {
  if (images.length === 0) return text;
  return [{ type: "text", text }, ...images.map((image) => ({ type: "image", image }) as const)];
}

interface ResultItem extends AgentItem {
  readonly callId?: string;
  readonly name?: string;
  readonly output?: unknown;
}

/**
 * A result on its way to the model. The SDK makes a result out of what any tool returns (a function,
 * an MCP server, another agent, a shell), so this is where all of them arrive; the history that the
 * SDK keeps has the whole of each.
 */
export function truncateResult(
  at: number,
  items: readonly AgentItem[],
  truncation: TruncationOptions,
): AgentItem | Promise<AgentItem> {
  const item = items[at] as ResultItem;
  const isShell = item.type === "shell_call_output";
  if (!isShell && item.type !== "function_call_result") return item;
  const before: readonly ResultItem[] = items.slice(0, at);
  const call = before.findLast(({ callId }) => callId === item.callId);
  const meta = { toolName: item.name ?? call?.name ?? "shell", input: inputOf(call) };
  return (async () => {
    const output = await truncateValue(item.output, meta, truncation);
    // The outputs of a shell are a list for the API, too.
    const isSame = output === item.output || (isShell && !Array.isArray(output));
    return isSame ? item : ({ ...item, output } as AgentItem);
  })();
}

/** The input of a call, as far as it can be read. */
function inputOf(call: object | undefined): unknown {
  const { arguments: json, action } = (call ?? {}) as { arguments?: unknown; action?: unknown };
  return typeof json === "string" ? parseInput(json) : action;
}

/** A function tool runs through `invoke(context, input)`, whose input is JSON. */
export function truncatingTool(tool: object, truncation: TruncationOptions): object {
  const { type, invoke, name: toolName } = tool as Readonly<Record<string, unknown>>;
  if (type !== "function" || typeof invoke !== "function" || typeof toolName !== "string") {
    return tool;
  }
  const run = async (...args: unknown[]): Promise<unknown> => {
    const output: unknown = await Reflect.apply(invoke, tool, args);
    return truncateValue(output, { toolName, input: parseInput(args[1]) }, truncation);
  };
  return { ...tool, invoke: run };
}
