/**
 * The scan's memory: how far into a run of one group it is, and what stood before the run. A
 * tokenizer joins a word with the space in front of it and splits long words, so both matter.
 */
import {
  CLASS_COUNT,
  DIGIT,
  GROUP_OF,
  LINE,
  LOWER,
  OTHER_GROUP,
  SIGN,
  SPACE,
  TAB,
  UPPER,
} from "./classes.ts";

interface State {
  readonly group: number;
  /** 1 for the first unit of a run; the limit of the group stands for all later ones. */
  readonly position: number;
  /** What the run follows; forgotten at the last position. */
  readonly after: number;
}

const AFTER_SPACE = 0;
const AFTER_OTHER = 1;
const AFTER_LINE = 2;

/** From here on the position of a unit in its run changes its cost no more. */
const LAST_POSITION: Readonly<Record<number, number>> = {
  [SPACE]: 4,
  [LINE]: 4,
  [TAB]: 4,
  [DIGIT]: 3,
  [LOWER]: 8,
  [UPPER]: 6,
  [SIGN]: 4,
};
const LAST_POSITION_OF_SCRIPT = 5;

/** At least every last position, and a multiple of three for numbers. */
const LONGEST_MEMORY = 9;

/** Rows of the tables below are this long: a class fits into six bits. */
export const ROW_BITS = 6;
export const ROW: number = 1 << ROW_BITS;

/** The first state: at the start of a line. */
const START: State = { group: LINE, position: 1, after: AFTER_OTHER };

function advance(state: State, group: number): State {
  const { position, after } = state;
  if (group === state.group) {
    const last = LAST_POSITION[group] ?? LAST_POSITION_OF_SCRIPT;
    if (position + 1 < last) return { group, position: position + 1, after };
    // Tokenizers cut numbers into threes; any other run stays at its last position.
    const restart = group === DIGIT && position === last;
    return { group, position: restart ? 1 : last, after: AFTER_OTHER };
  }
  // A capital and the lower case behind it are one word.
  if (group === LOWER && state.group === UPPER && position === 1)
    return { group, position: 2, after };
  return { group, position: 1, after: afterGroup(state.group) };
}

function afterGroup(group: number): number {
  if (group === SPACE) return AFTER_SPACE;
  return group === LINE || group === TAB ? AFTER_LINE : AFTER_OTHER;
}

/**
 * For each state and class the state that follows, as the offset of its row: entry
 * `offset + class`. Every state that a text can reach has a row.
 */
export const NEXT_STATE: Readonly<Uint16Array> = buildStates();

export const STATE_COUNT: number = NEXT_STATE.length / ROW;

function buildStates(): Uint16Array {
  const states: State[] = [START];
  const rows = new Map<string, number>([[keyOf(START), 0]]);
  const next: number[] = [];
  for (const state of states) {
    for (let unitClass = 0; unitClass < ROW; unitClass++) {
      const following = advance(state, GROUP_OF[unitClass] ?? OTHER_GROUP);
      const row = rows.get(keyOf(following)) ?? states.push(following) - 1;
      rows.set(keyOf(following), row);
      next.push(row * ROW);
    }
  }
  return Uint16Array.from(next);
}

/** The state after a long run of each class. */
export const STATE_AFTER_RUN: Readonly<Uint16Array> = Uint16Array.from(
  { length: CLASS_COUNT },
  (_, unitClass) => {
    let state = 0;
    for (let i = 0; i < LONGEST_MEMORY; i++) state = NEXT_STATE[state + unitClass] ?? 0;
    return state;
  },
);

function keyOf(state: State): string {
  return `${state.group},${state.position},${state.after}`;
}
