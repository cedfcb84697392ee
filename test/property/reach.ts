import type { Archive } from "../../src/archive/archive.ts";

/**
 * What a model can still get at, read apart from the sources: everything that stands in a list, and in
 * the originals that its texts name, and in those that they name. Each piece is one text of its kind.
 */
export interface Reached {
  readonly pieces: ReadonlySet<string>;
  /** Handles that a text names and the archive does not have. */
  readonly missing: ReadonlySet<string>;
}

const HANDLES = /\b(?:out|parts|in|msg|head)_[0-9a-f]{16}\b/g;

type Fields = Readonly<Record<string, unknown>>;

/** Everything that can be read from a list. */
export async function reach(messages: readonly unknown[], archive: Archive): Promise<Reached> {
  const pieces = new Set<string>();
  const missing = new Set<string>();
  const done = new Set<string>();
  const todo: string[] = [];
  const seen = (kind: string, text: string, isRead = true): void => {
    pieces.add(`${kind} ${text}`);
    if (isRead) todo.push(...(text.match(HANDLES) ?? []));
  };
  const takePart = (part: Fields): void => {
    if (part["type"] === "text") seen("text", part["text"] as string);
    else if (part["type"] === "reasoning") {
      seen("reasoning", JSON.stringify([part["text"], part["signature"]]), false);
    } else if (part["type"] === "file") {
      seen("file", JSON.stringify([part["mediaType"], part["data"] ?? part["url"]]), false);
    } else if (part["type"] === "tool-call") seen("input", inputOf(part["input"]));
    else if (part["type"] === "tool-result") (part["output"] as Fields[]).forEach(takePart);
    else {
      const source = part["source"] as Fields | undefined;
      seen("opaque", JSON.stringify(source?.["value"] ?? part["value"]), false);
    }
  };
  for (const message of messages) (message as { parts: Fields[] }).parts.forEach(takePart);
  for (let handle = todo.pop(); handle !== undefined; handle = todo.pop()) {
    if (done.has(handle)) continue;
    done.add(handle);
    const content = await archive.get(handle).catch(() => undefined);
    if (content === undefined) missing.add(handle);
    else if (handle.startsWith("in_")) seen("input", content);
    else if (handle.startsWith("parts_")) (JSON.parse(content) as Fields[]).forEach(takePart);
    else if (!handle.startsWith("head_")) seen("text", content);
    else {
      const lines = content.split("\n").filter((line) => line !== "");
      for (const line of lines) (JSON.parse(line) as { parts: Fields[] }).parts.forEach(takePart);
    }
  }
  return { pieces, missing };
}

/** A free text is archived as it is, or as JSON where UTF-8 has no form for it. */
function inputOf(input: unknown): string {
  return typeof input === "string" ? input : JSON.stringify(input);
}

/**
 * The pieces that can no longer be read. An excerpt may go where the original can be read that it
 * was made from and names.
 */
export function unreached(before: Reached, after: Reached): readonly string[] {
  return [...before.pieces].filter((piece) => {
    if (after.pieces.has(piece)) return false;
    const lines = piece.slice(piece.indexOf(" ") + 1).split("\n");
    const isNotice = lines.map((line) => (line.match(HANDLES) ?? []).length > 0);
    if (!isNotice.includes(true)) return true;
    const ends = [
      lines.slice(0, isNotice.indexOf(true)),
      lines.slice(isNotice.lastIndexOf(true) + 1),
    ];
    const whole = [...after.pieces];
    return !ends.every((end) => whole.some((text) => text.includes(end.join("\n"))));
  });
}
