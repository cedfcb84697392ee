import { localTime, tokens } from "../../core/text/figures.ts";

/** Tokens, short, and without a decimal that says nothing: 950, 12k, 1.2M. */
export function short(value: number): string {
  return tokens(value).replace(".0", "");
}

/** 10:44. */
export function clock(time: number): string {
  return localTime(time).slice(11);
}

/** The size of text against a screen of usual size: large ones have a larger base. */
export function textScale(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / BASE_PIXELS;
}

const BASE_PIXELS = 15;
