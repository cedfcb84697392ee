/** Compactions in a row: what ten of them leave of the same session. */
import type { Kept } from "../../src/simulate/index.ts";
import type { IsCommon } from "../../src/simulate/index.ts";
import { memoryArchive } from "../../src/archive/index.ts";
import { createContext } from "../../src/context/index.ts";
import type { Message } from "../../src/core/message/index.ts";
import { handlesIn, readAll } from "../../src/simulate/index.ts";
import type { Contestant, Past } from "./contestants.ts";
import { cutAt, type Cut } from "./cuts.ts";
import { judge, type Verdict } from "./judge.ts";
import type { Segment } from "./segments.ts";

const ROUNDS = 10;
export const SHOWN_ROUNDS: readonly number[] = [1, 5, 10];
const WINDOW = 64_000;
/** A session is cut into one part more than there are rounds; each must hold some steps. */
const LEAST_MESSAGES = 8 * (ROUNDS + 1);

/** Edits a list that it may have edited before. */
export interface Rounds {
  readonly name: string;
  start(segment: Segment): (history: readonly Message[], list: readonly Message[]) => Promise<Kept>;
}

export const OURS: Rounds = {
  name: "Longhaul, compaction forced",
  start({ cwd }) {
    const archive = memoryArchive();
    const context = createContext({ window: WINDOW, archive, cwd, now: () => 0 });
    const known = new Map<string, string>();
    return async (history) => {
      const { messages } = await context.prepare(history, { force: true });
      await readAll(archive, messages, known);
      return { messages, handlesIn, read: (handle) => known.get(handle) };
    };
  },
};

export function roundsOf({ name, byDefault }: Contestant): readonly Rounds[] {
  if (byDefault === undefined) return [];
  const start: Rounds["start"] = (segment) => async (_, past) => {
    const about: Past = { past, window: WINDOW, segment };
    return (await byDefault(about)) ?? { messages: past };
  };
  return [{ name, start }];
}

export function isLongEnough({ messages }: Segment): boolean {
  return messages.length >= LEAST_MESSAGES;
}

/** What is left after each shown round, of what is used afterwards. */
export async function roundsOn(
  segment: Segment,
  rounds: Rounds,
  isCommon: IsCommon,
): Promise<readonly { readonly round: number; readonly figures: Verdict }[]> {
  const edit = rounds.start(segment);
  const { messages } = segment;
  const verdicts: { round: number; figures: Verdict }[] = [];
  let [sent, said]: [readonly Message[], number] = [[], 0];
  for (let round = 1; round <= ROUNDS; round++) {
    const end = nextRequest(messages, Math.floor((messages.length * round) / (ROUNDS + 1)));
    const history = messages.slice(0, end);
    const kept = await edit(history, [...sent, ...messages.slice(said, end)]);
    [sent, said] = [kept.messages, end];
    if (!SHOWN_ROUNDS.includes(round)) continue;
    const [cut]: readonly Cut[] = cutAt(segment, end, {
      kind: `round ${round}`,
      window: WINDOW,
      isCommon,
    });
    if (cut !== undefined) verdicts.push({ round, figures: judge(cut, kept).figures });
  }
  return verdicts;
}

function nextRequest(messages: readonly Message[], from: number): number {
  const at = messages.findIndex(
    ({ role }, index) =>
      index >= from && role === "assistant" && messages[index - 1]?.role !== "assistant",
  );
  return at === -1 ? messages.length : at;
}
