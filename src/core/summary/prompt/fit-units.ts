import { type Message, splitUnits, type Unit } from "../../message/index.ts";
import type { CountTokens } from "../index.ts";
import { type Detail, DETAILS, headElements } from "./head-text.ts";

/** A unit as text and what it costs. */
export interface MeasuredUnit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
  readonly tokens: number;
}

/** Below this, a piece of text says nothing. */
const LEAST_UNITS = 16;

/** What a unit, and all of them together, may have. */
export interface UnitLimits {
  /** Of one unit; one that is larger is clipped further, until it fits. */
  readonly room: number;
  /** Of all; a unit that passes it is the last one. */
  readonly most: number;
  readonly count: CountTokens;
}

/**
 * The newest units of a conversation at a detail, oldest first: all, or as many as it takes to pass
 * what all may have together.
 */
export function newestUnits(
  messages: readonly Message[],
  detail: Detail,
  limits: UnitLimits,
): readonly MeasuredUnit[] {
  const found: MeasuredUnit[] = [];
  let tokens = 0;
  for (const unit of splitUnits(messages).toReversed()) {
    const measured = measuredUnit(messages, unit, { detail, limits });
    found.push(measured);
    tokens += measured.tokens;
    if (tokens > limits.most) break;
  }
  return found.toReversed();
}

/** The elements of units, one below the other. */
export function joinUnits(units: readonly MeasuredUnit[]): string {
  return units
    .map(({ text }) => text)
    .filter((text) => text !== "")
    .join("\n");
}

interface Measure {
  readonly detail: Detail;
  readonly limits: UnitLimits;
}

function measuredUnit(
  messages: readonly Message[],
  { from, to }: Unit,
  { detail, limits }: Measure,
): MeasuredUnit {
  const own = messages.slice(from, to);
  let elements: readonly string[] = [];
  for (const one of [detail, ...coarserThan(detail)]) {
    elements = headElements(own, one);
    const text = elements.join("\n");
    const tokens = text === "" ? 0 : limits.count(`${text}\n`);
    if (tokens <= limits.room) return { from, to, text, tokens };
  }
  return { from, to, ...bothEnds(elements, limits) };
}

/** The coarser details, and after them ever coarser ones. */
function* coarserThan(detail: Detail): Generator<Detail> {
  yield* DETAILS.slice(DETAILS.indexOf(detail) + 1);
  for (let last = DETAILS.at(-1); last !== undefined && last.user > LEAST_UNITS;) {
    last = {
      outputs: Math.floor(last.outputs / 2),
      inputs: 0,
      texts: Math.max(LEAST_UNITS, Math.floor(last.texts / 2)),
      user: Math.floor(last.user / 2),
    };
    yield last;
  }
}

/** As many elements as fit, from both ends, with a note in place of the others. */
export function bothEnds(
  elements: readonly string[],
  { room, count }: Pick<UnitLimits, "room" | "count">,
): { readonly text: string; readonly tokens: number } {
  for (let kept = elements.length; kept > 0; kept = Math.floor(kept * 0.8)) {
    const first = Math.ceil(kept / 4);
    const note = leftOutNote(elements.length - kept);
    const text = [
      ...elements.slice(0, first),
      ...(kept === elements.length ? [] : [note]),
      ...elements.slice(elements.length - (kept - first)),
    ].join("\n");
    const tokens = count(`${text}\n`);
    if (tokens <= room) return { text, tokens };
  }
  const text = leftOutNote(elements.length);
  return { text, tokens: count(`${text}\n`) };
}

function leftOutNote(pieces: number): string {
  return `[… ${pieces} pieces left out here; the known facts are about them too …]`;
}
