import { anything, fields, list, text } from "../lenient.ts";
import type { Detection, DocumentFormat, DocumentState, Reading } from "../transcript.ts";
import { createWarnings } from "../warnings.ts";
import { openingSnapshot, readChat } from "./reading.ts";

const chatSchema = fields({ sessionId: text, projectHash: text, messages: list });
const recordSchema = fields({ type: text, content: anything });
const checkpointSchema = fields({ history: list });
const turnSchema = fields({ role: text, parts: anything });

/**
 * A chat that Gemini CLI recorded as one JSON document, or a checkpoint of `/chat save`: a list of
 * turns as the Gemini API has them.
 */
export const geminiCli: DocumentFormat = {
  name: "gemini-cli",
  title: "Gemini CLI chat",
  location: "~/.gemini/tmp/<project>/chats/session-*.json",
  shape: "document",
  detect,
  read,
};

function detect(document: unknown): Detection {
  if (turnsOf(document) !== undefined) return true;
  const chat = chatSchema.parse(document);
  if (chat?.sessionId === undefined) return "it has no `sessionId`";
  if (chat.projectHash !== undefined) return true;
  const first = recordSchema.parse(chat.messages[0]);
  return first?.type === undefined
    ? "its messages have no `type`, and it has no `projectHash`"
    : true;
}

function read(document: unknown, { isTorn = false }: DocumentState = {}): Reading {
  const records = turnsOf(document) ?? chatSchema.parse(document)?.messages ?? [];
  const whole = isTorn ? records.slice(0, -1) : records;
  const compactions = openingSnapshot(whole) === undefined ? 0 : 1;
  const chat = { session: document, current: whole, all: whole, compactions };
  return readChat(chat, createWarnings());
}

/**
 * The turns of a checkpoint as chat records; `undefined` for what is none: the parts of the Gemini
 * API have no `type`, those of the AI SDK's UI messages do.
 */
function turnsOf(document: unknown): unknown[] | undefined {
  const turns = Array.isArray(document) ? document : checkpointSchema.parse(document)?.history;
  const first = turnSchema.parse(turns?.[0]);
  const isTurn = first?.role === "user" || first?.role === "model";
  if (turns === undefined || !isTurn || !Array.isArray(first.parts)) return undefined;
  if (recordSchema.parse(first.parts[0])?.type !== undefined) return undefined;
  return turns.map((turn) => {
    const { role, parts } = turnSchema.parse(turn) ?? {};
    return { type: role === "model" ? "gemini" : role, content: parts };
  });
}
