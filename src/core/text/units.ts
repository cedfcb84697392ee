const DURATIONS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const SIZES = { "": 1, b: 1, k: 1e3, kb: 1e3, m: 1e6, mb: 1e6, g: 1e9, gb: 1e9, t: 1e12, tb: 1e12 };

/** A number times what its unit stands for; `undefined` for anything else. */
export function withUnit(
  text: string,
  units: Readonly<Record<string, number>>,
): number | undefined {
  const [, digits = "", unit = ""] = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text.trim()) ?? [];
  const factor = units[unit.toLowerCase()];
  return digits === "" || factor === undefined ? undefined : Math.round(Number(digits) * factor);
}

/** 90m, 12h, 7d, 2w, in ms. */
export function parseDuration(text: string): number | undefined {
  return withUnit(text, DURATIONS);
}

/** 500MB, 2GB, 1.5g, in bytes. */
export function parseSize(text: string): number | undefined {
  return withUnit(text, SIZES);
}
