/** What is left of what the agent will use, in one resulting context. */
import { anthropic } from "../../src/dialects/index.ts";
import type { Message } from "../../src/core/message/index.ts";
import { startsTurn } from "../../src/core/message/structure.ts";
import {
  createEye,
  type Fate,
  type Kept,
  oneSlash,
  standing,
  textsOf,
  type Use,
} from "../../src/simulate/index.ts";
import type { Cut } from "./cuts.ts";
import { tokensOf } from "./segments.ts";

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

/** How many uses of a kind there were, and how many are kept. */
export type Kinds = Readonly<Record<string, { readonly kept: number; readonly all: number }>>;

export interface Judgement {
  readonly figures: Verdict;
  readonly kinds: Kinds;
}

const SOON_STEPS = 10;

export function judge(cut: Cut, result: Kept): Judgement {
  const whole = result.messages.flatMap(textsOf).join("\n");
  const stands = standing(cut.segment.cwd);
  const fateOf = createEye(cut.past, cut.segment.cwd)(result);
  const fates = new Map<Use, Fate>(cut.uses.map((use) => [use, fateOf(use)]));
  const share = (uses: readonly Use[], fine: readonly Fate[]): number =>
    ratio(uses.filter((use) => fine.includes(fates.get(use) ?? "lost")).length, uses.length);
  const kept = ["bound", "kept"] as const;
  const tokens = tokensOf(result.messages);
  const recall = share(cut.uses, kept);
  const figures: Verdict = {
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
  return { figures, kinds: kindsOf(fates) };
}

function kindsOf(fates: ReadonlyMap<Use, Fate>): Kinds {
  const kinds: Record<string, { kept: number; all: number }> = {};
  for (const [{ kind }, fate] of fates) {
    const one = (kinds[kind] ??= { kept: 0, all: 0 });
    one.all += 1;
    if (fate === "bound" || fate === "kept") one.kept += 1;
  }
  return kinds;
}

/** Nothing of nothing is unknown, and left out of every mean. */
function ratio(part: number, all: number): number {
  return all === 0 ? NaN : part / all;
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
