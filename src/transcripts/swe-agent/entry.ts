import { z } from "zod";

const toolCall = z.looseObject({
  id: z.string().optional().catch(undefined),
  function: z.looseObject({
    name: z.string(),
    arguments: z.unknown().optional(),
  }),
});

const thinkingBlock = z.looseObject({
  thinking: z.string(),
  signature: z.string().optional().catch(undefined),
});

/** One entry of a trajectory's history; only the role must be there, odd fields read as absent. */
const historyEntry = z.looseObject({
  role: z.string(),
  content: z.unknown().optional(),
  thought: z.string().optional().catch(undefined),
  action: z.string().optional().catch(undefined),
  is_demo: z.boolean().optional().catch(undefined),
  message_type: z.string().optional().catch(undefined),
  tool_calls: z.array(toolCall).optional().catch(undefined),
  tool_call_ids: z.array(z.string()).optional().catch(undefined),
  thinking_blocks: z.array(thinkingBlock).optional().catch(undefined),
  time: z.number().optional().catch(undefined),
});

export type HistoryEntry = z.infer<typeof historyEntry>;

/** An entry of a history, or undefined for a value that is none. */
export function parseEntry(value: unknown): HistoryEntry | undefined {
  const { success, data } = historyEntry.safeParse(value);
  return success ? data : undefined;
}

const miniMessage = z.looseObject({
  role: z.string(),
  content: z.unknown().optional(),
  tool_call_id: z.string().optional().catch(undefined),
  tool_calls: z.array(toolCall).optional().catch(undefined),
  extra: z
    .looseObject({ timestamp: z.number().optional().catch(undefined) })
    .optional()
    .catch(undefined),
  timestamp: z.number().optional().catch(undefined),
});

const BLOCK_START = /^```(?:bash|sh|mswea_bash_command)[ \t]*\r?\n/gm;
const BLOCK_END = "\n```";

/** A mini-swe-agent message as a history entry: the command is taken out of the text. */
export function parseMiniMessage(value: unknown): HistoryEntry | undefined {
  const { success, data } = miniMessage.safeParse(value);
  if (!success) return undefined;
  const seconds = data.extra?.timestamp ?? data.timestamp;
  const ids = data.tool_call_id === undefined ? undefined : [data.tool_call_id];
  const command =
    data.role === "assistant" && typeof data.content === "string" && !data.tool_calls?.length
      ? splitCommand(data.content)
      : undefined;
  return {
    role: data.role,
    content: data.content,
    tool_calls: data.tool_calls,
    tool_call_ids: ids,
    time: seconds === undefined ? undefined : Math.round(seconds * 1000),
    ...command,
  };
}

/** mini-swe-agent asks its model for one fenced shell command a reply; with more, none is run. */
function splitCommand(text: string): { thought: string; action: string } | undefined {
  const [block, ...others] = text.matchAll(BLOCK_START);
  if (block === undefined || others.length > 0) return undefined;
  const start = block.index + block[0].length;
  // One back, so that the line end of the fence can also be the one before an empty block's end.
  const end = text.indexOf(BLOCK_END, start - 1);
  if (end === -1) return undefined;
  const thought = text.slice(0, block.index) + text.slice(end + BLOCK_END.length);
  return { thought: thought.trim(), action: text.slice(start, end).trimEnd() };
}
