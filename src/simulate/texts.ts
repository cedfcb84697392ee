/** The parts of a message that every policy is judged by. */
import type { Message, Part } from "../core/message/index.ts";
import { resultText } from "../core/message/index.ts";

/**
 * The messages with nothing but texts, calls and results: reasoning, usage and files have rules of
 * their own at each provider, and would make two policies differ by what neither decides.
 */
export function plainMessages(messages: readonly Message[]): readonly Message[] {
  return messages.flatMap((message): readonly Message[] => {
    const parts = message.parts.flatMap(plainPart);
    const { role, kind, time } = message;
    if (parts.length === 0) return [];
    return [{ role, parts, ...(kind && { kind }), ...(time !== undefined && { time }) }];
  });
}

function plainPart(part: Part): readonly Part[] {
  switch (part.type) {
    case "text":
      return part.text === "" ? [] : [{ type: "text", text: part.text }];
    case "tool-call": {
      const { toolCallId, toolName, input } = part;
      return [{ type: "tool-call", toolCallId, toolName, input }];
    }
    case "tool-result": {
      const { toolCallId, toolName, isError } = part;
      const output = [{ type: "text" as const, text: resultText(part) }];
      return [{ type: "tool-result", toolCallId, toolName, output, ...(isError && { isError }) }];
    }
    default:
      return [];
  }
}

/** The texts of a message: what a model reads of it, with one form of slashes. */
export function textsOf(message: Message): readonly string[] {
  return message.parts.map((part) => {
    if (part.type === "text") return oneSlash(part.text);
    // The name of its tool stands in the tools of every request.
    if (part.type === "tool-call") return oneSlash(leaves(part.input).join("\n"));
    return part.type === "tool-result" ? oneSlash(resultText(part)) : "";
  });
}

/** A path has one name, however its system writes it. */
export function oneSlash(text: string): string {
  return text.replaceAll(/\\+/g, "/");
}

/** The texts in a value, keys left out: what stands in JSON without its escapes. */
export function leaves(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number" || typeof value === "boolean") return [String(value)];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(leaves) : [];
}
