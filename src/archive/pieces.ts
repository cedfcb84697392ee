/** A large text is worked on in pieces, whose bytes stay in the processor's cache. */
const PIECE_UNITS = 65_536;

/** The pieces of a text in order; none ends within a code point. */
export function* piecesOf(text: string): Generator<string> {
  if (text.length <= PIECE_UNITS) {
    yield text;
    return;
  }
  for (let from = 0; from < text.length;) {
    const to = wholeEnd(text, from + PIECE_UNITS);
    yield text.slice(from, to);
    from = to;
  }
}

/** The end of a piece, moved so that it does not split a code point. */
function wholeEnd(text: string, at: number): number {
  if (at >= text.length) return text.length;
  return (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 ? at - 1 : at;
}
