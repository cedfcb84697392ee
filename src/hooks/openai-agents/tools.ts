import type { RecallTool, RecallTools } from "../../archive/recall-tools.ts";
import { truncateValue } from "../../tools/truncate-value.ts";
import type { AgentItem } from "./wire.ts";
import type { TruncationOptions } from "../../tools/index.ts";

/** What the SDK's `tool()` takes. */
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
  readonly execute: (input: unknown) => Promise<string>;
}

/** One of the tools of `recallTools` in that form; it checks its input itself. */
export function recallOptions([name, entry]: readonly [
  string,
  RecallTools[keyof RecallTools],
]): RecallToolOptions {
  const tool = entry as RecallTool<unknown>;
  const { properties, required } = tool.inputSchema;
  return {
    name,
    description: tool.description,
    parameters: {
      type: "object",
      properties: { ...properties },
      required: [...required],
      additionalProperties: false,
    },
    strict: true,
    execute: (input) => tool.execute(input),
  };
}

/** T15 for the results in a history; the same item is truncated once. */
export type TruncateResults = (items: readonly AgentItem[]) => Promise<readonly AgentItem[]>;

interface ResultItem extends AgentItem {
  readonly callId?: string;
  readonly name?: string;
  readonly output?: unknown;
}

/**
 * Truncates results on their way to the model. The SDK makes a result out of what any tool returns
 * (a function, an MCP server, another agent, a shell), so this is where all of them arrive; the
 * history that the SDK keeps has the whole of each.
 */
export function createTruncation(truncation: TruncationOptions): TruncateResults {
  const known = new WeakMap<AgentItem, AgentItem>();
  const truncate = async (item: ResultItem, call: ResultItem | undefined): Promise<AgentItem> => {
    const toolName = item.name ?? call?.name ?? "shell";
    const output = await truncateValue(item.output, { toolName, input: inputOf(call) }, truncation);
    // The outputs of a shell are a list for the API, too.
    const isSame = output === item.output || (isShell(item) && !Array.isArray(output));
    const truncated: ResultItem = { ...item, output };
    return isSame ? item : truncated;
  };
  return async (items) => {
    const results: AgentItem[] = [];
    for (const [index, item] of items.entries()) {
      if (!isResult(item)) {
        results.push(item);
        continue;
      }
      const done = known.get(item) ?? (await truncate(item, callOf(item, items.slice(0, index))));
      known.set(item, done);
      results.push(done);
    }
    const isSame = results.every((item, index) => item === items[index]);
    return isSame ? items : results;
  };
}

function isResult({ type }: AgentItem): boolean {
  return type === "function_call_result" || type === "shell_call_output";
}

function isShell({ type }: AgentItem): boolean {
  return type === "shell_call_output";
}

function callOf({ callId }: ResultItem, before: readonly ResultItem[]): ResultItem | undefined {
  return before.findLast((item) => item.callId === callId);
}

/** What the model called the tool with, as far as it can be read. */
function inputOf(call: object | undefined): unknown {
  const { arguments: json, action } = (call ?? {}) as { arguments?: unknown; action?: unknown };
  if (typeof json !== "string") return action;
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return json;
  }
}

/** Function tools run through `invoke(context, input)`, whose input is JSON. */
export function truncatingTools<Tools extends readonly object[]>(
  tools: Tools,
  truncation: TruncationOptions,
): Tools {
  return tools.map((tool) => truncatingTool(tool, truncation)) as unknown as Tools;
}

function truncatingTool(tool: object, truncation: TruncationOptions): object {
  const { type, invoke, name: toolName } = tool as Readonly<Record<string, unknown>>;
  if (type !== "function" || typeof invoke !== "function" || typeof toolName !== "string") {
    return tool;
  }
  const run = async (...args: unknown[]): Promise<unknown> => {
    const output: unknown = await Reflect.apply(invoke, tool, args);
    const input = inputOf({ arguments: args[1] });
    return truncateValue(output, { toolName, input }, truncation);
  };
  return { ...tool, invoke: run };
}
