import { z } from "zod";
import type { Part, Usage } from "../../core/message/index.ts";
import { parseInput } from "../../dialects/wire.ts";
import { contentParts, textParts } from "../content.ts";
import type { OpenHandsEvent } from "./event.ts";

const count = z.number().nonnegative().optional().catch(undefined);

/** What the model answered, in the form of an OpenAI chat completion. */
const reply = z.looseObject({
  id: z.string().optional().catch(undefined),
  model: z.string().optional().catch(undefined),
  choices: z.array(
    z.looseObject({
      message: z.looseObject({
        content: z.unknown().optional(),
        reasoning_content: z.string().optional().catch(undefined),
        tool_calls: z.array(z.unknown()).optional().catch(undefined),
      }),
    }),
  ),
  usage: z
    .looseObject({
      prompt_tokens: count,
      completion_tokens: count,
      prompt_tokens_details: z.looseObject({ cached_tokens: count }).optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
});

/** The model's reply that an action came from. */
export interface Reply {
  readonly id?: string;
  readonly model?: string;
  /** Its reasoning and text, without the calls. */
  readonly parts: readonly Part[];
  readonly usage?: Usage;
}

/** The reply behind an action; made from its `thought` where the file does not keep replies. */
export function replyOf({ args, tool_call_metadata }: OpenHandsEvent): Reply {
  const { data } = reply.safeParse(tool_call_metadata?.model_response);
  const message = data?.choices[0]?.message;
  if (data === undefined || message === undefined) {
    return { parts: typeof args["thought"] === "string" ? textParts(args["thought"]) : [] };
  }
  const usage = usageOf(data.usage);
  return {
    ...(data.id === undefined ? {} : { id: data.id }),
    ...(data.model === undefined ? {} : { model: data.model }),
    ...(usage === undefined ? {} : { usage }),
    parts: [...reasoning(message.reasoning_content), ...contentParts(message.content)],
  };
}

const functionCall = z.looseObject({
  id: z.string(),
  function: z.looseObject({ name: z.string(), arguments: z.unknown().optional() }),
});

/** A call's arguments as the model gave them; the file's `args` have defaults filled in. */
export function callInput({ args, tool_call_metadata }: OpenHandsEvent): unknown {
  const { data } = reply.safeParse(tool_call_metadata?.model_response);
  for (const value of data?.choices[0]?.message.tool_calls ?? []) {
    const call = functionCall.safeParse(value).data;
    if (call?.id === tool_call_metadata?.tool_call_id)
      return parseInput(call?.function.arguments ?? {});
  }
  const { thought: _thought, ...input } = args;
  return input;
}

function reasoning(text: string | undefined): Part[] {
  return text === undefined || text === "" ? [] : [{ type: "reasoning", text }];
}

function usageOf(usage: z.infer<typeof reply>["usage"]): Usage | undefined {
  if (usage?.prompt_tokens === undefined) return undefined;
  const cacheRead = usage.prompt_tokens_details?.cached_tokens ?? 0;
  return {
    input: Math.max(0, usage.prompt_tokens - cacheRead),
    output: usage.completion_tokens ?? 0,
    ...(cacheRead > 0 ? { cacheRead } : {}),
  };
}
