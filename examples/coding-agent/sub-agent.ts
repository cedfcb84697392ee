import { generateText, type ModelMessage, stepCountIs, tool, type ToolSet } from "ai";
import type { AiSdkContext } from "longhaul/ai-sdk";
import { z } from "zod";
import type { Model } from "./offline/types.ts";
import { watchContext, watchedModel, type Watch } from "./watch.ts";

export interface TaskToolOptions {
  readonly model: Model;
  /** The context of the agent that gives tasks away. */
  readonly context: AiSdkContext;
  /** What a sub-agent can do. */
  readonly tools: ToolSet;
  readonly watch: Watch;
  readonly maxOutputTokens: number;
}

const MOST_STEPS = 50;

/**
 * A tool that gives a task to a sub-agent. It has a context and a budget of its own, so that what it
 * reads fills no room here; it is told what the person said, word for word.
 */
export function taskTool({ model, context, tools, watch, maxOutputTokens }: TaskToolOptions) {
  return tool({
    description:
      "Gives a task that only needs looking and reading to a sub-agent, and gets its report. It knows nothing of this conversation but the person's words.",
    inputSchema: z.object({ task: z.string() }),
    execute: async ({ task }, { abortSignal, messages, toolCallId }) => {
      const own = context.subAgent();
      const { id: parent = "" } = watch.shown ?? {};
      const shown = { ...watch.shown, id: `${parent} ${toolCallId}`, parent, title: task };
      const sub = { ...watch, view: watch.view.subAgent(), shown };
      watchContext(own, sub);
      try {
        const { text } = await generateText({
          model: watchedModel(model, own, sub),
          system: systemPrompt(typedIn(messages)),
          prompt: task,
          tools: own.tools({ ...tools, ...own.recallTools }),
          prepareStep: own.prepareStep,
          stopWhen: stepCountIs(MOST_STEPS),
          maxOutputTokens,
          ...(abortSignal && { abortSignal }),
        });
        return text || "The sub-agent came to no end.";
      } finally {
        await own.close();
      }
    },
  });
}

function systemPrompt(constraints: readonly string[]): string {
  return `You are a sub-agent. Do the task you are given, change nothing, and report in a few sentences.
What the person said to the agent that you work for, word for word; its rules are yours:
${constraints.map((text) => `<said>\n${text}\n</said>`).join("\n")}`;
}

/** What the person said, as far as it stands in the messages of the agent that calls. */
function typedIn(messages: readonly ModelMessage[]): string[] {
  return messages.flatMap(({ role, content }) =>
    role === "user" && typeof content === "string" ? [content] : [],
  );
}
