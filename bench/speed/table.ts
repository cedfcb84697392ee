/** Markdown tables, printed and kept. */
import { mkdirSync, writeFileSync } from "node:fs";

export function markdownTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const rule = header.map((_, index) => (index === 0 ? "---" : "---:"));
  return [line(header), line(rule), ...rows.map(line)].join("\n");
}

/** Prints a text and writes it to `bench/results/`. */
export function publish(name: string, text: string): void {
  const folder = new URL("../results/", import.meta.url);
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL(`${name}.md`, folder), `${text}\n`);
  process.stdout.write(`${text}\n`);
}

/** Three digits that matter. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return "-";
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return Number(value.toFixed(digits)).toLocaleString("en-US");
}
