/** Strands: edits the list of an agent in place. */
import {
  Message as StrandsMessage,
  SlidingWindowConversationManager,
  SummarizingConversationManager,
  TextBlock,
  ToolResultBlock,
  ToolUseBlock,
} from "@strands-agents/sdk";
import { type Message, type Part, resultText } from "../../../src/core/message/index.ts";
import { answerAt, type Contestant, type Past, userMessage } from "../contestants.ts";

function blockOf(part: Part): object {
  if (part.type === "tool-call") {
    const { toolCallId: toolUseId, toolName: name, input } = part;
    return new ToolUseBlock({ toolUseId, name, input: input as never });
  }
  if (part.type === "tool-result") {
    const status = part.isError === true ? "error" : "success";
    const content = [new TextBlock(resultText(part))];
    return new ToolResultBlock({ toolUseId: part.toolCallId, status, content });
  }
  return new TextBlock(part.type === "text" ? part.text : "");
}

/** Its roles are two; ours are known again by the object. */
function toStrands(past: readonly Message[]): Map<object, Message> {
  return new Map(
    past.map((message) => {
      const role = message.role === "assistant" ? "assistant" : "user";
      const content = message.parts.map(blockOf) as never;
      return [new StrandsMessage({ role, content }), message] as const;
    }),
  );
}

type Reduce = (options: { agent: object; model: object }) => unknown;

async function reduced(
  { past, summary }: Past,
  manager: { reduce: (options: never) => unknown },
): Promise<readonly Message[] | undefined> {
  const known = toStrands(past);
  const agent = { messages: [...known.keys()] };
  const text = answerAt({ summary });
  const model = { streamAggregated: () => stubStream(text) };
  const isReduced = await (manager.reduce as Reduce).call(manager, { agent, model });
  if (isReduced !== true) return undefined;
  return agent.messages.map((message) => known.get(message) ?? userMessage(text));
}

/** A model whose whole answer is a text. */
// oxlint-disable-next-line require-yield -- what is wanted of it is what it returns
async function* stubStream(text: string): AsyncGenerator<never, object> {
  const content = [new TextBlock(text)];
  return { message: new StrandsMessage({ role: "assistant", content }), stopReason: "endTurn" };
}

export const STRANDS: readonly Contestant[] = [
  {
    name: "Strands 1.19.0 SlidingWindow",
    does: "the newest messages, 40 by default; it cuts only where a message of the user can stand first, so no size can be set",
    byDefault: async (past) => {
      const messages = await reduced(past, new SlidingWindowConversationManager());
      return messages && { messages };
    },
  },
  {
    name: "Strands 1.19.0 Summarizing (stub)",
    asksModel: true,
    does: "the oldest 30 % of the messages become a stub in place of its model's summary; no size can be set",
    byDefault: async (past) => {
      const messages = await reduced(past, new SummarizingConversationManager());
      return messages && { messages };
    },
  },
];
