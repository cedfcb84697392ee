/** Figures as people read them; the same as on the command line. */

/** 1234567 → 1,234,567. */
export function count(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** Tokens, short: 950, 12.3k, 1.2M. */
export function short(value: number): string {
  if (value < 1_000) return String(Math.round(value));
  const [unit, name] = value < 1_000_000 ? [1_000, "k"] : [1_000_000, "M"];
  return `${(value / unit).toFixed(value < unit * 100 ? 1 : 0).replace(/\.0$/, "")}${name}`;
}

export function percent(part: number, whole: number): string {
  if (whole <= 0) return "–";
  const share = (part / whole) * 100;
  return part > 0 && share < 0.5 ? "<1 %" : `${Math.round(share)} %`;
}

/** US dollars. */
export function money(dollars: number): string {
  if (dollars > 0 && dollars < 0.01) return "<$0.01";
  return dollars >= 1_000 ? `$${count(dollars)}` : `$${dollars.toFixed(2)}`;
}

export function plural(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

/** 2026-11-20 10:44, in the local time zone. */
export function localTime(time: number): string {
  const date = new Date(time);
  const two = (value: number): string => String(value).padStart(2, "0");
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join("-");
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
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
