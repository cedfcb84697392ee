import type { Message, MessageKind, Part } from "../../core/message/index.ts";
import { contentBlocks } from "./blocks.ts";
import type { SessionLine } from "./line.ts";

/** How the texts begin that the program writes in the person's name. */
const PROGRAM_TEXT =
  /^\s*(?:<(?:command-(?:name|message|args|contents)|local-command-(?:stdout|stderr|caveat)|bash-(?:input|stdout|stderr)|task-notification|system-reminder|user-memory-input)>|\[Request interrupted by user(?: for tool use)?\]\s*$)/;

/**
 * A user line as neutral messages: its results as one, whatever else it says as another. Only what
 * a person typed has no kind.
 */
export function userMessages(line: SessionLine): readonly Message[] {
  const parts = contentBlocks(line.message?.content);
  const results = parts.filter((part) => part.type === "tool-result");
  const rest = parts.filter((part) => part.type !== "tool-result");
  const messages: Message[] = [];
  if (results.length > 0) messages.push({ role: "tool", parts: results });
  if (rest.length > 0) {
    const kind = results.length > 0 ? "injected" : userKind(line, rest);
    messages.push({ role: "user", parts: rest, ...(kind !== undefined && { kind }) });
  }
  return messages;
}

function userKind(line: SessionLine, parts: readonly Part[]): MessageKind | undefined {
  if (line.isCompactSummary === true) return "summary";
  if (line.isMeta === true) return "injected";
  if (line.origin?.kind !== undefined) return line.origin.kind === "human" ? undefined : "injected";
  const byProgram = parts.every((part) => part.type === "text" && PROGRAM_TEXT.test(part.text));
  return byProgram ? "injected" : undefined;
}
