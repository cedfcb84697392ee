import { appendFileSync, mkdirSync, readFileSync, truncateSync } from "node:fs";
import path from "node:path";
import type { ModelMessage } from "ai";

/** What one step, or a word of the person, adds to the history. */
export interface Entry {
  readonly messages: readonly ModelMessage[];
  /** Outputs that were truncated, and requests that the provider refused, since the entry before. */
  readonly truncations: number;
  readonly rejected: number;
}

/** The whole history of a session in a file, one entry a line; it only grows. */
export interface History {
  readonly messages: readonly ModelMessage[];
  readonly truncations: number;
  readonly rejected: number;
  add(entry: Entry): void;
}

/**
 * Opens the history in a file, which is made with the first entry. A line that was torn because the
 * process died is taken away; its step will be done again.
 */
export function openHistory(file: string): History {
  const entries = readEntries(file);
  return {
    get messages() {
      return entries.flatMap(({ messages }) => messages);
    },
    get truncations() {
      return entries.reduce((sum, { truncations }) => sum + truncations, 0);
    },
    get rejected() {
      return entries.reduce((sum, { rejected }) => sum + rejected, 0);
    },
    add(entry) {
      mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
      appendFileSync(file, `${JSON.stringify(entry)}\n`, { mode: 0o600 });
      entries.push(entry);
    },
  };
}

/** Whether the agent has had its last word, or there is nothing to answer. */
export function isAnswered({ messages }: History): boolean {
  const last = messages.at(-1);
  return last === undefined || last.role === "assistant";
}

function readEntries(file: string): Entry[] {
  const text = readIfThere(file);
  const end = text.lastIndexOf("\n") + 1;
  if (end < text.length) truncateSync(file, Buffer.byteLength(text.slice(0, end)));
  const lines = text.slice(0, end).split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Entry);
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}
