/**
 * The classes of characters that the estimator tells apart: every UTF-16 unit has one. Letters are
 * grouped by how words are built from them, scripts by how tokenizers treat them. A class belongs
 * to a group; units of one group in a row make a run (a word, a number, a rule of signs).
 */
import { HAN_JOINED, HAN_SINGLE, MARK_RANGES, TRAIL_RANGES } from "./weights.ts";

/** Groups that {@link nextState} treats in their own way. Every other script is a group by itself. */
export const SPACE = 0;
export const LINE = 1;
export const TAB = 2;
export const DIGIT = 3;
export const LOWER = 4;
export const UPPER = 5;
export const SIGN = 6;
const HAN = 7;
/** Signs beyond ASCII: arrows, box drawing, typographic quotes, symbols. */
const MARK = 20;
/** Pairs of surrogates: emoji and rare scripts. */
const PAIRED = 21;
/** The backslash, since the letter behind it is no part of the word that follows. */
export const BACKSLASH = 22;
/** Of whatever no class names: control characters, rare scripts, private use. */
export const OTHER_GROUP = 23;

/** Classes of ASCII: the group, and the characters. */
const ASCII_CLASSES: readonly (readonly [group: number, characters: string])[] = [
  [SPACE, " "],
  [LINE, "\n"],
  [LINE, "\r"],
  [TAB, "\t"],
  [DIGIT, "0123456789"],
  ...[..."abcdefghijklmnopqrstuvwxyz"].map((letter) => [LOWER, letter] as const),
  ...[..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"].map((letter) => [UPPER, letter] as const),
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

/** Marks and trailing surrogates by what they cost, alone and after a space: found in training. */
const COST_CLASSES: readonly (readonly [group: number, ...ranges: number[]])[] = [
  ...MARK_RANGES.map((ranges) => [MARK, ...ranges] as const),
  ...TRAIL_RANGES.map((ranges) => [PAIRED, ...ranges] as const),
];

/** Han characters by what they cost; which they are was found in training. */
const HAN_CLASSES: readonly (readonly [group: number, characters: string])[] = [
  [HAN, HAN_SINGLE],
  [HAN, HAN_JOINED],
];

/** The group of each class; the last class is whatever no other names. */
export const GROUP_OF: readonly number[] = [
  ...[...ASCII_CLASSES, ...RANGE_CLASSES, ...COST_CLASSES, ...HAN_CLASSES].map(([group]) => group),
  OTHER_GROUP,
];

export const GROUP_COUNT: number = OTHER_GROUP + 1;

/** How many classes there are; at most 128, so that a class fits into seven bits. */
export const CLASS_COUNT: number = GROUP_OF.length;

/** The class of each UTF-16 unit. */
export const CLASS_OF: Readonly<Uint8Array> = buildClasses();

function buildClasses(): Uint8Array {
  const classes = new Uint8Array(0x10000).fill(CLASS_COUNT - 1);
  const ranged = [...RANGE_CLASSES, ...COST_CLASSES];
  ranged.forEach(([, ...ranges], index) => {
    for (let i = 0; i < ranges.length; i += 2) {
      const [first = 0, last = 0] = ranges.slice(i, i + 2);
      classes.fill(ASCII_CLASSES.length + index, first, last + 1);
    }
  });
  const assign = (characters: string, index: number): void => {
    for (const character of characters) classes[character.charCodeAt(0)] = index;
  };
  ASCII_CLASSES.forEach(([, characters], index) => assign(characters, index));
  const han = ASCII_CLASSES.length + ranged.length;
  HAN_CLASSES.forEach(([, characters], index) => assign(characters, han + index));
  return classes;
}
