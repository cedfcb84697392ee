/** What is left of what the agent will use, in one resulting context. */
import { anthropic } from "../../src/dialects/index.ts";
import type { Message } from "../../src/core/message/index.ts";
import { startsTurn } from "../../src/core/message/structure.ts";
import type { Cut, Use } from "./cuts.ts";
import { holds } from "./references.ts";
import { leaves, oneSlash, textsOf, tokensOf } from "./segments.ts";

/** What a policy made of the past. */
export interface Result {
  readonly messages: readonly Message[];
  /** Gives back what a handle in the messages names. Absent where a policy keeps no originals. */
  readonly read?: (handle: string) => string | undefined;
  /** Handles as they stand in a text; needs `read`. */
  readonly handlesIn?: (text: string) => readonly string[];
}

/**
 * Where a name still is, best first: `bound` in an original message, or in a line that also holds
 * something which stood with it; `kept` somewhere; `direct` behind a handle that names its output;
 * `hinted` only in a compacted head, but the context names the file or command it came from; `blind`
 * only there; `lost` nowhere.
 */
export type Fate = "bound" | "kept" | "direct" | "hinted" | "blind" | "lost";

/** All figures are shares from 0 to 1 but tokens, density (uses per 1,000 tokens) and violations. */
export interface Verdict {
  readonly tokens: number;
  readonly recall: number;
  readonly bound: number;
  readonly far: number;
  readonly soon: number;
  readonly direct: number;
  readonly hinted: number;
  readonly lost: number;
  readonly replay: number;
  readonly instructions: number;
  readonly todos: number;
  readonly density: number;
  readonly violations: number;
}

interface Block {
  readonly text: string;
  readonly isOriginal: boolean;
}

const SOON_STEPS = 10;

export function judge(cut: Cut, result: Result): Verdict {
  const blocks = blocksOf(cut.past, result.messages);
  const whole = blocks.map(({ text }) => text).join("\n");
  const behind = openHandles(blocks, result);
  const stands = standing(cut.segment.cwd);
  const fates = new Map(
    cut.uses.map((use) => [use, fateOf(use, { blocks, whole, behind, stands })]),
  );
  const share = (uses: readonly Use[], fine: readonly Fate[]): number =>
    ratio(uses.filter((use) => fine.includes(fates.get(use) ?? "lost")).length, uses.length);
  const kept = ["bound", "kept"] as const;
  const tokens = tokensOf(result.messages);
  const recall = share(cut.uses, kept);
  return {
    tokens,
    recall,
    bound: share(cut.uses, ["bound"]),
    far: share(
      cut.uses.filter(({ isFar }) => isFar),
      kept,
    ),
    soon: share(
      cut.uses.filter(({ step }) => step < SOON_STEPS),
      kept,
    ),
    direct: share(cut.uses, [...kept, "direct"]),
    hinted: share(cut.uses, [...kept, "direct", "hinted"]),
    lost: share(cut.uses, ["lost"]),
    replay: ratio(
      cut.replays.filter((names) => names.every((name) => stands(whole, name))).length,
      cut.replays.length,
    ),
    instructions: instructionsKept(cut.past, whole),
    todos: todosKept(cut.past, whole),
    density: (recall * cut.uses.length * 1_000) / Math.max(1, tokens),
    violations: anthropic.check(anthropic.encode(result.messages)).length,
  };
}

/** Nothing of nothing is unknown, and left out of every mean. */
function ratio(part: number, all: number): number {
  return all === 0 ? NaN : part / all;
}

/** The texts of a result: originals as they are, anything else line by line. */
function blocksOf(past: readonly Message[], messages: readonly Message[]): readonly Block[] {
  const originals = new Set(past.flatMap(textsOf));
  return messages.flatMap(textsOf).flatMap((text): readonly Block[] => {
    return originals.has(text)
      ? [{ text, isOriginal: true }]
      : text.split("\n").map((line) => ({ text: line, isOriginal: false }));
  });
}

