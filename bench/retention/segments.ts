/**
 * What is looked at: stretches of recorded sessions between two compactions of the agent itself, with
 * all that its model saw. Reasoning, usage and files are taken out for everybody alike.
 */
import path from "node:path";
import {
  type Message,
  type Part,
  repairMessages,
  resultText,
} from "../../src/core/message/index.ts";
import { createMessageMeter } from "../../src/core/tokens/index.ts";
import { readSessions, sessionFiles } from "../quality/sessions.ts";
import { exact, remembering } from "../tokens/exact.ts";

export interface Segment {
  /** `file#part`, as in the other benches. */
  readonly name: string;
  /** The file: figures are means of sessions, and cuts of one session are not independent. */
  readonly session: string;
  readonly messages: readonly Message[];
  readonly cwd?: string;
}

/** A segment below this many o200k tokens overflows no window that is tried. */
const LEAST_TOKENS = 18_000;

const meter = createMessageMeter(remembering(exact));

/** o200k tokens of messages, for every contestant. */
export function tokensOf(messages: readonly Message[]): number {
  return meter.total(messages);
}

/** All segments of the recordings beside the checkout, or of a file or folder, and of our own. */
export async function readSegments(folder?: string): Promise<readonly Segment[]> {
  const segments: Segment[] = [];
  for (const file of sessionFiles(folder)) {
    // A conversation that goes on after a cut holds the cut part's tail only, so none is counted twice.
    for (const { part, conversation } of await readSessions(file)) {
      const { messages } = repairMessages(conversation.messages.flatMap(plain));
      if (tokensOf(messages) < LEAST_TOKENS) continue;
      const session = path.basename(file);
      segments.push({ name: `${session}#${part}`, session, messages, cwd: conversation.cwd });
    }
  }
  return segments;
}

function plain(message: Message): readonly Message[] {
  const parts = message.parts.flatMap(plainPart);
  const { role, kind } = message;
  return parts.length === 0 ? [] : [{ role, parts, ...(kind && { kind }) }];
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
    if (part.type === "tool-call")
      return oneSlash([part.toolName, ...leaves(part.input)].join("\n"));
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
