import {
  type Message,
  resultText,
  type ToolResultPart,
  withParts,
} from "../../core/message/message.ts";
import { fieldsOf } from "../../core/text/json.ts";
import { executes } from "./item.ts";

/** What Codex writes of a command that has not ended yet, before what it printed. */
const RUNS_ON =
  /^(?:Chunk ID: [^\n]*\n)?(?:Wall time: [^\n]*\n)?Process running with session ID (\d+)\n/;

/**
 * The messages with the exit code of each command that ended under a later `write_stdin`: it is the
 * command's, whatever call told it. The same list where there is none.
 */
export function withLateExits(messages: Message[]): Message[] {
  const running = new Map<string, ToolResultPart>();
  const written = new Map<string, string>();
  const exits = new Map<ToolResultPart, number>();
  for (const part of messages.flatMap(({ parts }) => parts)) {
    if (part.type === "tool-call" && part.toolName === "write_stdin") {
      written.set(part.toolCallId, String(fieldsOf(part.input)["session_id"]));
    }
    if (part.type !== "tool-result") continue;
    const session = written.get(part.toolCallId) ?? "";
    const command = running.get(session);
    const isCommand = session === "" && executes(part);
    const [, started] = isCommand ? (RUNS_ON.exec(resultText(part)) ?? []) : [];
    if (started !== undefined) running.set(started, part);
    else if (command !== undefined && part.exitCode !== undefined) {
      exits.set(command, part.exitCode);
      running.delete(session);
    }
  }
  if (exits.size === 0) return messages;
  return messages.map((message) => {
    const parts = message.parts.map((part) => {
      const exitCode = part.type === "tool-result" ? exits.get(part) : undefined;
      return exitCode === undefined ? part : { ...part, exitCode };
    });
    return parts.some((part, at) => part !== message.parts[at])
      ? withParts(message, parts)
      : message;
  });
}
