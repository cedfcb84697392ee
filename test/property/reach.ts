import type { Archive } from "../../src/archive/archive.ts";

/**
 * What a model can still get at, read apart from the sources: everything that stands in a list, and in
 * the originals that its texts name, and in those that they name. Each piece is one text of its kind.
 */
export interface Reached {
  readonly pieces: ReadonlySet<string>;
  /** The texts of each output as one: an edited output begins with them, whatever stood between. */
  readonly outputs: ReadonlySet<string>;
  /** Handles that a text names and the archive does not have. */
  readonly missing: ReadonlySet<string>;
}

const HANDLES = /\b(?:out|parts|in|msg|head)_[0-9a-f]{16}\b/g;

type Fields = Readonly<Record<string, unknown>>;

/** What one message or original says, and the handles that it names. */
interface Said {
  readonly pieces: readonly string[];
  readonly outputs: readonly string[];
  readonly named: readonly string[];
}

/** Reads everything that can be read from a list; an original is read once. */
export function createReach(archive: Archive): (messages: readonly object[]) => Promise<Reached> {
  const said = new WeakMap<object, Said>();
  const originals = new Map<string, readonly Said[]>();
  const saidBy = (message: object): Said => {
    const known = said.get(message) ?? saidIn((message as { parts: Fields[] }).parts);
    said.set(message, known);
    return known;
  };
  const original = async (handle: string): Promise<readonly Said[] | undefined> => {
    const known = originals.get(handle);
    if (known !== undefined) return known;
    const content = await archive.get(handle).catch(() => undefined);
    const read = content === undefined ? undefined : saidInOriginal(handle, content);
    if (read !== undefined) originals.set(handle, read);
    return read;
  };
  return async (messages) => {
    const pieces = new Set<string>();
    const outputs = new Set<string>();
    const missing = new Set<string>();
    const done = new Set<string>();
    const todo = messages.map(saidBy);
    for (let one = todo.pop(); one !== undefined; one = todo.pop()) {
      for (const piece of one.pieces) pieces.add(piece);
      for (const output of one.outputs) outputs.add(output);
      for (const handle of one.named) {
        if (done.has(handle)) continue;
        done.add(handle);
        const read = await original(handle);
        if (read === undefined) missing.add(handle);
        else todo.push(...read);
      }
    }
    return { pieces, outputs, missing };
  };
}

function saidInOriginal(handle: string, content: string): readonly Said[] {
  if (handle.startsWith("parts_")) {
    const output = JSON.parse(content) as Fields[];
    return [saidIn([{ type: "tool-result", output }])];
  }
  if (handle.startsWith("head_")) {
    const lines = content.split("\n").filter((line) => line !== "");
    return lines.map((line) => saidIn((JSON.parse(line) as { parts: Fields[] }).parts));
  }
  const kind = handle.startsWith("in_") ? "input" : "text";
  const named = content.match(HANDLES) ?? [];
  return [{ pieces: [`${kind} ${content}`], outputs: [], named }];
}

function saidIn(parts: readonly Fields[]): Said {
  const pieces: string[] = [];
  const outputs: string[] = [];
  const named: string[] = [];
  const seen = (kind: string, text: string, isRead = true): void => {
    pieces.push(`${kind} ${text}`);
    if (isRead) named.push(...(text.match(HANDLES) ?? []));
  };
  const takePart = (part: Fields): void => {
    if (part["type"] === "text") seen("text", part["text"] as string);
    else if (part["type"] === "reasoning") {
      seen("reasoning", JSON.stringify([part["text"], part["signature"]]), false);
    } else if (part["type"] === "file") {
      seen("file", JSON.stringify([part["mediaType"], part["data"] ?? part["url"]]), false);
    } else if (part["type"] === "tool-call") seen("input", inputOf(part["input"]));
    else if (part["type"] === "tool-result") {
      const output = part["output"] as Fields[];
      output.forEach(takePart);
      const texts = output.filter(({ type }) => type === "text").map(({ text }) => text);
      if (texts.length > 1) outputs.push(texts.join("\n"));
    } else {
      const source = part["source"] as Fields | undefined;
      seen("opaque", JSON.stringify(source?.["value"] ?? part["value"]), false);
    }
  };
  parts.forEach(takePart);
  return { pieces, outputs, named };
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
    const whole = [...after.pieces, ...after.outputs];
    return !ends.every((end) => whole.some((text) => text.includes(end.join("\n"))));
  });
}
