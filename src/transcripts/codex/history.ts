import {
  messageText,
  type Message,
  resultText,
  type ToolResultPart,
  type Usage,
  withParts,
} from "../../core/message/message.ts";
import { isSealedSummary } from "../../core/message/structure.ts";
import { type Fields, fieldsOf } from "../../core/text/json.ts";
import { assembleSteps, type Piece } from "../assemble.ts";
import { textParts } from "../content.ts";
import { list, text } from "../lenient.ts";
import { executes, exitCodeOf, neutralItem, type Item } from "./item.ts";

/** The history of a rollout as it stands, item by item; a compaction replaces it. */
export interface History {
  add(item: Item | undefined, time: number | undefined): void;
  /** The provider's report for the newest reply. */
  report(usage: Usage): void;
  /** Takes the payload of a `compacted` line. */
  compact(payload: Fields): void;
  /** The person took back the newest turns. */
  rollBack(turns: number): void;
  /** The rest of the summary of the newest compaction, if there was one. */
  gap(): "summary" | "sealed" | undefined;
  /** The context as the model would see it; `typed` are the texts a person is known to have typed. */
  messages(typed: ReadonlySet<string>): Message[];
}

export function createHistory(): History {
  let pieces: Piece[] = [];
  let replies = 0;
  let isOpen = false;
  let isCompacted = false;

  const add: History["add"] = (item, time) => {
    if (item === undefined) return;
    if (item.type === "reply" && !isOpen) replies += 1;
    isOpen = item.type === "reply";
    const message = { ...item.message, time };
    pieces.push(
      item.type === "reply"
        ? { type: "reply", reply: String(replies), message }
        : { type: item.type, message },
    );
  };

  return {
    add,
    report(usage) {
      isOpen = false;
      const index = pieces.findLastIndex(({ type }) => type === "reply");
      const piece = pieces[index];
      if (piece !== undefined) pieces[index] = { ...piece, message: { ...piece.message, usage } };
    },
    compact({ message, replacement_history: replacement }) {
      isOpen = false;
      isCompacted = true;
      const summary = text(message);
      if (!Array.isArray(replacement)) {
        pieces = [...preamble(pieces), ...summaryPieces(summary)];
        return;
      }
      pieces = [];
      for (const item of list(replacement)) add(neutralItem(item), undefined);
      pieces = pieces.map((piece) => markSummary(piece, summary));
      isOpen = false;
    },
    rollBack(turns) {
      for (let left = turns; left > 0; left -= 1) {
        const start = pieces.findLastIndex(isTurn);
        if (start === -1) return;
        pieces = pieces.slice(0, start);
      }
    },
    gap: () => (isCompacted ? gapIn(pieces) : undefined),
    messages(typed) {
      const told = pieces.map((piece) => withKind(piece, typed));
      return withLateExits(lateInjected(assembleSteps(told, exitCodeOf)));
    },
  };
}

function gapIn(pieces: readonly Piece[]): ReturnType<History["gap"]> {
  const summaries = pieces.filter(({ message }) => message.kind === "summary");
  if (summaries.length === 0) return "summary";
  return summaries.every(({ message }) => isSealedSummary(message)) ? "sealed" : undefined;
}

/** A compaction without a replacement keeps what programs and the person said (source: Codex CLI). */
function preamble(pieces: readonly Piece[]): Piece[] {
  return pieces.filter(({ type, message }) => type === "other" && message.kind !== "summary");
}

function summaryPieces(summary: string | undefined): Piece[] {
  const parts = textParts(summary);
  if (parts.length === 0) return [];
  return [{ type: "other", message: { role: "user", parts, kind: "summary" } }];
}

/** A local compaction repeats its summary as the last user message of the replacement. */
function markSummary(piece: Piece, summary: string | undefined): Piece {
  const { type, message } = piece;
  if (!summary || type !== "other" || message.role !== "user") return piece;
  const isSummary = messageText(message).includes(summary);
  return isSummary ? { ...piece, message: { ...message, kind: "summary" } } : piece;
}

function isTurn({ type, message }: Piece): boolean {
  return type === "other" && message.role === "user" && message.kind === undefined;
}

/** A typed text is a turn, also when it looks like something a program writes. */
function withKind(piece: Piece, typed: ReadonlySet<string>): Piece {
  const { message } = piece;
  if (message.kind !== "injected" || !typed.has(messageText(message))) return piece;
  return { ...piece, message: { ...message, kind: undefined } };
}

/** Instructions of the developer that do not lead the list are notes that a program put in. */
function lateInjected(messages: readonly Message[]): Message[] {
  const leading = messages.findIndex(({ role }) => role !== "system");
  return messages.map((message, index) =>
    message.role === "system" && leading !== -1 && index > leading
      ? { ...message, kind: "injected" }
      : message,
  );
}

/** Codex's words about a command that has not ended yet, before what it printed. */
const RUNS_ON =
  /^(?:Chunk ID: [^\n]*\n)?(?:Wall time: [^\n]*\n)?Process running with session ID (\d+)\n/;

/**
 * The messages with the exit code of each command that ended under a later `write_stdin`: it is the
 * command's, whatever call told it. The same list where there is none.
 */
function withLateExits(messages: Message[]): Message[] {
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
