/**
 * The tables of the estimator's scan, built from the weights when something is measured first.
 *
 * Classes: every UTF-16 unit has one. Letters are grouped by how words are built from them, scripts
 * by how tokenizers treat them. A class belongs to a group; units of one group in a row make a run
 * (a word, a number, a rule of signs).
 *
 * States: how far the scan is into a run of one group, and what stood before the run. A tokenizer
 * joins a word with the space in front of it and splits long words, so both matter.
 */
import type { Weights } from "./weight-codec.ts";

/** Groups that have states of their own kind. Every other script is a group by itself. */
const SPACE = 0;
const LINE = 1;
const TAB = 2;
const DIGIT = 3;
const LOWER = 4;
const UPPER = 5;
const SIGN = 6;
const HAN = 7;
/** Signs beyond ASCII: arrows, box drawing, typographic quotes, symbols. */
const MARK = 20;
/** Pairs of surrogates: emoji and rare scripts. */
const PAIRED = 21;
/** The backslash, since the letter behind it is no part of the word that follows. */
const BACKSLASH = 22;
/** Of whatever no class names: control characters, rare scripts, private use. */
const OTHER_GROUP = 23;

/** Classes of ASCII: the group, and the characters. */
type CharacterClass = readonly [group: number, characters: string];

const BEFORE_LETTERS: readonly CharacterClass[] = [
  [SPACE, " "],
  [LINE, "\n"],
  [LINE, "\r"],
  [TAB, "\t"],
  [DIGIT, "0123456789"],
];
/** Each of them is a class of its own. */
const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const SIGNS: readonly CharacterClass[] = [
  [SIGN, "."],
  [SIGN, ","],
  [SIGN, ":;"],
  [SIGN, "'`"],
  [SIGN, '"'],
  [SIGN, "([{"],
  [SIGN, ")]}"],
  [SIGN, "-"],
  [SIGN, "_"],
  [SIGN, "/"],
  [BACKSLASH, "\\"],
  [SIGN, "="],
  [SIGN, "*"],
  [SIGN, "#~"],
  [SIGN, "<"],
  [SIGN, ">"],
  [SIGN, "+"],
  [SIGN, "|"],
  [SIGN, "@$"],
  [SIGN, "&^%!?"],
];

/** Classes beyond ASCII: the group, and ranges of units, first and last; later ones win. */
const RANGE_CLASSES: readonly (readonly [group: number, ...ranges: number[]])[] = [
  [LOWER, 0xdf, 0xff], // Western European
  [UPPER, 0xc0, 0xde],
  [LOWER, 0x100, 0x2ff], // Latin, extended
  [LOWER, 0x1e00, 0x1eff, 0x1a0, 0x1a1, 0x1af, 0x1b0, 0x110, 0x111, 0x102, 0x103], // Vietnamese
  [8, 0x300, 0x36f, 0x200b, 0x200f, 0xfe00, 0xfe0f], // marks, joiners, selectors
  [9, 0x370, 0x3ff, 0x1f00, 0x1fff], // Greek
  [9, 0x3ac, 0x3af, 0x3cc, 0x3ce], // Greek, accented
  [10, 0x430, 0x44f], // Cyrillic, lower
  [10, 0x400, 0x42f, 0x450, 0x52f], // Cyrillic, upper and others
  [10, 0x454, 0x454, 0x456, 0x457, 0x491, 0x491], // Ukrainian
  [11, 0x590, 0x5ff], // Hebrew
  [12, 0x600, 0x6ff, 0x750, 0x77f, 0xfb50, 0xfdff, 0xfe70, 0xfefe], // Arabic
  [12, 0x67e, 0x67e, 0x686, 0x686, 0x698, 0x698, 0x6a9, 0x6af, 0x6cc, 0x6cc], // Persian
  [13, 0x900, 0x97f], // Devanagari, letters
  [13, 0x93a, 0x94f, 0x900, 0x903, 0x962, 0x963], // Devanagari, signs
  [14, 0x980, 0xdff, 0xf00, 0x109f, 0x1200, 0x17ff], // other Indic scripts and their neighbours
  [15, 0xe00, 0xe7f], // Thai
  [15, 0xe30, 0xe3a, 0xe40, 0xe4e], // Thai, vowels and tones
  [16, 0x1100, 0x11ff, 0xac00, 0xd7a3], // Hangul
  [17, 0x3040, 0x309f], // Hiragana
  [18, 0x30a0, 0x30ff, 0x31f0, 0x31ff], // Katakana
  [19, 0x3000, 0x303f, 0xff00, 0xffef], // CJK punctuation and full width
  [MARK, 0xa0, 0xa0, 0x2000, 0x200a, 0x2028, 0x2029, 0x202f, 0x202f], // other spaces
  [SIGN, 0x1b, 0x1b], // starts a terminal's colour code
  [OTHER_GROUP, 0xe000, 0xf8ff], // private use: icon fonts
  [PAIRED, 0xd800, 0xdbff], // leading surrogates
  [PAIRED, 0xd83c, 0xd83c],
  [PAIRED, 0xd83d, 0xd83d],
  [PAIRED, 0xd83e, 0xd83e],
  [PAIRED, 0xdc00, 0xdfff], // trailing surrogates
  [HAN, 0x2e80, 0x2fdf, 0x3400, 0x4dbf, 0x4e00, 0x9fff, 0xf900, 0xfaff], // rare
];

