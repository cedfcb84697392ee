import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import type { Context, ContextReport, Failure } from "../../../src/context/index.ts";
import {
  langchainContext,
  type LangChainContext,
  type LangChainContextOptions,
  type LangChainMiddleware,
} from "../../../src/hooks/langchain/index.ts";

/** So many words, some 1.4 tokens each. */
export function words(count: number, seed = ""): string {
  return Array.from({ length: count }, (_, n) => `word${seed}${(n * 7919) % 1000}`).join(" ");
}

/** A step that reads something of this size. */
export function step(id: string, output: string): BaseMessage[] {
  const call = { id, name: "read", args: { path: `${id}.ts` }, type: "tool_call" as const };
  return [
    new AIMessage({ id: `ai-${id}`, content: "", tool_calls: [call] }),
    new ToolMessage({ id: `tool-${id}`, content: output, tool_call_id: id, name: "read" }),
  ];
}

/** A history of so many steps, some 350 tokens each. */
export function history(steps: number, first = "h1"): BaseMessage[] {
  return [
    new HumanMessage({ id: first, content: `Do it all (${first}).` }),
    ...Array.from({ length: steps }, (_, n) =>
      step(`${first}-${n}`, words(200, `${first}x${n}x`)),
    ).flat(),
  ];
}

export interface Sent {
  readonly messages: readonly BaseMessage[];
  readonly tools?: readonly unknown[];
  readonly model: unknown;
}

export interface Asked {
  readonly messages: BaseMessage[];
  readonly thread?: string;
  readonly model?: unknown;
  readonly tools?: readonly unknown[];
  readonly modelSettings?: object;
  readonly signal?: AbortSignal;
  /** What the model does with the request; by default it answers. */
  readonly handler?: (request: Sent) => BaseMessage | Promise<BaseMessage>;
}

export interface Harness {
  readonly context: LangChainContext;
  readonly middleware: LangChainMiddleware;
  readonly reports: ContextReport[];
  readonly failures: Failure[];
  readonly contexts: { readonly context: Context; readonly id: string }[];
  /** One call of the model, as an agent makes it; what was sent, in the order of the tries. */
  ask(asked: Asked): Promise<{ readonly sent: Sent[]; readonly answer: BaseMessage }>;
}

export function harness(options: LangChainContextOptions = { window: 32_000 }): Harness {
  const reports: ContextReport[] = [];
  const failures: Failure[] = [];
  const contexts: Harness["contexts"] = [];
  const own = langchainContext({
    ...options,
    onConversation: (context, id) => void contexts.push({ context, id }),
  });
  own.on("prepared", (report) => void reports.push(report));
  own.on("failed", (failure) => void failures.push(failure));
  const { middleware } = own;
  return {
    context: own,
    middleware,
    reports,
    failures,
    contexts,
    async ask({ thread, handler = () => new AIMessage("ok"), ...asked }) {
      const sent: Sent[] = [];
      const request = {
        model: {},
        systemPrompt: "",
        ...asked,
        state: { messages: asked.messages },
        runtime: {
          ...(thread !== undefined && { configurable: { thread_id: thread } }),
          ...(asked.signal !== undefined && { signal: asked.signal }),
        },
      };
      const answer = await middleware.wrapModelCall(request, async (given) => {
        sent.push(given);
        return handler(given);
      });
      return { sent, answer };
    },
  };
}
