import { isRecord } from "../../core/text/json.ts";
import { messageText, type Message, type Usage } from "../../core/message/message.ts";
import { isSealedSummary } from "../../core/message/structure.ts";
import { assembleSteps, type Piece } from "../assemble.ts";
import { exitCodeOf, neutralItem, type Item } from "./item.ts";

/** The history of a rollout as it stands, item by item; a compaction replaces it. */
export interface History {
  add(item: Item, time: number | undefined): void;
  /** What the provider reported for the newest reply. */
  report(usage: Usage): void;
  compact(payload: Compacted): void;
  /** The person took back the newest turns. */
  rollBack(turns: number): void;
  /** What the newest compaction left of its summary, if there was one. */
  gap(): "summary" | "sealed" | undefined;
  /** The context as the model would see it; `typed` are the texts a person is known to have typed. */
  messages(typed: ReadonlySet<string>): Message[];
}

/** The payload of a `compacted` line. */
export interface Compacted {
  readonly message?: string;
  readonly replacement_history?: readonly unknown[];
}

/** An empty history. */
export function createHistory(): History {
  let pieces: Piece[] = [];
  let reply = 0;
  let isOpen = false;
  let isCompacted = false;

  const addReply = (item: Extract<Item, { type: "reply" }>, time: number | undefined): void => {
    if (!isOpen) reply += 1;
    isOpen = true;
    const stamp = { id: item.id, time };
    pieces.push({
      type: "reply",
      reply: String(reply),
      message: { role: "assistant", parts: item.parts, ...stamp },
    });
  };
  const add = (item: Item, time: number | undefined): void => {
    if (item.type === "nothing") return;
    if (item.type === "reply") return addReply(item, time);
    isOpen = false;
    const stamp = { time };
    if (item.type === "input")
      pieces.push({ type: "other", message: { ...item.message, ...stamp } });
    else pieces.push({ type: "results", message: { role: "tool", parts: [item.part], ...stamp } });
  };

  return {
    add,
    report(usage) {
      isOpen = false;
      const index = pieces.findLastIndex(({ type }) => type === "reply");
      const piece = pieces[index];
      if (piece !== undefined) pieces[index] = { ...piece, message: { ...piece.message, usage } };
    },
    compact(payload) {
      isOpen = false;
      isCompacted = true;
      const replacement = payload.replacement_history;
      if (replacement === undefined) {
        pieces = [...preamble(pieces), ...summaryPieces(payload.message)];
        return;
      }
      pieces = [];
      for (const item of replacement) add(neutralItem(item), undefined);
      pieces = pieces.map((piece) => markSummary(piece, payload.message));
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
      return lateInjected(assembleSteps(told, exitCodeOf));
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

function summaryPieces(text: string | undefined): Piece[] {
  if (text === undefined || text === "") return [];
  const message: Message = { role: "user", parts: [{ type: "text", text }], kind: "summary" };
  return [{ type: "other", message }];
}

/** A local compaction repeats its summary as the last user message of the replacement. */
function markSummary(piece: Piece, summary: string | undefined): Piece {
  if (summary === undefined || summary === "" || piece.type !== "other") return piece;
  const isSummary = piece.message.role === "user" && messageText(piece.message).includes(summary);
  return isSummary ? { ...piece, message: { ...piece.message, kind: "summary" } } : piece;
}

function isTurn({ type, message }: Piece): boolean {
  return type === "other" && message.role === "user" && message.kind === undefined;
}

/** What a person typed is a turn, also when it looks like something a program writes. */
function withKind(piece: Piece, typed: ReadonlySet<string>): Piece {
  const { message } = piece;
  if (message.kind !== "injected" || !typed.has(messageText(message))) return piece;
  const { kind: _, ...rest } = message;
  return { ...piece, message: rest };
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

/** The payload of a `compacted` line, as far as it can be read. */
export function compactedPayload(payload: unknown): Compacted {
  if (!isRecord(payload)) return {};
  const { message, replacement_history: replacement } = payload;
  return {
    message: typeof message === "string" ? message : undefined,
    replacement_history: Array.isArray(replacement) ? replacement : undefined,
  };
}
