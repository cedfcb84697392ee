/**
 * The data of server-sent events, from text in pieces. Names, ids and comments are left out: both
 * protocols say in the data what kind of event it is.
 */
export async function* sseData(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = "";
  let data: string[] = [];
  for await (const piece of pieces) {
    // A CR at the end of a piece may be half of a CRLF.
    const lines = (rest + piece).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line.startsWith("data:")) data.push(line.slice("data:".length).replace(/^ /, ""));
      if (line !== "" || data.length === 0) continue;
      yield data.join("\n");
      data = [];
    }
  }
  // Some servers leave out the blank line after the last event.
  const last = rest.replace(/\r$/, "");
  if (last.startsWith("data:")) data.push(last.slice("data:".length).replace(/^ /, ""));
  if (data.length > 0) yield data.join("\n");
}
