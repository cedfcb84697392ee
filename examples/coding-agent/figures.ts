import type pc from "picocolors";

const BAR = 12;
const FULL = 0.85;
const FILLING = 0.6;

export interface MeterStyle {
  readonly colors: ReturnType<typeof pc.createColors>;
  /** Whether there is room for the numbers of tokens. */
  readonly isWide: boolean;
}

/** How full the context is: a bar, tokens of what is usable, and per cent; and how wide all that is. */
export function meter(
  tokens: number,
  usable: number,
  { colors, isWide }: MeterStyle,
): { readonly text: string; readonly width: number } {
  const share = usable > 0 ? tokens / usable : 1;
  const filled = Math.min(BAR, Math.round(share * BAR));
  const color = share >= FULL ? colors.red : share >= FILLING ? colors.yellow : colors.green;
  const sizes = isWide ? `${count(tokens).padStart(7)}/${count(usable)}` : "";
  const percent = `${Math.round(share * 100)}%`.padStart(4);
  return {
    text: `${color("█".repeat(filled))}${colors.dim("░".repeat(BAR - filled))}${sizes} ${percent}`,
    width: BAR + sizes.length + 1 + percent.length,
  };
}

/** 1234567 → 1,234,567. */
export function count(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

/** Bytes: 950 B, 12.3 KB. */
export function size(bytes: number): string {
  return bytes < 1_000 ? `${bytes} B` : `${(bytes / 1_000).toFixed(1)} KB`;
}

/** A text in one line of at most `width` characters. */
export function clip(text: string, width: number): string {
  const units = [...text.replace(/[\s\p{Cc}]+/gu, " ").trim()];
  return units.length <= width ? units.join("") : `${units.slice(0, width - 1).join("")}…`;
}

/** A text in lines of at most `width` characters, broken between words; a longer word stays whole. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/** A size given by a person: 16000, 16k, 1m. `undefined` for anything else. */
export function parseTokens(text: string): number | undefined {
  const [, digits = "", unit = ""] = /^(\d+)([km]?)$/i.exec(text) ?? [];
  const factor = { "": 1, k: 1_000, m: 1_000_000 }[unit.toLowerCase()] ?? 1;
  return Number(digits) > 0 ? Number(digits) * factor : undefined;
}
