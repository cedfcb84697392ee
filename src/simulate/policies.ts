/** Ways to decide what is sent: ours, and those to compare it with. */
import { memoryArchive } from "../archive/index.ts";
import { type ContextOptions, createContext } from "../context/index.ts";
import { pruneToolOutputs } from "../context/prune-tool-outputs.ts";
import type { Message } from "../core/message/index.ts";
import { leadingSystemCount, splitUnits, startsTurn } from "../core/message/structure.ts";
import type { ContextBudget } from "../core/overflow/index.ts";
import type { Kept } from "./fate.ts";

export interface Setting {
  readonly budget: ContextBudget;
  /** Tokens of messages alone. */
  readonly sizeOf: (messages: readonly Message[]) => number;
  /** Tokens of what every request carries beside its messages. */
  readonly fixed: number;
  /** For a context of ours: the window, how the model counts, the working directory. */
  readonly context: ContextOptions;
}

export interface Wanted {
  /** Everything that was said, oldest first. */
  readonly history: readonly Message[];
  /** The newest request of the policy, and what was said since. */
  readonly list: readonly Message[];
}

/** A call of a model that a policy makes for a summary. */
export interface AskedSummary {
  /** The prompt; a prefix of the last request is read from the cache. */
  readonly messages: readonly Message[];
  /** Tokens of its answer. */
  readonly output: number;
}

export interface Sent extends Kept {
  readonly asked?: AskedSummary;
}

/** Decides what is sent, request by request. */
export interface Policy {
  readonly name: string;
  /** A precise description, with its limits here. */
  readonly does: string;
  start(setting: Setting): (wanted: Wanted) => Promise<Sent>;
}

const HANDLE = /\b(?:out|parts|in|msg|head|run)_[0-9a-f]{16}\b/g;

export function handlesIn(text: string): readonly string[] {
  return text.match(HANDLE) ?? [];
}

export function isFull({ budget, fixed, sizeOf }: Setting, list: readonly Message[]): boolean {
  return fixed + sizeOf(list) >= budget.usable;
}

/** A policy that leaves the list alone until it is full. */
export function whenFull(
  name: string,
  does: string,
  edit: (list: readonly Message[], setting: Setting) => Promise<Sent> | Sent,
): Policy {
  return {
    name,
    does,
    start(setting) {
      // Originals of an edit can be read until the next one.
      let behind: Omit<Kept, "messages"> = {};
      return async ({ list }) => {
        if (!isFull(setting, list)) return { ...behind, messages: list };
        const sent = await edit(list, setting);
        behind = { read: sent.read, handlesIn: sent.handlesIn };
        return sent;
      };
    },
  };
}

/** Our own context, without a model, with settings of its own. */
export function longhaulPolicy(name: string, does: string, own: ContextOptions = {}): Policy {
  return {
    name,
    does,
    start(setting) {
      const archive = memoryArchive();
      const context = createContext({ ...setting.context, archive, now: () => 0, ...own });
      const known = new Map<string, string>();
      const read = (handle: string): string | undefined => known.get(handle);
      return async ({ history }) => {
        const { messages, report } = await context.prepare(history);
        if (report.action !== "none") await readAll(archive, messages, known);
        return { messages, handlesIn, read };
      };
    },
  };
}

/** All originals that messages name, and those that these name. */
export async function readAll(
  archive: ReturnType<typeof memoryArchive>,
  messages: readonly Message[],
  known: Map<string, string>,
): Promise<void> {
  const todo = [...handlesIn(JSON.stringify(messages))];
  for (let handle = todo.pop(); handle !== undefined; handle = todo.pop()) {
    if (known.has(handle)) continue;
    // A text may name what no archive has.
    const content = await archive.get(handle).catch(() => undefined);
    if (content === undefined) continue;
    known.set(handle, content);
    todo.push(...handlesIn(content));
  }
}

const pruneOnly: Policy = {
  name: "Longhaul, prune only",
  does: "`pruneToolOutputs` when the request is full: all that may be pruned, and no summary, so it may not be enough",
  start(setting) {
    const known = new Map<string, string>();
    const read = (handle: string): string | undefined => known.get(handle);
    return async ({ list }) => {
      if (!isFull(setting, list)) return { messages: list, handlesIn, read };
      const { window, reserved } = setting.budget;
      const { messages, originals } = pruneToolOutputs(list, { window, reserved, now: () => 0 });
      for (const { handle, content } of originals) known.set(handle, content);
      return { messages, handlesIn, read };
    };
  },
};

/** The share of usable that is left after a cut, as in our own defaults. */
const TRIM_SHARE = 0.6;

