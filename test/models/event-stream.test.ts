import fc from "fast-check";
import { expect, it } from "vitest";
import { sseData } from "../../src/models/http.ts";

async function dataOf(pieces: readonly string[]): Promise<string[]> {
  async function* source(): AsyncGenerator<string> {
    yield* pieces;
  }
  const found: string[] = [];
  for await (const data of sseData(source())) found.push(data);
  return found;
}

/** A text cut at these places. */
function cutAt(text: string, cuts: readonly number[]): string[] {
  const places = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b);
  return [0, ...places].map((from, index) => text.slice(from, places[index] ?? text.length));
}

it.each([
  ["names, ids and comments", ': hi\nevent: a\nid: 1\nretry: 2\ndata: {"a":1}\n\n', ['{"a":1}']],
  ["several lines", "data: a\ndata: b\n\n", ["a\nb"]],
  ["no blank after the colon", "data:a\n\ndata:  b\n\n", ["a", " b"]],
  ["an event without data", "event: ping\n\n\n\n", []],
  ["no blank line at the end", "data: a\n\ndata: b", ["a", "b"]],
  ["lone CR", "data: a\r\rdata: b\r\r", ["a", "b"]],
  ["other fields that begin so", "database: a\n\n", []],
])("takes %s", async (_, text, expected) => {
  expect(await dataOf([text])).toEqual(expected);
});

it("gives the same data however the stream is cut", async () => {
  const events = fc.array(fc.stringMatching(/^[^\r\n]{1,20}$/), { minLength: 1, maxLength: 6 });
  const newline = fc.constantFrom("\n", "\r\n", "\r");
  await fc.assert(
    fc.asyncProperty(events, newline, fc.array(fc.nat()), async (data, end, cuts) => {
      const text = data.map((one) => `event: x${end}data: ${one}${end}${end}`).join("");
      expect(await dataOf(cutAt(text, cuts))).toEqual(data);
    }),
  );
});
