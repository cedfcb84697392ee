import type { ModelOptions, PromptMessage, PromptPart } from "./types.ts";

/** What the scripted model knows: nothing but the prompt in front of it. */
export interface Sight {
  /** All texts of the prompt, tool outputs included. */
  readonly text: string;
  /** The number of the newest step that can be seen; 0 at the beginning. */
  readonly step: number;
  /** The outputs of tools, oldest first. */
  readonly outputs: readonly SeenOutput[];
  /** Those that came last, in one text. */
  readonly latest: string;
  readonly isSubAgent: boolean;
}

export interface SeenOutput {
  readonly tool: string;
  readonly text: string;
}

/** Says so in its system prompt. */
export const SUB_AGENT_MARK = "You are a sub-agent.";

export function sightOf({ prompt }: ModelOptions): Sight {
  return {
    text: prompt.map(messageText).join("\n"),
    step: Math.max(0, ...prompt.flatMap(stepsOf)),
    outputs: prompt.flatMap(outputsOf),
    latest: prompt
      .slice(-1)
      .flatMap(outputsOf)
      .map(({ text }) => text)
      .join("\n"),
    isSubAgent: prompt.some(
      ({ role, content }) => role === "system" && content.includes(SUB_AGENT_MARK),
    ),
  };
}

/** The model numbers its own calls, so that it can tell how far it is. */
export function callId(step: number, index: number): string {
  return `call_${step}_${index}`;
}

function stepsOf({ content }: PromptMessage): number[] {
  if (typeof content === "string") return [];
  return content.flatMap((part) =>
    part.type === "tool-call" ? [Number(/^call_(\d+)_/.exec(part.toolCallId)?.[1] ?? 0)] : [],
  );
}

function outputsOf({ content }: PromptMessage): SeenOutput[] {
  if (typeof content === "string") return [];
  return content.flatMap((part) =>
    part.type === "tool-result" ? [{ tool: part.toolName, text: partText(part) }] : [],
  );
}

function messageText({ content }: PromptMessage): string {
  return typeof content === "string" ? content : content.map(partText).join("\n");
}

function partText(part: PromptPart): string {
  if (part.type === "text" || part.type === "reasoning") return part.text;
  if (part.type === "tool-call") return JSON.stringify(part.input);
  if (part.type !== "tool-result") return "";
  const { output } = part;
  return output.type === "text" || output.type === "error-text"
    ? output.value
    : JSON.stringify(output);
}
