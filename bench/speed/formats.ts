/** The entries of the synthetic history in the formats of the peers. */
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import type { ModelMessage } from "ai";
import type { Entry } from "./history.ts";

export function aiSdkMessage(entry: Entry): ModelMessage {
  switch (entry.type) {
    case "request":
      return { role: "user", content: [{ type: "text", text: entry.text }] };
    case "closing":
      return { role: "assistant", content: [{ type: "text", text: entry.text }] };
    case "call": {
      const { id, tool, input } = entry;
      const call = { type: "tool-call" as const, toolCallId: id, toolName: tool, input };
      return { role: "assistant", content: [call] };
    }
    case "result": {
      const { id, tool, text } = entry;
      const output = { type: "text" as const, value: text };
      const result = { type: "tool-result" as const, toolCallId: id, toolName: tool, output };
      return { role: "tool", content: [result] };
    }
  }
}

export function langChainMessage(entry: Entry): BaseMessage {
  switch (entry.type) {
    case "request":
      return new HumanMessage(entry.text);
    case "closing":
      return new AIMessage(entry.text);
    case "call": {
      const { id, tool, input } = entry;
      return new AIMessage({ content: "", tool_calls: [{ id, name: tool, args: { ...input } }] });
    }
    case "result":
      return new ToolMessage({ content: entry.text, tool_call_id: entry.id, name: entry.tool });
  }
}

/** A line of pi's session; only what its compaction reads. */
export interface PiEntry {
  readonly type: "message";
  readonly id: string;
  readonly parentId: string | null;
  readonly timestamp: string;
  readonly message: Readonly<Record<string, unknown>>;
}

export function piEntry(entry: Entry, index: number): PiEntry {
  return {
    type: "message",
    id: `entry-${index}`,
    parentId: index === 0 ? null : `entry-${index - 1}`,
    timestamp: "2026-03-01T00:00:00.000Z",
    message: piMessage(entry),
  };
}

function piMessage(entry: Entry): Readonly<Record<string, unknown>> {
  switch (entry.type) {
    case "request":
      return { role: "user", content: [{ type: "text", text: entry.text }], timestamp: 0 };
    case "closing":
      return { role: "assistant", content: [{ type: "text", text: entry.text }], timestamp: 0 };
    case "call": {
      const call = { type: "toolCall", id: entry.id, name: entry.tool, arguments: entry.input };
      return { role: "assistant", content: [call], timestamp: 0 };
    }
    case "result":
      return {
        role: "toolResult",
        toolCallId: entry.id,
        toolName: entry.tool,
        content: [{ type: "text", text: entry.text }],
        isError: false,
        timestamp: 0,
      };
  }
}
