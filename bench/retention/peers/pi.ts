/** pi, a coding agent. */
import { inputText, type Message, resultText } from "../../../src/core/message/index.ts";
import { contextBudget } from "../../../src/core/overflow/index.ts";
import type { PiEntry } from "../../speed/formats.ts";
import { loadPi } from "../../speed/pi.ts";
import { answerAt, type Contestant, type Past, userMessage } from "../contestants.ts";
import { oneResultEach } from "./langchain.ts";
import { largest } from "./largest.ts";

/** pi knows its own tools only: others' names are told to it as what they do. */
const PI_TOOLS: readonly (readonly [RegExp, string])[] = [
  [/read|view|cat/i, "read"],
  [/edit|patch|replace/i, "edit"],
  [/write|create/i, "write"],
];

function piEntries(past: readonly Message[]): readonly PiEntry[] {
  return past.map((message, index) => ({
    type: "message",
    id: `entry-${index}`,
    parentId: index === 0 ? null : `entry-${index - 1}`,
    timestamp: "2026-03-01T00:00:00.000Z",
    message: piMessage(message),
  }));
}

function piMessage(message: Message): Readonly<Record<string, unknown>> {
  const [part] = message.parts;
  if (message.role === "tool" && part?.type === "tool-result") {
    const { toolCallId, toolName, isError = false } = part;
    const content = [{ type: "text", text: resultText(part) }];
    return { role: "toolResult", toolCallId, toolName, content, isError, timestamp: 0 };
  }
  const content = message.parts.map((one) => {
    if (one.type !== "tool-call")
      return { type: "text", text: one.type === "text" ? one.text : "" };
    const { toolCallId: id, toolName, input } = one;
    return { type: "toolCall", id, name: piTool(toolName), arguments: piArguments(input) };
  });
  return { role: message.role === "assistant" ? "assistant" : "user", content, timestamp: 0 };
}

function piTool(name: string): string {
  return PI_TOOLS.find(([pattern]) => pattern.test(name))?.[1] ?? name;
}

function piArguments(input: unknown): object {
  if (typeof input !== "object" || input === null) return { input: inputText(input) };
  const record = input as Readonly<Record<string, unknown>>;
  const path = record["path"] ?? record["file_path"] ?? record["filePath"];
  return path === undefined ? record : { ...record, path };
}

async function compactedByPi(
  { past, summary }: Pick<Past, "past" | "summary">,
  keepRecentTokens: number,
): Promise<readonly Message[] | undefined> {
  const single = oneResultEach(past);
  const pi = await loadPi();
  const settings = { enabled: true, reserveTokens: 16_384, keepRecentTokens };
  const prepared = pi.prepareCompaction(piEntries(single), settings);
  if (prepared === undefined) return undefined;
  const { readFiles, modifiedFiles } = pi.computeFileLists(prepared.fileOps);
  const lists = pi.formatFileOperations(readFiles, modifiedFiles);
  const from = single.findIndex((_, index) => `entry-${index}` === prepared.firstKeptEntryId);
  return [userMessage(`${answerAt({ summary })}${lists}`), ...single.slice(from)];
}

const PI_KEEP = 20_000;

export const PI: readonly Contestant[] = [
  {
    name: "pi 0.74.2 (stub)",
    asksModel: true,
    does: "prepareCompaction and its file lists, with a stub in place of its model's summary; keeps 20,000 tokens by default, 45 % of usable where that is less",
    byDefault: async ({ past, window, summary }) => {
      const keep = Math.min(PI_KEEP, Math.floor(contextBudget({ window }).usable * 0.45));
      const messages = await compactedByPi({ past, summary }, keep);
      return messages && { messages };
    },
    within: ({ past }, tokens) =>
      largest(tokens * 2, tokens, (keep) => compactedByPi({ past }, keep)),
  },
];
