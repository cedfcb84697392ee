import type { Area } from "../data.ts";

/** The names of areas that are no tools, each with a colour of its own in the style sheet. */
const KINDS = "outside system schemas rules summary injected user text reasoning file other".split(
  " ",
);

export function colourOf(areas: readonly Area[], area: number): string {
  return theme()[variableOf(areas, area)] ?? "#888";
}

/** The variable of the style sheet that has the colour of an area. */
export function variableOf(areas: readonly Area[], area: number): string {
  const { id = "" } = areas[area] ?? {};
  const kind = id.replace(/^kind /, "");
  if (id.startsWith("kind ") && KINDS.includes(kind)) return `a-${kind}`;
  if (id === "tools") return "a-tools";
  const first = areas.findIndex((one) => one.id.startsWith("tool "));
  return `a-tool-${area - first}`;
}

const NAMES = [
  ...KINDS.map((kind) => `a-${kind}`),
  ...Array.from({ length: 8 }, (_, tool) => `a-tool-${tool}`),
  "a-tools",
  ..."surface text muted line accent prune compact truncate limit hit font".split(" "),
];

let known: { readonly isDark: boolean; readonly values: Readonly<Record<string, string>> };

/** The colours of the style sheet, for the canvas. */
export function theme(): Readonly<Record<string, string>> {
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  if (known?.isDark === isDark) return known.values;
  const style = getComputedStyle(document.documentElement);
  const values = NAMES.map((name) => [name, style.getPropertyValue(`--${name}`).trim()] as const);
  known = { isDark, values: Object.fromEntries(values) };
  return known.values;
}
