import { toJson } from "../text/index.ts";
import type { Message } from "./message.ts";
import { plainMessage } from "./original.ts";

/** The messages of a list that grows as JSON, one message a line, without native sources. */
export interface MessageLines {
  add(message: Message): void;
  /** The lines of the messages from `from` up to `to`, which is exclusive; each ends in `\n`. */
  text(from: number, to: number): string;
}

/**
 * Lines are written block by block: those of one block die young, where all lines of a long list
 * would be moved about by the garbage collector.
 */
const LINES_PER_BLOCK = 256;

/**
 * The lines of a list that is empty so far. A block is written when its last message comes, and
 * only once; the lines of messages that do not fill a block are written when they are asked for.
 */
export function createMessageLines(): MessageLines {
  const messages: Message[] = [];
  const blocks: (string | undefined)[] = [];
  const write = (from: number, to: number): string => {
    const lines = messages.slice(from, to).map((message) => toJson(plainMessage(message)));
    return [...lines, ""].join("\n");
  };
  return {
    add(message) {
      messages.push(message);
      if (messages.length % LINES_PER_BLOCK !== 0) return;
      try {
        blocks.push(write(messages.length - LINES_PER_BLOCK, messages.length));
      } catch {
        // It holds something that is no JSON, which concerns only those who ask for the text.
        blocks.push(undefined);
      }
    },
    text(from, to) {
      const pieces: string[] = [];
      for (let at = from, end = at; at < to; at = end) {
        end = Math.min(to, at - (at % LINES_PER_BLOCK) + LINES_PER_BLOCK);
        const isWhole = end - at === LINES_PER_BLOCK;
        pieces.push((isWhole ? blocks[at / LINES_PER_BLOCK] : undefined) ?? write(at, end));
      }
      return pieces.join("");
    },
  };
}

/** The lines of a list of messages. Throws `invalid-message` for a value that is no JSON. */
export function linesOf(messages: readonly Message[]): string {
  const lines = createMessageLines();
  for (const message of messages) lines.add(message);
  return lines.text(0, messages.length);
}
