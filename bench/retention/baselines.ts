/** Rows without any idea of what matters, and rows that know the future. */
import type { Message } from "../../src/core/message/index.ts";
import { splitUnits } from "../../src/core/message/structure.ts";
import { contextBudget } from "../../src/core/overflow/index.ts";
import { type Contestant, userMessage } from "./contestants.ts";
import type { Cut } from "./cuts.ts";
import type { Kept } from "../../src/simulate/index.ts";
import { holds, textsOf } from "../../src/simulate/index.ts";
import { tokensOf } from "./segments.ts";

/** A step with its results, or one other message: what is kept or dropped as a whole. */
interface Piece {
  readonly index: number;
  readonly messages: readonly Message[];
  readonly tokens: number;
}

function piecesOf(past: readonly Message[]): readonly Piece[] {
  return splitUnits(past).map(({ from, to }, index) => {
    const messages = past.slice(from, to);
    return { index, messages, tokens: tokensOf(messages) };
  });
}

/** The pieces of an order that still fit, put back into the order of the conversation. */
function fill(order: readonly Piece[], tokens: number, stopsAtFirst: boolean): Kept | undefined {
  const kept: Piece[] = [];
  let room = tokens;
  for (const piece of order) {
    if (piece.tokens <= room) {
      kept.push(piece);
      room -= piece.tokens;
    } else if (stopsAtFirst) break;
  }
  if (kept.length === 0) return undefined;
  const sorted = kept.toSorted((a, b) => a.index - b.index);
  return { messages: sorted.flatMap(({ messages }) => messages) };
}

const HEAD_SHARE = 0.25;

function headAndTail({ past }: Cut, tokens: number): Kept | undefined {
  const pieces = piecesOf(past);
  const head = fill(pieces, tokens * HEAD_SHARE, true);
  const size = head?.messages.length ?? 0;
  const rest = piecesOf(past.slice(size));
  const tail = fill(rest.toReversed(), tokens * (1 - HEAD_SHARE), true);
  const messages = [...(head?.messages ?? []), ...(tail?.messages ?? [])];
  return messages.length === 0 ? undefined : { messages };
}

/** The same order in every run: numbers of a linear congruential generator, seeded by the cut. */
function shuffled(pieces: readonly Piece[], seed: number): readonly Piece[] {
  let state = seed >>> 0;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state;
  };
  return pieces
    .map((piece) => ({ piece, key: next() }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ piece }) => piece);
}

/** Greedy: again and again the piece with the most names per token that are still missing. */
function bestPieces({ past, uses }: Cut, tokens: number): Kept | undefined {
  const names = uses.map(({ text }) => text);
  let open = piecesOf(past).map((piece) => {
    const text = piece.messages.flatMap(textsOf).join("\n");
    return { piece, names: new Set(names.filter((name) => holds(text, name))) };
  });
  const kept: Piece[] = [];
  let room = tokens;
  for (;;) {
    open = open.filter(({ piece, names: own }) => own.size > 0 && piece.tokens <= room);
    const worth = open.map(({ piece, names: own }) => own.size / Math.max(1, piece.tokens));
    const best = open[worth.indexOf(Math.max(...worth))];
    if (best === undefined) break;
    kept.push(best.piece);
    room -= best.piece.tokens;
    for (const { names: own } of open)
      if (own !== best.names) for (const n of best.names) own.delete(n);
    best.names.clear();
  }
  return fill(kept, tokens, false);
}

/** Each name once: a line that holds several serves all of them. */
function bestLines({ past, uses }: Cut, tokens: number): Kept | undefined {
  const lines = past
    .flatMap(textsOf)
    .flatMap((text) => text.split("\n"))
    .toSorted((a, b) => a.length - b.length);
  const kept: string[] = [];
  for (const { text } of uses) {
    if (kept.some((line) => holds(line, text))) continue;
    const best = lines.find((line) => holds(line, text));
    if (best === undefined || tokensOf([userMessage([...kept, best].join("\n"))]) > tokens)
      continue;
    kept.push(best);
  }
  return kept.length === 0 ? undefined : { messages: [userMessage(kept.join("\n"))] };
}

export const BASELINES: readonly Contestant[] = [
  { name: "no-op", does: "everything stays", byDefault: async ({ past }) => ({ messages: past }) },
  {
    name: "keep last",
    does: "the newest steps that fit; by default 60 % of usable",
    byDefault: async ({ past, window }) =>
      fill(piecesOf(past).toReversed(), contextBudget({ window }).usable * 0.6, true),
    within: async ({ past }, tokens) => fill(piecesOf(past).toReversed(), tokens, true),
  },
  {
    name: "head and tail",
    does: "a quarter of the tokens for the oldest, the rest for the newest steps",
    within: async (cut, tokens) => headAndTail(cut, tokens),
  },
  {
    name: "random",
    does: "steps drawn at random until nothing more fits; the same in every run",
    within: async ({ past }, tokens) => fill(shuffled(piecesOf(past), past.length), tokens, false),
  },
  {
    name: "oracle by messages",
    does: "knows the future: the steps with the most needed names per token",
    within: async (cut, tokens) => bestPieces(cut, tokens),
  },
  {
    name: "oracle by lines",
    does: "knows the future: for each needed name, newest first, the shortest line that holds it, as far as there is room; the lines are one message of the user",
    within: async (cut, tokens) => bestLines(cut, tokens),
  },
];
