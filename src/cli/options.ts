import { InvalidArgumentError } from "commander";
import { parseDuration, parseSize, withUnit } from "../core/text/units.ts";
import { MAX_FACTOR, MIN_FACTOR } from "../core/tokens/calibrate.ts";

/*
 * Values of options as a person types them, or advice. Each takes the text and throws
 * commander's error for anything else.
 */

function checked<T>(value: T | undefined, advice: string): T {
  if (value === undefined) throw new InvalidArgumentError(advice);
  return value;
}

/** 128000, 128k, 1m; also with `,` or `_` between digits. */
export function tokensOption(text: string): number {
  const value = withUnit(text.replaceAll(/(?<=\d)[,_](?=\d)/g, ""), { "": 1, k: 1e3, m: 1e6 });
  return checked(value || undefined, "Give a number of tokens such as 200000, 128k or 1m.");
}

/** A name that is not empty. */
export function nameOption(text: string): string {
  return checked(text.trim() || undefined, "Give a name.");
}

/** A schema of a database, as one can be named without quotes. */
export function schemaOption(text: string): string {
  const name = /^[a-z_][a-z0-9_]{0,50}$/.exec(text)?.[0];
  return checked(name, "Give a plain name in lower case, up to 51 characters.");
}

/** 90m, 12h, 7d, 2w, in ms. */
export function durationOption(text: string): number {
  return checked(parseDuration(text), "Give a time such as 12h, 7d or 2w.");
}

/** A time ago (7d, 12h) or a day (2026-11-20, from its local midnight on), in ms since the epoch. */
export function sinceOption(text: string): number {
  const ago = parseDuration(text);
  if (ago !== undefined) return Date.now() - ago;
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00` : text;
  const time = /^\d{4}-/.test(day) ? Date.parse(day) : Number.NaN;
  const advice = "Give a time ago such as 7d or 12h, or a day such as 2026-11-20.";
  return checked(Number.isNaN(time) ? undefined : time, advice);
}

export function sizeOption(text: string): number {
  return checked(parseSize(text), "Give a size such as 500MB or 2GB.");
}

/** 10-200, or 10- for "to the end". */
export function rangeOption(text: string): readonly [number, number] {
  const [, from, to] = /^(\d+)-(\d*)$/.exec(text.trim()) ?? [];
  const range = [Number(from), to === "" ? Infinity : Number(to)] as const;
  const advice = "Give two numbers such as 120-180, or 120- for all that follows.";
  return checked(from === undefined ? undefined : range, advice);
}

export function numberOption(text: string): number {
  return checked(whole(text) || undefined, "Give a whole number from 1 on.");
}

export function wholeOption(text: string): number {
  return checked(whole(text), "Give a whole number from 0 on.");
}

function whole(text: string): number | undefined {
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

function between(text: string, least: number, most: number): number | undefined {
  const value = Number(text);
  return value >= least && value <= most ? value : undefined;
}

export function factorOption(text: string): number {
  const advice = `Give a number from ${MIN_FACTOR} to ${MAX_FACTOR} such as 1.3.`;
  return checked(between(text, MIN_FACTOR, MAX_FACTOR), advice);
}

/** The longest that a timer can wait. */
const MOST_SECONDS = 2_147_483;

export function secondsOption(text: string): number {
  const value = between(text, Number.MIN_VALUE, MOST_SECONDS);
  return checked(value, "Give a number of seconds such as 30 or 0.5.");
}

export function millisecondsOption(text: string): number {
  const value = whole(text) && between(text, 1, MOST_SECONDS * 1_000);
  return checked(value || undefined, "Give a whole number of milliseconds such as 30000.");
}
