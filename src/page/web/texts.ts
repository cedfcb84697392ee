import type { PageBody, PageData } from "../data.ts";
import type { Source } from "./source.ts";

/** The texts of messages, loaded piece by piece and kept. */
export interface Texts {
  /** At once if they are there, else later. */
  of(message: number): PageBody | Promise<PageBody>;
  /** The messages whose texts hold a word, in any case; calls back with those found so far. */
  search(query: string, found: (hits: readonly number[], isDone: boolean) => void): () => void;
}

export function createTexts(source: Source, id: string, data: PageData): Texts {
  const { perPiece, messages } = data;
  const pieces = new Map<number, readonly PageBody[]>();
  const load = async (piece: number): Promise<readonly PageBody[]> => {
    const known = pieces.get(piece);
    if (known !== undefined) return known;
    const loaded = await source.piece(id, piece);
    pieces.set(piece, loaded);
    return loaded;
  };
  return {
    of(message) {
      const piece = Math.floor(message / perPiece);
      const known = pieces.get(piece)?.[message % perPiece];
      return known ?? load(piece).then((bodies) => bodies[message % perPiece] ?? []);
    },
    search(query, found) {
      const stop = new AbortController();
      const wanted = query.toLowerCase();
      const run = async (): Promise<void> => {
        const hits: number[] = [];
        for (
          let piece = 0;
          piece * perPiece < messages.length && !stop.signal.aborted;
          piece += 1
        ) {
          const bodies = await load(piece);
          bodies.forEach((body, at) => {
            if (holds(body, wanted)) hits.push(piece * perPiece + at);
          });
          // Others get their turn, and the person sees what was found.
          if (piece % 10 === 9) await new Promise((resolve) => setTimeout(resolve));
          if (!stop.signal.aborted && piece % 10 === 9) found([...hits], false);
        }
        if (!stop.signal.aborted) found(hits, true);
      };
      run().catch(() => found([], true));
      return () => stop.abort();
    },
  };
}

function holds(body: PageBody, wanted: string): boolean {
  return body.some(({ text, tool = "" }) => {
    return text.toLowerCase().includes(wanted) || tool.toLowerCase().includes(wanted);
  });
}