interface Behind {
  /** Originals of single outputs and inputs. */
  readonly direct: readonly string[];
  /** Compacted heads. */
  readonly heads: readonly string[];
}

function openHandles(blocks: readonly Block[], { read, handlesIn }: Result): Behind {
  const direct: string[] = [];
  const heads: string[] = [];
  const todo = blocks.flatMap(({ text }) => handlesIn?.(text) ?? []);
  const seen = new Set<string>();
  for (let handle = todo.pop(); handle !== undefined; handle = todo.pop()) {
    if (seen.has(handle)) continue;
    seen.add(handle);
    const content = plainText(read?.(handle));
    if (content === undefined) continue;
    if (!handle.startsWith("head_")) direct.push(content);
    else {
      heads.push(content);
      // What a head's own placeholders name is two recalls away, and as blind as the head.
      for (const deeper of handlesIn?.(content) ?? []) {
        if (!seen.has(deeper)) heads.push(plainText(read?.(deeper)) ?? "");
      }
    }
  }
  return { direct, heads };
}

/** An original as it is read: JSON without its escapes. */
function plainText(content: string | undefined): string | undefined {
  const lines = content?.split("\n").map((line) => {
    if (!/^[[{]/.test(line)) return line;
    try {
      return leaves(JSON.parse(line)).join("\n");
    } catch {
      return line;
    }
  });
  return lines && oneSlash(lines.join("\n"));
}

/** Whether a text holds a name: a path also as it is called from the working directory. */
type Stands = (text: string, name: string) => boolean;

function standing(cwd: string | undefined): Stands {
  const folder = cwd === undefined ? undefined : `${oneSlash(cwd)}/`;
  return (text, name) => {
    if (holds(text, name)) return true;
    return (
      folder !== undefined && name.startsWith(folder) && holds(text, name.slice(folder.length))
    );
  };
}

function fateOf(
  { text: name, companions, sources }: Use,
  context: {
    readonly blocks: readonly Block[];
    readonly whole: string;
    readonly behind: Behind;
    readonly stands: Stands;
  },
): Fate {
  const { blocks, whole, behind, stands } = context;
  if (stands(whole, name)) {
    // A name that stood alone needs nothing beside it.
    const isBound = ({ text, isOriginal }: Block): boolean =>
      isOriginal || companions.length === 0 || companions.some((other) => stands(text, other));
    const holders = blocks.filter(({ text }) => stands(text, name));
    return holders.some(isBound) ? "bound" : "kept";
  }
  if (behind.direct.some((text) => holds(text, name))) return "direct";
  if (!behind.heads.some((text) => holds(text, name))) return "lost";
  return sources.some((source) => stands(whole, source)) ? "hinted" : "blind";
}

/** The share of what the person typed that stands word for word. */
function instructionsKept(past: readonly Message[], whole: string): number {
  const bare = (text: string): string => text.replaceAll(/\s+/g, " ").trim();
  const typed = past.filter(startsTurn).flatMap(textsOf).map(bare).filter(Boolean);
  const all = bare(whole);
  return ratio(typed.filter((text) => all.includes(text)).length, typed.length);
}

/** The share of the newest list of open todos that stands word for word. */
function todosKept(past: readonly Message[], whole: string): number {
  const calls = past.flatMap(({ parts }) => parts.filter((part) => part.type === "tool-call"));
  const lists = calls.flatMap(({ input }) => {
    const { todos, plan } = input as Readonly<Record<string, unknown>>;
    return [todos, plan].filter((list) => Array.isArray(list));
  });
  const open = (lists.at(-1) ?? []).filter(
    ({ status }) => !/^(?:completed|cancelled)$/.test(status),
  );
  const texts = open.map((todo) => oneSlash(String(todo.content ?? todo.step)));
  return ratio(texts.filter((text) => whole.includes(text)).length, texts.length);
}
