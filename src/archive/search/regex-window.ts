/*
 * What the bytes of a match must be, position by position, as far as the compiled expression fixes
 * it: of `(?i)(panic|fatal): \w+` the window has eight positions, p or f in either case, then a, …
 * Wherever the window is nowhere in a text, neither is a match, and looking for a window takes a
 * tenth of the time that the engine needs. It says nothing wrong about any match; it may be found
 * where there is none.
 */

/** For each position the bytes that can stand there: 256 numbers, 1 or 0. */
export type ByteWindow = readonly Uint8Array[];

/** As much of an instruction of the engine's program as is needed here. */
interface Instruction {
  readonly op: number;
  readonly out: number;
  readonly arg: number;
  readonly runes: ArrayLike<number>;
  matchRune(rune: number): boolean;
}

interface Program {
  readonly inst: readonly Instruction[];
  readonly start: number;
}

/** The engine's numbers for its instructions. */
const OP = { alt: 1, altMatch: 2, capture: 3, empty: 4, fail: 5, match: 6, nop: 7 } as const;
const [FIRST_RUNE, ANY_RUNE, LAST_RUNE] = [8, 10, 11];

/** Longer windows are not found sooner. */
const MOST_POSITIONS = 16;
/** For every instruction it is asked whether all matches pass it. */
const MOST_INSTRUCTIONS = 400;
/** With less, most lines have the window. */
const LEAST_BITS = 8;
const MOST_WINDOWS = 4;
const BYTES = 256;
const LINE_END = 10;
/** The two characters that an ASCII letter equals where case does not matter: ſ and the Kelvin sign. */
const FOLDED = [0x17f, 0x212a] as const;

/** A window and the instruction that reads its first byte, or with which the program starts. */
interface Place {
  readonly at: number;
  readonly window: ByteWindow;
}

/**
 * The windows of a program of the engine, the most telling one first: every match has all of them.
 * None where none says enough, or where the program is none that is known here.
 */
export function windowsOf(program: unknown): readonly ByteWindow[] {
  if (!isProgram(program)) return [];
  const placeAt = (at: number): Place => ({ at, window: withoutWideEnd(windowFrom(program, at)) });
  const places = [program.start, ...passedByAll(program)].map(placeAt);
  return places
    .filter(
      ({ at, window }) => isTelling(window) && !places.some((one) => follows(program, at, one)),
    )
    .map(({ window }) => window)
    .toSorted((a, b) => bitsOf(b) - bitsOf(a))
    .slice(0, MOST_WINDOWS);
}

function isTelling(window: ByteWindow): boolean {
  return window.length >= 2 && bitsOf(window) >= LEAST_BITS;
}

/** Whether a window is a part of another one's, because it begins one byte behind. */
function follows({ inst }: Program, at: number, other: Place): boolean {
  return (
    isTelling(other.window) &&
    other.at !== at &&
    inst[other.at]?.out === at &&
    (inst[other.at] as Instruction).op >= FIRST_RUNE
  );
}

function isProgram(value: unknown): value is Program {
  if (typeof value !== "object" || value === null) return false;
  const { inst, start } = value as Partial<Record<keyof Program, unknown>>;
  return Array.isArray(inst) && Number.isInteger(start) && inst.every(isInstruction);
}

function isInstruction(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { op, out, arg, runes, matchRune } = value as Partial<Record<keyof Instruction, unknown>>;
  const isKnown = typeof op === "number" && op >= OP.alt && op <= LAST_RUNE;
  const areNumbers = Number.isInteger(out) && Number.isInteger(arg);
  return isKnown && areNumbers && runes instanceof Int32Array && typeof matchRune === "function";
}

/** The instructions that read a character and that every match passes. */
function passedByAll({ inst, start }: Program): readonly number[] {
  if (inst.length > MOST_INSTRUCTIONS) return [];
  return inst.flatMap(({ op }, at) =>
    op >= FIRST_RUNE && at !== start && !canMatchWithout(inst, start, at) ? [at] : [],
  );
}

