import type { Message } from "../../core/message/index.ts";
import type { Conversation, Reading, RecordReader } from "../transcript.ts";

const CHAT_START = /^# aider chat started at (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)\s*$/;
const USER_MARK = "#### ";
const PROGRAM_MARK = "> ";

/**
 * aider's chat history, a markdown file that every chat in a folder is appended to. Each chat is a
 * conversation; what stands before the first start line is one too (its start was cut off).
 *
 * The marks are all the structure there is, and this reads them as aider itself does when it
 * restores a chat: a run of `#### ` lines is one user message, a run of `> ` lines is the program's
 * (kind `injected`), everything else is the model's. So a heading of level four in a reply reads as
 * typed, as do lint errors that aider fed back: a user's line must never be taken for the model's.
 */
export const aider = { open: openReader };
type Speaker = "user" | "program" | "model";

interface Chat {
  readonly startedAt?: number;
  readonly messages: Message[];
}

interface Block {
  readonly speaker: Speaker;
  readonly lines: string[];
}

function openReader(): RecordReader {
  const chats: Chat[] = [];
  let chat: Chat = { messages: [] };
  let block: Block | undefined;

  const endBlock = (): void => {
    const message = block === undefined ? undefined : toMessage(block);
    if (message !== undefined) chat.messages.push(message);
    block = undefined;
  };
  const startChat = (started: number | undefined): void => {
    endBlock();
    if (chat.startedAt !== undefined || chat.messages.length > 0) chats.push(chat);
    chat = { startedAt: started, messages: [] };
  };

  return {
    record(value) {
      const text = String(value);
      const start = CHAT_START.exec(text);
      if (start !== null) return startChat(localTime(`${start[1]}T${start[2]}`));
      const [speaker, content] = readLine(text);
      if (block?.speaker !== speaker) {
        endBlock();
        block = { speaker, lines: [] };
      }
      block.lines.push(content);
    },
    finish() {
      startChat(undefined);
      return toReading(chats);
    },
  };
}

function readLine(line: string): readonly [Speaker, string] {
  if (line.startsWith(USER_MARK)) return ["user", unbroken(line.slice(USER_MARK.length))];
  if (line.startsWith(PROGRAM_MARK)) return ["program", unbroken(line.slice(PROGRAM_MARK.length))];
  return ["model", line];
}

/** Without the two blanks that aider adds as markdown's line break. */
function unbroken(line: string): string {
  return line.endsWith("  ") ? line.slice(0, -2) : line;
}

/** A block without anything but blank lines is layout, unless the user entered it. */
function toMessage(block: Block): Message | undefined {
  const joined = block.lines.join("\n");
  const text = block.speaker === "user" ? joined : withoutBlankEdges(joined);
  if (text === "" && block.speaker !== "user") return undefined;
  const parts = [{ type: "text", text }] as const;
  if (block.speaker === "model") return { role: "assistant", parts };
  return block.speaker === "user"
    ? { role: "user", parts }
    : { role: "user", kind: "injected", parts };
}

function withoutBlankEdges(text: string): string {
  return text.replace(/^(?:[ \t\r]*\n)+/, "").trimEnd();
}

/** The file has no time zone; this takes the reader's own. Undefined for an impossible date. */
function localTime(text: string): number | undefined {
  const time = new Date(text).getTime();
  return Number.isNaN(time) ? undefined : time;
}

function toReading(chats: readonly Chat[]): Reading {
  const conversations = chats.map((chat): Conversation => ({ ...chat, timeline: [] }));
  return { conversations, compactions: 0, warnings: [] };
}
