/** The fields of a model, as far as they stand on lines of their own. */
type Fields = Readonly<Record<string, string | undefined>>;

/**
 * The configuration of Continue, in YAML, with other addresses: `baseOf` says the `apiBase` of each model,
 * or `undefined` for one that stays. Only entries in block style are seen, as Continue writes them; all
 * other lines stay as they are.
 */
export function withApiBase(text: string, baseOf: (fields: Fields) => string | undefined): string {
  const lines = text.split("\n");
  const made = [...lines];
  const added = new Map<number, string>();
  for (const [at, line] of lines.entries()) {
    const start = /^ *- +(?=\w+:)/.exec(line)?.[0];
    if (start === undefined) continue;
    const item = itemAt(lines, at, start.length);
    const base = item.fields["provider"] === undefined ? undefined : baseOf(item.fields);
    if (base === undefined) continue;
    const field = `apiBase: ${JSON.stringify(base)}`;
    const own = item.places["apiBase"];
    if (own === undefined)
      added.set(item.places["provider"] ?? at, " ".repeat(start.length) + field);
    else made[own] = `${(lines[own] ?? "").slice(0, start.length)}${field}`;
  }
  return made
    .flatMap((line, at) => [line, ...(added.has(at) ? [added.get(at) ?? ""] : [])])
    .join("\n");
}

interface Item {
  readonly fields: Fields;
  /** The line of each. */
  readonly places: Readonly<Record<string, number>>;
}

/** The entry of a list that begins at a line, and whose fields begin at a column. */
function itemAt(lines: readonly string[], from: number, column: number): Item {
  const fields: Record<string, string> = {};
  const places: Record<string, number> = {};
  for (let at = from; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const indent = line.search(/[^ ]/);
    if (at > from && indent >= 0 && indent < column && line[indent] !== "#") break;
    const [, key, value = ""] = /^(\w+): *(.*?) *(?: #.*)?\r?$/.exec(line.slice(column)) ?? [];
    if (key === undefined || (at > from && indent !== column)) continue;
    fields[key] = value.replace(/^(["'])(.*)\1$/, "$2");
    places[key] = at;
  }
  return { fields, places };
}
