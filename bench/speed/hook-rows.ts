/** The hooks of SDKs in a step in which there is nothing to do. */
import type { ModelMessage } from "ai";
import { built } from "./built.ts";
import { aiSdkMessage } from "./formats.ts";
import { toMessages } from "./history.ts";
import { STEP_ENTRIES, type StepRow } from "./step-rows.ts";

/** So many tokens that there is always room. */
const ENDLESS = 1_000_000_000;

/** What a step reports. */
const USAGE = { inputTokens: 1_000, outputTokens: 10, inputTokenDetails: { cacheReadTokens: 900 } };

/** `prepareStep` of a long run of the AI SDK; `version` 7 passes on what the last step returned. */
function prepareStep(version: 6 | 7, isCompacted: boolean): StepRow["load"] {
  return async (history, added) => {
    const { aiSdkContext } = await built("hooks/ai-sdk/index.js");
    const context = aiSdkContext({ window: ENDLESS });
    const all = toMessages([...history, ...added], aiSdkMessage) as ModelMessage[];
    let messages = all.slice(0, history.length);
    const more = all.slice(history.length);
    const steps: { usage: unknown; response: { messages: ModelMessage[] } }[] = [];
    const carried = version === 7 ? { responseMessages: [] } : {};
    const run = () => context.prepareStep({ messages, steps, ...carried });
    if (!isCompacted) await run();
    if (isCompacted) {
      steps.push({
        usage: { inputTokens: 2 * ENDLESS, outputTokens: 10 },
        response: { messages: [] },
      });
      const prepared = await run();
      if (prepared === undefined) throw new Error("Not as intended.");
      if (version === 7) ({ messages } = prepared);
    }
    return (n) => {
      const own = more.slice(n * STEP_ENTRIES, (n + 1) * STEP_ENTRIES);
      messages = [...messages, ...own];
      steps.push({ usage: USAGE, response: { messages: own } });
      return async () => {
        const prepared = await run();
        if (version === 7 && prepared !== undefined) messages = prepared.messages;
      };
    };
  };
}

export const HOOK_ROWS: readonly StepRow[] = [
  {
    name: "aiSdkContext/ai-sdk prepareStep",
    does: "nothing edited so far; each step reports its usage",
    isOurs: true,
    load: prepareStep(7, false),
  },
  {
    name: "aiSdkContext/ai-sdk prepareStep, compacted, ai 6",
    does: "after a compaction: the SDK passes the whole history in every step",
    isOurs: true,
    load: prepareStep(6, true),
  },
  {
    name: "aiSdkContext/ai-sdk prepareStep, compacted, ai 7",
    does: "after a compaction: the SDK goes on from what the last step returned",
    isOurs: true,
    load: prepareStep(7, true),
  },
  {
    name: "AI SDK 6.0.326 pruneMessages in prepareStep",
    does: "before-last-20-messages; it has no threshold, so it removes the same again in every step",
    isOurs: false,
    load: async (history, added) => {
      const { pruneMessages } = await import("ai");
      const all = toMessages([...history, ...added], aiSdkMessage) as ModelMessage[];
      const grown = all.slice(0, history.length);
      const more = all.slice(history.length);
      return (n) => {
        grown.push(...more.slice(n * STEP_ENTRIES, (n + 1) * STEP_ENTRIES));
        return () => pruneMessages({ messages: grown, toolCalls: "before-last-20-messages" });
      };
    },
  },
];