export const GROUP_COUNT: number = OTHER_GROUP + 1;

/** The class of each UTF-16 unit, and the group of each class. */
export interface Classes {
  readonly classOf: Readonly<Uint8Array>;
  /** The last class is whatever no other names. */
  readonly groupOf: readonly number[];
  /** At most 128, so that a class fits into seven bits. */
  readonly count: number;
  /** The number of those of ASCII; they come first. */
  readonly ascii: number;
}

/** The classes; marks, trailing surrogates and Han characters fall into those that training found. */
export function characterClasses({ hanSingle, hanJoined, marks, trails }: Weights): Classes {
  const ascii = asciiClasses();
  const ranged: readonly (readonly number[])[] = [
    ...RANGE_CLASSES,
    ...marks.map((ranges) => [MARK, ...ranges]),
    ...trails.map((ranges) => [PAIRED, ...ranges]),
  ];
  const han: readonly CharacterClass[] = [
    [HAN, hanSingle],
    [HAN, hanJoined],
  ];
  const groupOf = [...[...ascii, ...ranged, ...han].map(([group = 0]) => group), OTHER_GROUP];
  const classOf = new Uint8Array(0x10000).fill(groupOf.length - 1);
  ranged.forEach(([, ...ranges], index) => {
    for (let i = 0; i < ranges.length; i += 2) {
      const [first = 0, last = 0] = ranges.slice(i, i + 2);
      classOf.fill(ascii.length + index, first, last + 1);
    }
  });
  const assign = (characters: string, index: number): void => {
    for (const character of characters) classOf[character.charCodeAt(0)] = index;
  };
  ascii.forEach(([, characters], index) => assign(characters, index));
  han.forEach(([, characters], index) => assign(characters, ascii.length + ranged.length + index));
  return { classOf, groupOf, count: groupOf.length, ascii: ascii.length };
}

function asciiClasses(): CharacterClass[] {
  const capitals = LETTERS.toUpperCase();
  return [
    ...BEFORE_LETTERS,
    ...[...LETTERS].map((letter): CharacterClass => [LOWER, letter]),
    ...[...capitals].map((letter): CharacterClass => [UPPER, letter]),
    ...SIGNS,
  ];
}

interface State {
  readonly group: number;
  /** 1 for the first unit of a run; the limit of the group stands for all later ones. */
  readonly position: number;
  /** The kind of run before it; forgotten at the last position. */
  readonly after: number;
}

const AFTER_OTHER = 0;
/** The kinds of runs before a run, by group; every other group is one. */
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

/** A run's memory of the run before it: in scripts only of spaces. */
function afterRun({ group: before, position }: State, group: number): number {
  const escape = before === BACKSLASH && position === 1;
  const after = escape ? AFTER_ESCAPE : (AFTER[before] ?? AFTER_OTHER);
  return LAST_POSITION[group] === undefined && after !== AFTER_SPACE ? AFTER_OTHER : after;
}

/** The walk from state to state. A state is the offset of its row in {@link next}. */
export interface States {
  /** The state that follows: entry `state + class`. Every state that a text can reach has a row. */
  readonly next: Readonly<Uint16Array>;
  readonly count: number;
  /** The state after a long run of each class. */
  readonly afterRun: Readonly<Uint16Array>;
}

export function runStates({ groupOf, count }: Classes): States {
  const next = nextStates(groupOf);
  const afterRun = Uint16Array.from({ length: count }, (_, unitClass) => {
    let state = 0;
    for (let i = 0; i < LONGEST_MEMORY; i++) state = next[state + unitClass] ?? 0;
    return state;
  });
  return { next, count: next.length / ROW, afterRun };
}

function nextStates(groupOf: readonly number[]): Uint16Array {
  const states: State[] = [START];
  const rows = new Map<string, number>([[keyOf(START), 0]]);
  const next: number[] = [];
  for (const state of states) {
    const byGroup: number[] = [];
    for (const group of new Set(groupOf)) {
      const following = advance(state, group);
      const row = rows.get(keyOf(following)) ?? states.push(following) - 1;
      rows.set(keyOf(following), row);
      byGroup[group] = row * ROW;
    }
    for (let unitClass = 0; unitClass < ROW; unitClass++) {
      next.push(byGroup[groupOf[unitClass] ?? OTHER_GROUP] ?? 0);
    }
  }
  return Uint16Array.from(next);
}

function keyOf(state: State): string {
  return `${state.group},${state.position},${state.after}`;
}