function canMatchWithout(inst: readonly Instruction[], start: number, without: number): boolean {
  const seen = new Set([without]);
  const open = [start];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (seen.has(at)) continue;
    seen.add(at);
    const { op, out, arg } = inst[at] as Instruction;
    if (op === OP.match) return true;
    if (op !== OP.fail) open.push(out);
    if (op === OP.alt || op === OP.altMatch) open.push(arg);
  }
  return false;
}

/** What can stand at each position from an instruction on. */
function windowFrom({ inst }: Program, start: number): ByteWindow {
  const window: Uint8Array[] = [];
  let states: readonly number[] = [start];
  while (window.length < MOST_POSITIONS) {
    const { reading, canEnd } = readingFrom(inst, states);
    if (canEnd || reading.length === 0) break;
    const bytes = new Uint8Array(BYTES);
    for (const each of reading) addBytes(each, bytes);
    window.push(bytes);
    // From a character of several bytes on, nobody knows at which position one is.
    if (bytes[BYTES - 1] === 1) break;
    states = reading.map(({ out }) => out);
  }
  return window;
}

/** The instructions that read the next character, and whether a match can end before it. */
function readingFrom(
  inst: readonly Instruction[],
  states: readonly number[],
): { reading: readonly Instruction[]; canEnd: boolean } {
  const seen = new Set<number>();
  const open = [...states];
  const reading: Instruction[] = [];
  let canEnd = false;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (seen.has(at)) continue;
    seen.add(at);
    const each = inst[at] as Instruction;
    if (each.op === OP.match) canEnd = true;
    else if (each.op >= FIRST_RUNE) reading.push(each);
    else if (each.op !== OP.fail) open.push(each.out);
    if (each.op === OP.alt || each.op === OP.altMatch) open.push(each.arg);
  }
  return { reading, canEnd };
}

/** A line that is searched has no line end. Beyond ASCII no byte is told from another. */
function addBytes(instruction: Instruction, bytes: Uint8Array): void {
  const isAny = instruction.op >= ANY_RUNE;
  const reads = (rune: number): boolean => isAny || instruction.matchRune(rune);
  const isWide = isAny || FOLDED.some(reads) || Array.from(instruction.runes).some(isBeyondAscii);
  for (let byte = 0; byte < 128; byte++) if (byte !== LINE_END && reads(byte)) bytes[byte] = 1;
  if (isWide) bytes.fill(1, 128);
}

function isBeyondAscii(rune: number): boolean {
  return rune > 127;
}

/** An end that almost anything fits makes the search slower and finds nothing. */
function withoutWideEnd(window: ByteWindow): ByteWindow {
  const last = window.findLastIndex((bytes) => sizeOf(bytes) <= BYTES / 4);
  return window.slice(0, last + 1);
}

/** How rarely a window is found: with 10 bits at every thousandth byte of a text. */
function bitsOf(window: ByteWindow): number {
  return window.reduce((sum, bytes) => sum - Math.log2(shareOf(bytes)), 0);
}

/** About how many bytes of logs and code are one of these. */
function shareOf(bytes: Uint8Array): number {
  const share = bytes.reduce((sum, isIn, byte) => sum + (isIn === 1 ? usualShare(byte) : 0), 0);
  return Math.min(1, Math.max(share, LEAST_SHARE));
}

const LEAST_SHARE = 0.001;

function usualShare(byte: number): number {
  const character = String.fromCharCode(byte);
  if (character === " ") return 0.12;
  if (/[a-z0-9]/.test(character)) return 0.02;
  return /[!-~\t]/.test(character) ? 0.006 : LEAST_SHARE;
}

function sizeOf(bytes: Uint8Array): number {
  return bytes.reduce((sum, each) => sum + each, 0);
}
