import { type Found, holds, type PageBody, type PageData } from "../data.ts";
import type { Source } from "./source.ts";

export interface Finding {
  readonly hits: readonly number[];
  /** The share of the texts that was looked through; 1 at the end. */
  readonly share: number;
  /** Of all conversations, where there are several. */
  readonly everywhere?: readonly Found[];
}

export type Texts = ReturnType<typeof createTexts>;

/** The texts of messages, loaded piece by piece and kept. */
export function createTexts(source: Source, id: string, data: PageData) {
  const { perPiece, messages } = data;
  const pieces = new Map<number, readonly PageBody[]>();
  const known = new Set(data.originals.map(({ handle }) => handle));
  const load = async (piece: number): Promise<readonly PageBody[]> => {
    const there = pieces.get(piece);
    if (there !== undefined) return there;
    const loaded = await source.piece(id, piece);
    pieces.set(piece, loaded);
    return loaded;
  };
  /** Every ten pieces others get their turn, and the person sees what was found. */
  const look = async (
    wanted: string,
    found: (finding: Finding) => void,
    { signal }: AbortController,
  ): Promise<void> => {
    const hits: number[] = [];
    const all = Math.ceil(messages.length / perPiece);
    for (let piece = 0; piece < all && !signal.aborted; piece += 1) {
      (await load(piece)).forEach((body, at) => {
        if (holds(body, wanted)) hits.push(piece * perPiece + at);
      });
      if (piece % 10 !== 9) continue;
      await new Promise((resolve) => setTimeout(resolve));
      if (!signal.aborted) found({ hits: [...hits], share: piece / all });
    }
    for (const { handle, message } of data.originals) {
      if (signal.aborted || hits.includes(message)) continue;
      const text = await source.original(id, handle);
      if (text?.toLowerCase().includes(wanted) === true) hits.push(message);
    }
    hits.sort((one, other) => one - other);
    if (!signal.aborted) found({ hits, share: 1 });
  };
  return {
    /** At once if they are there, else later. */
    of(message: number): PageBody | Promise<PageBody> {
      const piece = Math.floor(message / perPiece);
      const there = pieces.get(piece)?.[message % perPiece];
      return there ?? load(piece).then((bodies) => bodies[message % perPiece] ?? []);
    },
    /** An original of the archive; absent for one that the archive is not known to have. */
    original: (handle: string) =>
      known.has(handle) ? () => source.original(id, handle) : undefined,
    /** The messages whose texts or originals hold a word, in any case. */
    search(query: string, found: (finding: Finding) => void): () => void {
      const stop = new AbortController();
      const run = async (): Promise<void> => {
        if (source.search === undefined) return look(query.toLowerCase(), found, stop);
        const everywhere = await source.search(query);
        const { hits = [] } = everywhere.find((one) => one.id === id) ?? {};
        if (!stop.signal.aborted) found({ hits, share: 1, everywhere });
      };
      run().catch(() => {
        if (!stop.signal.aborted) found({ hits: [], share: 1 });
      });
      return () => stop.abort();
    },
  };
}
