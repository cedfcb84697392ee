/** The rest of a name in one context. */
import type { Message } from "../core/message/index.ts";
import { holds } from "./references.ts";
import { leaves, oneSlash, textsOf } from "./texts.ts";
import type { Use } from "./uses.ts";

/** The request of a policy. */
export interface Kept {
  readonly messages: readonly Message[];
  /** Gives back what a handle in the messages names. Absent where a policy keeps no originals. */
  readonly read?: (handle: string) => string | undefined;
  /** Handles as they stand in a text; needs `read`. */
  readonly handlesIn?: (text: string) => readonly string[];
}

/**
 * The place of a name, best first: `bound` in an original message, or in a line that also holds
 * something which stood with it; `kept` somewhere; `direct` behind a handle that names its output;
 * `hinted` only in a compacted head, but the context names the file or command it came from; `blind`
 * only there; `lost` nowhere.
 */
export const FATES = ["bound", "kept", "direct", "hinted", "blind", "lost"] as const;
export type Fate = (typeof FATES)[number];

/** A text, or a line of one that nobody had said. */
interface Block {
  readonly text: string;
  readonly isOriginal: boolean;
}

/** Looks for names in the contexts of one session and policy; what it has read it remembers. */
export type Eye = (kept: Kept) => (use: Use) => Fate;

export function createEye(session: readonly Message[], cwd?: string): Eye {
  const originals = new Set(session.flatMap(textsOf));
  const stands = standing(cwd);
  const seen = new WeakMap<Message, readonly Block[]>();
  const opened = new Map<string, Opened>();
  const blocksOf = (message: Message): readonly Block[] => {
    const known = seen.get(message) ?? textsOf(message).flatMap((text) => parted(text, originals));
    seen.set(message, known);
    return known;
  };
  return (kept) => {
    const blocks = kept.messages.flatMap(blocksOf);
    let behind: Behind | undefined;
    return (use) => {
      const holders = blocks.filter((block) => isHeld(block, use.text, stands));
      if (holders.length > 0) return isBound(holders, use, stands) ? "bound" : "kept";
      behind ??= openHandles(blocks, kept, opened);
      const isIn = (text: string): boolean => stands(text, use.text);
      if (behind.direct.some(isIn)) return "direct";
      if (!behind.heads.some(isIn)) return "lost";
      const isHinted = use.sources.some((one) =>
        blocks.some((block) => isHeld(block, one, stands)),
      );
      return isHinted ? "hinted" : "blind";
    };
  };
}

/** Originals as they are, anything else line by line. */
function parted(text: string, originals: ReadonlySet<string>): readonly Block[] {
  if (originals.has(text)) return [{ text, isOriginal: true }];
  return text.split("\n").map((line) => ({ text: line, isOriginal: false }));
}

/** A line may name a folder and what lies in it: `src/`: `a.ts`, `b.ts`. */
function isHeld({ text, isOriginal }: Block, name: string, stands: Stands): boolean {
  if (stands(text, name)) return true;
  const slash = isOriginal ? 0 : name.lastIndexOf("/") + 1;
  if (slash === 0 || slash === name.length) return false;
  return holds(text, name.slice(slash)) && stands(text, name.slice(0, slash));
}

function isBound(holders: readonly Block[], { companions }: Use, stands: Stands): boolean {
  // A name that stood alone needs nothing beside it.
  if (companions.length === 0) return true;
  return holders.some(
    ({ text, isOriginal }) => isOriginal || companions.some((other) => stands(text, other)),
  );
}

/** A path is held also as it is called from the working directory. */
export type Stands = (text: string, name: string) => boolean;

export function standing(cwd: string | undefined): Stands {
  const folder = cwd === undefined ? undefined : `${oneSlash(cwd)}/`;
  return (text, name) => {
    if (holds(text, name)) return true;
    if (folder === undefined || !name.startsWith(folder)) return false;
    return name.length > folder.length && holds(text, name.slice(folder.length));
  };
}

interface Opened {
  readonly original: string;
  readonly content: string;
  /** Handles that stand in it. */
  readonly deeper: readonly string[];
}

interface Behind {
  /** Originals of single outputs and inputs. */
  readonly direct: readonly string[];
  /** Compacted heads. */
  readonly heads: readonly string[];
}

function openHandles(
  blocks: readonly Block[],
  { read, handlesIn }: Kept,
  opened: Map<string, Opened>,
): Behind {
  const open = (handle: string): Opened | undefined => {
    const original = read?.(handle);
    if (original === undefined) return undefined;
    const known = opened.get(handle);
    // A file that a policy writes to is another one the next time.
    if (known?.original === original) return known;
    const content = plainText(original);
    const fresh = { original, content, deeper: handlesIn?.(content) ?? [] };
    opened.set(handle, fresh);
    return fresh;
  };
  const named = new Set(blocks.flatMap(({ text }) => handlesIn?.(text) ?? []));
  const [direct, heads] = [new Map<string, string>(), new Map<string, string>()];
  for (const handle of named) {
    const one = open(handle);
    if (one !== undefined) (handle.startsWith("head_") ? heads : direct).set(handle, one.content);
  }
  // A head's own placeholders name what is two recalls away, and as blind as the head.
  const todo = [...heads.keys()];
  for (let head = todo.pop(); head !== undefined; head = todo.pop()) {
    for (const handle of open(head)?.deeper ?? []) {
      const one = named.has(handle) || heads.has(handle) ? undefined : open(handle);
      if (one === undefined) continue;
      heads.set(handle, one.content);
      todo.push(handle);
    }
  }
  return { direct: [...direct.values()], heads: [...heads.values()] };
}

/** An original as it is read: JSON without its escapes. */
function plainText(content: string): string {
  const lines = content.split("\n").map((line) => {
    if (!/^[[{]/.test(line)) return line;
    try {
      return leaves(JSON.parse(line)).join("\n");
    } catch {
      return line;
    }
  });
  return oneSlash(lines.join("\n"));
}
