/** Figures as people read them, on the command line and on the page; pure. */

/** 1234567 → 1,234,567. (`toLocaleString` would load the tables of all languages first.) */
export function count(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** Tokens, short: 950, 12.3k, 1.2M. */
export function tokens(value: number): string {
  if (value < 1_000) return String(Math.round(value));
  const [unit, name] = value < 1_000_000 ? [1_000, "k"] : [1_000_000, "M"];
  return `${(value / unit).toFixed(value < unit * 100 ? 1 : 0)}${name}`;
}

/** Bytes, short: 950 B, 12.3 KB, 1.2 MB. */
export function bytes(value: number): string {
  if (value < 1_000) return `${value} B`;
  const [unit, name] =
    value < 1e6 ? [1e3, "KB"] : value < 1e9 ? [1e6, "MB"] : ([1e9, "GB"] as const);
  return `${(value / unit).toFixed(1)} ${name}`;
}

/** A share of a whole; something is never nothing. */
export function percent(part: number, whole: number): string {
  if (whole <= 0) return "–";
  const share = (part / whole) * 100;
  return part > 0 && share < 0.5 ? "<1 %" : `${Math.round(share)} %`;
}

/** US dollars, short: $0.04, $12.30, $1,234. */
export function money(dollars: number): string {
  if (dollars > 0 && dollars < 0.01) return "<$0.01";
  return dollars >= 1_000 ? `$${count(dollars)}` : `$${dollars.toFixed(2)}`;
}

/** One thing or several: `plural(2, "message")` → `2 messages`. */
export function plural(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

/** The day of a time (ms since the epoch) in the local time zone: 2026-11-20. */
export function localDay(time: number): string {
  const date = new Date(time);
  return [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join("-");
}

/** The same with the time of day: 2026-11-20 10:44. */
export function localTime(time: number): string {
  const date = new Date(time);
  return `${localDay(time)} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}
