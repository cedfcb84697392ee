import { createParser } from "eventsource-parser";

/**
 * The data of server-sent events, from text in pieces. Names, ids and comments are left out: both
 * protocols say in the data what kind of event it is.
 */
export async function* sseData(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  const found: string[] = [];
  const parser = createParser({ onEvent: ({ data }) => void found.push(data) });
  for await (const piece of pieces) {
    parser.feed(piece);
    yield* found.splice(0);
  }
  // Some servers leave out the blank line after the last event.
  parser.feed("\n\n");
  yield* found.splice(0);
}
