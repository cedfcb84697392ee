/** JSON with spaces, escapes and numbers that no serialiser would write so. */
export function oddly(value: unknown, seed: number): string {
  const space = [" ", "", "\n\t", "  "][seed % 4] ?? "";
  const next = seed + 1;
  if (Array.isArray(value)) {
    return `[${space}${value.map((one) => oddly(one, next)).join(`${space},`)}${space}]`;
  }
  if (typeof value === "object" && value !== null) {
    const fields = Object.entries(value).map(
      ([key, one]) => `${JSON.stringify(key)}${space}:${oddly(one, next)}`,
    );
    return `{${space}${fields.join(`,${space}`)}${space}}`;
  }
  if (typeof value === "number") return JSON.stringify(value).replace(/^(\d+)$/, "$1.0");
  const text = JSON.stringify(value);
  return typeof value === "string" && !text.includes("\\") ? text.replaceAll("a", "\\u0061") : text;
}
