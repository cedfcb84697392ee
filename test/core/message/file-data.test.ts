import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createContext } from "../../../src/context/index.ts";
import { fileBytes, fileData, linesOf, type Message } from "../../../src/core/message/index.ts";
import { anthropic, openaiChat, openaiResponses, aiSdk } from "../../../src/dialects/index.ts";
import type { Dialect } from "../../../src/dialects/dialect.ts";
import { quarter, user, words } from "../../build-messages.ts";

const bytes = fc.uint8Array({ maxLength: 7_000 });

describe("fileData", () => {
  it("is the base64 of bytes, however they are held", () => {
    fc.assert(
      fc.property(bytes, (content) => {
        const expected = Buffer.from(content).toString("base64");
        for (const data of [content, content.buffer.slice(0), Buffer.from(content), expected]) {
          expect(fileData({ data })).toBe(expected);
        }
        expect(fileBytes({ data: content })).toBe(content.length);
      }),
    );
  });
});

describe("a file whose data are bytes", () => {
  const data = Buffer.from(words(100));
  const shown = data.toString("base64");
  const message = (content: string | Uint8Array): Message => ({
    role: "user",
    parts: [
      { type: "text", text: "look" },
      { type: "file", mediaType: "image/png", data: content },
    ],
  });

  it("is archived, encoded and counted as one whose data are base64", async () => {
    expect(linesOf([message(data)])).toEqual(linesOf([message(shown)]));
    for (const { encode } of [anthropic, openaiChat, openaiResponses, aiSdk] as Dialect[]) {
      expect(JSON.stringify(encode([message(data)]))).toBe(
        JSON.stringify(encode([message(shown)])),
      );
    }
    const prepared = async (content: string | Uint8Array) => {
      const context = createContext({ window: 4_000, counter: quarter, now: () => 0 });
      const list = [user("go"), message(content), user(words(3_000))];
      const { messages } = await context.prepare(list);
      const handles = (await context.archive.list()).map(({ handle }) => handle).sort();
      const archived = await Promise.all(handles.map((handle) => context.recall(handle)));
      expect(archived).toHaveLength(2);
      return { messages, archived };
    };
    expect(await prepared(data)).toEqual(await prepared(shown));
  });

  it("is the same object when there is room", async () => {
    const list = [message(data)];
    expect((await createContext({ window: 4_000 }).prepare(list)).messages).toBe(list);
  });
});
