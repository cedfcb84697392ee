import { bodyOf } from "./bodies.ts";
import type { Found } from "./data.ts";
import { holds } from "./holds.ts";
import { originalIn } from "./originals.ts";
import type { PageSource } from "./page-source.ts";

/** The messages of all conversations that hold a text, or whose originals do. */
export async function searchPages(source: PageSource, query: string): Promise<readonly Found[]> {
  const wanted = query.trim().toLowerCase();
  if (wanted === "") return [];
  const all: Found[] = [];
  for (const { id } of source.conversations()) {
    const page = source.page(id);
    if (page === undefined) continue;
    const hits = new Set(
      page.messages.flatMap((message, number) => (holds(bodyOf(message), wanted) ? [number] : [])),
    );
    for (const { handle, message } of page.data.originals) {
      if (hits.has(message)) continue;
      const text = await originalIn(source.originals, handle);
      if (text?.toLowerCase().includes(wanted) === true) hits.add(message);
    }
    all.push({ id, hits: [...hits].toSorted((one, other) => one - other) });
    // Whoever else asks gets a turn.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return all;
}
