/** The same of agent frameworks: what stands before every call of the model, with nothing to do. */
import type { BaseMessage } from "@langchain/core/messages";
import { built } from "./built.ts";
import { aiSdkMessage, langChainMessage } from "./formats.ts";
import { toMessages } from "./history.ts";
import { STEP_ENTRIES, type StepRow } from "./step-rows.ts";

/** So many tokens that there is always room. */
const ENDLESS = 1_000_000_000;

type Ask = (messages: BaseMessage[]) => unknown;

/** The answer that the model will give. */
interface Answers {
  next: BaseMessage | undefined;
}

/**
 * Steps of a graph: its state is a new list of the same messages in each. `begin` gives back what
 * the state holds when the steps begin.
 */
function graphSteps(
  load: (answers: Answers) => Promise<Ask>,
  begin: (history: BaseMessage[], ask: Ask, answers: Answers) => Promise<BaseMessage[]> = begun,
): StepRow["load"] {
  return async (history, added) => {
    const all = toMessages([...history, ...added], langChainMessage);
    all.forEach((message, index) => (message.id = `m${index}`));
    const answers: Answers = { next: undefined };
    const ask = await load(answers);
    const state = await begin(all.slice(0, history.length), ask, answers);
    const more = all.slice(history.length);
    return (n) => {
      const end = (n + 1) * STEP_ENTRIES;
      // What the model answered last stands in the state now; it reports its usage.
      Object.assign(more[end - STEP_ENTRIES]!, { usage_metadata: USAGE });
      answers.next = more[end];
      const messages = [...state, ...more.slice(0, end)];
      return () => ask(messages);
    };
  };
}

async function begun(history: BaseMessage[], ask: Ask): Promise<BaseMessage[]> {
  await ask(history);
  return history;
}

/** An answer says that the window is full, so the next call compacts. */
async function compacted(
  history: BaseMessage[],
  ask: Ask,
  answers: Answers,
): Promise<BaseMessage[]> {
  const { AIMessage, HumanMessage } = await import("@langchain/core/messages");
  const full = new AIMessage({ id: "full", content: "So." });
  answers.next = Object.assign(full, {
    usage_metadata: { ...USAGE, input_tokens: 2 * ENDLESS },
  });
  await ask(history);
  const state = [...history, full, new HumanMessage({ id: "on", content: "Go on." })];
  const sent = (await ask(state)) as number;
  if (sent >= history.length) throw new Error("Not as intended.");
  return state;
}

const USAGE = { input_tokens: 1_000, output_tokens: 10, total_tokens: 1_010 };

/** `wrapModelCall` of ours; how many messages it sent. */
async function longhaulAsk(answers: Answers): Promise<Ask> {
  const { langchainContext } = await built("hooks/langchain/index.js");
  const { wrapModelCall } = langchainContext({ window: ENDLESS }).middleware;
  return async (messages) => {
    let sent = 0;
    const request = { model: {}, messages, systemPrompt: "", tools: [], state: { messages } };
    await wrapModelCall(request, (given) => {
      sent = given.messages.length;
      return answers.next;
    });
    return sent;
  };
}

/** What a chat model is asked for by LangChain's own middleware: nothing, in these steps. */
const model = { profile: {}, _llmType: () => "none", getName: () => "none" };

export const AGENT_ROWS: readonly StepRow[] = [
  {
    name: "longhaul/langchain wrapModelCall",
    does: "nothing edited so far; each answer reports its usage",
    isOurs: true,
    load: graphSteps(longhaulAsk),
  },
  {
    name: "longhaul/langchain wrapModelCall, compacted",
    does: "after a compaction, with the whole history in the state",
    isOurs: true,
    load: graphSteps(longhaulAsk, compacted),
  },
  {
    name: "LangChain 1.5.10 summarizationMiddleware.beforeModel",
    does: "a trigger that is never reached",
    isOurs: false,
    load: graphSteps(async () => {
      const { summarizationMiddleware } = await import("langchain");
      const trigger = { tokens: ENDLESS };
      const { beforeModel } = summarizationMiddleware({ model, trigger } as never);
      if (typeof beforeModel !== "function") throw new Error("Not as intended.");
      return (messages) => beforeModel({ messages } as never, { context: {} } as never);
    }),
  },
  {
    name: "LangChain 1.5.10 contextEditingMiddleware.wrapModelCall",
    does: "`ClearToolUsesEdit` with a trigger that is never reached",
    isOurs: false,
    load: graphSteps(async (answers) => {
      const { ClearToolUsesEdit, contextEditingMiddleware } = await import("langchain");
      const edits = [new ClearToolUsesEdit({ trigger: { tokens: ENDLESS } })];
      const { wrapModelCall } = contextEditingMiddleware({ edits });
      return (messages) => {
        const request = { model, messages, systemPrompt: "", tools: [], state: { messages } };
        return wrapModelCall?.(request as never, () => answers.next as never);
      };
    }),
  },
  {
    name: "longhaul/mastra processLLMRequest",
    does: "nothing edited so far; Mastra makes the messages of a prompt anew in every step",
    isOurs: true,
    load: promptSteps(async () => {
      const { mastraContext } = await built("hooks/mastra/index.js");
      const { processor } = mastraContext({ window: ENDLESS });
      const base = { state: {}, model: { modelId: "none" } };
      const raw = { inputTokens: { total: 1_000 }, outputTokens: { total: 10 } };
      return (prompt, n) =>
        processor.processLLMRequest({
          ...base,
          prompt: prompt as never,
          steps: n < 0 ? [] : [{ usage: { raw } }],
        });
    }),
  },
  {
    name: "Mastra 1.71.0 TokenLimiter.processLLMRequest",
    does: "a limit that is never reached",
    isOurs: false,
    load: promptSteps(async () => {
      const { TokenLimiterProcessor } = await import("@mastra/core/processors");
      const limiter = new TokenLimiterProcessor(ENDLESS);
      return (prompt) => limiter.processLLMRequest({ prompt } as never);
    }),
  },
];

/** Steps of Mastra's loop: the same prompt in new objects, and one step more. */
function promptSteps(
  load: () => Promise<(prompt: readonly unknown[], n: number) => unknown>,
): StepRow["load"] {
  return async (history, added) => {
    const ask = await load();
    const entries = [...history, ...added];
    const prompt = (length: number) => toMessages(entries.slice(0, length), aiSdkMessage);
    await ask(prompt(history.length), -1);
    return (n) => {
      const messages = prompt(history.length + (n + 1) * STEP_ENTRIES);
      return () => ask(messages, n);
    };
  };
}
