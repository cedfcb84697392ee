/** The body of an answer as text in pieces; throws the error of `tooLarge` beyond a size. */
export async function* bodyText(
  { body }: Response,
  maxBytes: number,
  tooLarge: () => Error,
): AsyncGenerator<string> {
  if (body === null) return;
  const reader = body.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  const decoder = new TextDecoder();
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.byteLength;
      if (size > maxBytes) throw tooLarge();
      yield decoder.decode(value, { stream: true });
    }
    yield decoder.decode();
  } finally {
    // Also when the reader of the pieces has enough: the connection must not stay open.
    await reader.cancel().catch(() => undefined);
  }
}

/** The start of a body, as far as it comes. */
export async function startOfBody(response: Response, maxBytes: number): Promise<string> {
  let text = "";
  try {
    for await (const piece of bodyText(response, maxBytes, () => new Error("enough"))) {
      text += piece;
    }
  } catch {
    // What came is enough to say what went wrong.
  }
  return text;
}