/** The newest steps within a number of tokens, behind the system messages; one step at least. */
export function newest(
  list: readonly Message[],
  tokens: number,
  sizeOf: Setting["sizeOf"],
): readonly Message[] {
  const head = list.slice(0, leadingSystemCount(list));
  const units = splitUnits(list.slice(head.length)).map(({ from, to }) =>
    list.slice(head.length + from, head.length + to),
  );
  let room = tokens - sizeOf(head);
  const kept = units.toReversed().filter((unit, at, all) => {
    // The first unit that does not fit ends it: no holes.
    if (room < 0) return false;
    room -= sizeOf(unit);
    return room >= 0 || all.length === 1 || at === 0;
  });
  return [...head, ...kept.toReversed().flat()];
}

const keepLast = whenFull(
  "keep last",
  "drops the oldest steps when the request is full, until 60 % of usable is left; nothing stands for them",
  (list, { budget, fixed, sizeOf }) => ({
    messages: newest(list, budget.usable * TRIM_SHARE - fixed, sizeOf),
  }),
);

export const nothingPolicy: Policy = {
  name: "no-op",
  does: "everything stays: what is over the window no provider would answer",
  start:
    () =>
    async ({ list }) => ({ messages: list }),
};

/**
 * A summary whose words cannot be known, as long as ten recorded ones were in the mean: 2,787 tokens.
 * So what an emulation keeps is a lower bound, while its size and its cost are fair.
 */
const SUMMARY_TOKENS = 2_787;
const UNKNOWN_WORDS = "(summary) ".repeat(Math.round(SUMMARY_TOKENS / 3));

export function unknownSummary(list: readonly Message[]): Required<Pick<Sent, "asked">> & {
  readonly summary: Message;
} {
  const summary: Message = { role: "user", parts: [{ type: "text", text: UNKNOWN_WORDS }] };
  return { summary, asked: { messages: list, output: SUMMARY_TOKENS } };
}

/** The part that an agent keeps word for word beside the summary of its own compaction. */
interface AgentHabit {
  readonly agent: string;
  readonly does: string;
  readonly keep: (list: readonly Message[], setting: Setting) => readonly Message[];
}

const CLAUDE_CODE: AgentHabit = {
  agent: "Claude Code",
  does: "keeps nothing of the messages; files that it reads again from the disk are not known here",
  keep: () => [],
};

const HABITS: Readonly<Record<string, AgentHabit>> = {
  "claude-code": CLAUDE_CODE,
  codex: {
    agent: "Codex, local",
    does: "keeps the newest messages of the user, 20,000 tokens of them, or 45 % of usable where that is less",
    keep: (list, { budget, sizeOf }) =>
      newest(list.filter(startsTurn), Math.min(20_000, budget.usable * 0.45), sizeOf),
  },
  opencode: {
    agent: "opencode 1.18",
    does: "keeps the newest steps, a quarter of usable, from 2,000 to 15,000 tokens",
    keep: (list, { budget, sizeOf }) =>
      newest(list, Math.min(15_000, Math.max(2_000, budget.usable / 4)), sizeOf),
  },
  pi: {
    agent: "pi",
    does: "keeps the newest steps, 20,000 tokens of them, or 45 % of usable where that is less",
    keep: (list, { budget, sizeOf }) =>
      newest(list, Math.min(20_000, budget.usable * 0.45), sizeOf),
  },
};

/** The agents whose compaction can be emulated, by the names of their formats. */
export const EMULATED: readonly string[] = Object.keys(HABITS);

/** An agent's own compaction as it is documented; Claude Code's where a format has none. */
export function emulation(format: string): Policy {
  const own = Object.hasOwn(HABITS, format) ? HABITS[format] : undefined;
  const { agent, does, keep } = own ?? CLAUDE_CODE;
  return whenFull(
    `${agent} (emulated)`,
    `when the request is full, a summary takes the place of all; ${does}. The words of the summary are unknown: it counts ${SUMMARY_TOKENS} tokens, and what it says is not counted`,
    (list, setting) => {
      const { summary, asked } = unknownSummary(list);
      const system = list.slice(0, leadingSystemCount(list));
      return { messages: [...system, summary, ...keep(list.slice(system.length), setting)], asked };
    },
  );
}

export const LONGHAUL_POLICY: Policy = longhaulPolicy(
  "Longhaul",
  "a context at its defaults, without a model: prunes, else compacts",
);

/** The policies of `longhaul simulate`: ours, simple ones, and the agent's own way. */
export function policiesFor(format: string): readonly Policy[] {
  return [LONGHAUL_POLICY, pruneOnly, emulation(format), keepLast, nothingPolicy];
}
