import { InvalidArgumentError } from "commander";
import { MAX_FACTOR, MIN_FACTOR } from "../core/tokens/calibrate.ts";
import { parseTokens } from "./figures.ts";

export function tokensOption(text: string): number {
  const value = parseTokens(text);
  if (value === undefined)
    throw new InvalidArgumentError("Give a number of tokens such as 200000, 128k or 1m.");
  return value;
}

export function numberOption(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError("Give a whole number from 1 on.");
  return Number(text);
}

export function factorOption(text: string): number {
  const value = Number(text);
  if (!(value >= MIN_FACTOR && value <= MAX_FACTOR)) {
    throw new InvalidArgumentError(
      `Give a number from ${MIN_FACTOR} to ${MAX_FACTOR} such as 1.3.`,
    );
  }
  return value;
}

export function secondsOption(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= MOST_SECONDS)) {
    throw new InvalidArgumentError("Give a number of seconds such as 30 or 0.5.");
  }
  return value;
}

export function millisecondsOption(text: string): number {
  const value = Number(text);
  if (!(Number.isInteger(value) && value > 0 && value <= MOST_SECONDS * 1_000)) {
    throw new InvalidArgumentError("Give a whole number of milliseconds such as 30000.");
  }
  return value;
}

/** The longest that a timer can wait. */
const MOST_SECONDS = 2_147_483;

export function wholeOption(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError("Give a whole number from 0 on.");
  return Number(text);
}

/** The value of an option, or advice for whoever typed something else. */
export function parsed<T>(value: T | undefined, advice: string): T {
  if (value === undefined) throw new InvalidArgumentError(advice);
  return value;
}
