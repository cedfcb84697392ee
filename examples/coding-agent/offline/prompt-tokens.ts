import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import type { ModelOptions, PromptMessage, PromptPart } from "./types.ts";

/** What the delimiters of a message, and of a call, a result or a tool cost. */
const MESSAGE_TOKENS = 4;
const FRAME_TOKENS = 8;

/** Counts the tokens of prompts exactly (o200k). A prompt grows by a step at a time: a text is counted once. */
export function createPromptCounter(): (options: ModelOptions) => number {
  const known = new Map<string, number>();
  const count = (text: string): number => {
    const tokens = known.get(text) ?? countTokens(text, { disallowedSpecial: new Set() });
    known.set(text, tokens);
    return tokens;
  };
  const ofPart = (part: PromptPart): number => {
    if (part.type === "text" || part.type === "reasoning") return count(part.text);
    if (part.type === "tool-call") {
      return FRAME_TOKENS + count(part.toolName) + count(JSON.stringify(part.input));
    }
    if (part.type === "tool-result" && "value" in part.output) {
      const { value } = part.output;
      return FRAME_TOKENS + count(typeof value === "string" ? value : JSON.stringify(value));
    }
    return FRAME_TOKENS + count(JSON.stringify(part));
  };
  const ofMessage = ({ content }: PromptMessage): number =>
    MESSAGE_TOKENS + (typeof content === "string" ? count(content) : sum(content.map(ofPart)));
  return ({ prompt, tools = [] }) =>
    sum(prompt.map(ofMessage)) +
    sum(tools.map((tool) => FRAME_TOKENS + count(JSON.stringify(tool))));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
