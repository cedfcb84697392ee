/**
 * The scan's memory: how far into a run of one group it is, and what stood before the run. A
 * tokenizer joins a word with the space in front of it and splits long words, so both matter.
 */
import {
  BACKSLASH,
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

const AFTER_OTHER = 0;
/** What stands before a run, by its group; every other group is one. */
const AFTER: Readonly<Record<number, number>> = {
  [SPACE]: 1,
  [LINE]: 2,
  [TAB]: 3,
  [SIGN]: 4,
  [DIGIT]: 5,
  [LOWER]: 6,
  [UPPER]: 6,
  [BACKSLASH]: 4,
};
const AFTER_SPACE = 1;
/** A backslash makes an escape of the next unit, unless it is itself escaped. */
const AFTER_ESCAPE = 7;

/** From here on the position of a unit in its run changes its cost no more. */
const LAST_POSITION: Readonly<Record<number, number>> = {
  [SPACE]: 4,
  [LINE]: 4,
  [TAB]: 4,
  [DIGIT]: 3,
  [LOWER]: 8,
  [UPPER]: 6,
  [SIGN]: 4,
  [BACKSLASH]: 2,
};
const LAST_POSITION_OF_SCRIPT = 5;

/** At least every last position, and a multiple of three for numbers, odd for backslashes. */
const LONGEST_MEMORY = 9;

/** Rows of the tables below are this long: a class fits into seven bits. */
export const ROW_BITS = 7;
export const ROW: number = 1 << ROW_BITS;

/** The first state: at the start of a line. */
const START: State = { group: LINE, position: 1, after: AFTER_OTHER };

function advance(state: State, group: number): State {
  const { position, after } = state;
  if (group === state.group) {
    const last = LAST_POSITION[group] ?? LAST_POSITION_OF_SCRIPT;
    if (position + 1 < last) return { group, position: position + 1, after };
    // Numbers are cut into threes, backslashes go in pairs; any other run stays at its last position.
    const restart = (group === DIGIT || group === BACKSLASH) && position === last;
    return { group, position: restart ? 1 : last, after: AFTER_OTHER };
  }
  // A capital and the lower case behind it are one word.
  if (group === LOWER && state.group === UPPER && position === 1)
    return { group, position: 2, after };
  return { group, position: 1, after: afterRun(state, group) };
}

/** What a run remembers of the run before it: in scripts only whether that was of spaces. */
function afterRun({ group: before, position }: State, group: number): number {
  const escape = before === BACKSLASH && position === 1;
  const after = escape ? AFTER_ESCAPE : (AFTER[before] ?? AFTER_OTHER);
  return LAST_POSITION[group] === undefined && after !== AFTER_SPACE ? AFTER_OTHER : after;
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
    const byGroup: number[] = [];
    for (const group of new Set(GROUP_OF)) {
      const following = advance(state, group);
      const row = rows.get(keyOf(following)) ?? states.push(following) - 1;
      rows.set(keyOf(following), row);
      byGroup[group] = row * ROW;
    }
    for (let unitClass = 0; unitClass < ROW; unitClass++) {
      next.push(byGroup[GROUP_OF[unitClass] ?? OTHER_GROUP] ?? 0);
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
