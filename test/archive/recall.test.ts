import { generateText, stepCountIs, type ToolSet } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import type { JSONSchema } from "openai/lib/jsonschema";
import { toStrictJsonSchema } from "openai/lib/transform";
import { describe, expect, it } from "vitest";
import {
  type Archive,
  memoryArchive,
  type Recalled,
  type RecallOptions,
  recallBytes,
  recalledText,
  recallRange,
  recallTools,
} from "../../src/archive/index.ts";
import { isTruncated, truncateText } from "../../src/core/truncate/index.ts";

async function holding(content: string): Promise<{ archive: Archive; handle: string }> {
  const archive = memoryArchive();
  return { archive, handle: (await archive.put("out", content)).handle };
}

const NUMBERED = Array.from({ length: 5_000 }, (_, index) => `line ${index + 1}\n`).join("");

describe("recallRange", () => {
  it("gives the start of what is large, and says what to ask for next", async () => {
    const { archive, handle } = await holding(NUMBERED);
    const first = await recallRange(archive, handle);
    expect(first).toMatchObject({
      total: { lines: 5_000, bytes: NUMBERED.length },
      shown: { lines: [1, 1_900] },
      next: { lines: [1_901, 3_800] },
    });
    const second = await recallRange(archive, handle, first.next);
    const third = await recallRange(archive, handle, second.next ?? { lines: [3_801, 5_000] });
    expect(first.text + second.text + third.text).toBe(NUMBERED);
    expect(third.next).toBeUndefined();
  });

  it("takes an undefined limit for none that was given", async () => {
    const { archive, handle } = await holding(NUMBERED);
    const none = { maxLines: undefined, maxBytes: undefined };
    expect(await recallRange(archive, handle, none)).toEqual(await recallRange(archive, handle));
  });

  it.each([
    [undefined, "x".repeat(200_000)],
    [[2, 3] as const, `first\n${"é".repeat(90_000)}\nthird\n`],
  ])("goes on to the end of a long line that was asked for by lines %j", async (lines, content) => {
    const { archive, handle } = await holding(content);
    let text = "";
    let asked: RecallOptions | undefined = lines === undefined ? {} : { lines };
    while (asked !== undefined) {
      const part: Recalled = await recallRange(archive, handle, asked);
      text += part.text;
      asked = part.next;
    }
    expect(text).toBe(lines === undefined ? content : content.split(/(?<=\n)/)[1]);
  });

  it("follows one line of 300 kB by bytes, without ever splitting a character", async () => {
    const line = "é😀".repeat(50_000);
    const { archive, handle } = await holding(line);
    let part = await recallRange(archive, handle);
    let all = part.text;
    while (part.next !== undefined) {
      const end = Buffer.byteLength(line);
      part = await recallRange(archive, handle, { bytes: [part.shown.bytes[1], end] });
      all += part.text;
    }
    expect(all === line).toBe(true);
  });

  it("moves the ends of a range of bytes to whole characters", async () => {
    const { archive, handle } = await holding("aé😀b");
    expect((await recallRange(archive, handle, { bytes: [2, 5] })).text).toBe("");
    expect((await recallRange(archive, handle, { bytes: [1, 7] })).text).toBe("é😀");
    expect((await recallRange(archive, handle, { bytes: [2, 8] })).shown.bytes).toEqual([3, 8]);
  });

  it("gives lines without an end, empty lines, and nothing of an empty original", async () => {
    const { archive, handle } = await holding("\n\nlast");
    expect((await recallRange(archive, handle, { lines: [2, 9] })).text).toBe("\nlast");
    const empty = await archive.put("out", "");
    expect(await recallRange(archive, empty.handle)).toMatchObject({
      text: "",
      total: { lines: 0 },
    });
  });

  it.each([
    [{ lines: [0, 5] }, "Lines count from 1"],
    [{ lines: [5, 4] }, "Lines count from 1"],
    [{ bytes: [3, 3] }, "Bytes count from 0"],
    [{ bytes: [-1, 3] }, "Bytes count from 0"],
    [{ lines: [1, 2], bytes: [1, 2] }, "not for both"],
    [{ lines: [9, 10] }, "has 2 lines"],
    [{ lines: [1e18, Infinity] }, "has 2 lines"],
    [{ bytes: [90, 100] }, "has 8 bytes"],
    [{ maxLines: 0 }, "At least 1 line"],
    [{ maxLines: NaN }, "At least 1 line"],
    [{ maxBytes: 3 }, "and 4 bytes"],
  ] as const)("refuses %j", async (options, why) => {
    const { archive, handle } = await holding("one\ntwo\n");
    await expect(recallRange(archive, handle, options)).rejects.toMatchObject({
      code: "invalid-options",
      message: expect.stringContaining(why) as string,
    });
  });

  it("refuses what is no range, and takes any end", async () => {
    const { archive, handle } = await holding("one\ntwo\n");
    for (const lines of [5, "1-2", {}, [1], [1, 2, 3], ["1", "2"]]) {
      const options = { lines } as unknown as RecallOptions;
      await expect(recallRange(archive, handle, options)).rejects.toMatchObject({
        code: "invalid-options",
      });
    }
    const { text } = await recallRange(archive, handle, { lines: [2, 1e18] });
    expect(text).toBe("two\n");
  });

  it("has no limits for a person's terminal", async () => {
    const { archive, handle } = await holding(NUMBERED.repeat(40));
    const pieces: Uint8Array[] = [];
    for await (const piece of recallBytes(archive, handle, { lines: [2, 190_000] }))
      pieces.push(piece);
    const lines = Buffer.concat(pieces).toString().split("\n");
    expect([lines[0], lines.at(-2), lines.length]).toEqual(["line 2", "line 5000", 190_000]);
  });

  it.each([{ bytes: [5, 9] }, { bytes: [500, Infinity] }, { lines: [3, 9] }] as const)(
    "refuses what is behind the end: %j",
    async (range) => {
      const { archive, handle } = await holding("a\nbc\n");
      const refused = { code: "invalid-options" };
      await expect(recallBytes(archive, handle, range).next()).rejects.toMatchObject(refused);
      await expect(recallRange(archive, handle, range)).rejects.toMatchObject(refused);
    },
  );
});

describe("what an agent gets", () => {
  it("stays below the limits of truncation and is left alone by it", async () => {
    const { archive, handle } = await holding(`${"wide ".repeat(200)}\n`.repeat(5_000));
    const text = recalledText(await recallRange(archive, handle));
    expect(Buffer.byteLength(text)).toBeLessThan(50_000);
    expect(truncateText(text).isTruncated).toBe(false);
    expect(isTruncated(text)).toBe(true);
  });
});

describe("what is no plain text", () => {
  async function holdingBytes(bytes: Uint8Array): Promise<{ archive: Archive; handle: string }> {
    const archive: Archive = {
      ...memoryArchive(),
      read: async () => ({
        bytes: bytes.length,
        async read(from, into) {
          const piece = bytes.subarray(from, from + into.length);
          into.set(piece);
          return piece.length;
        },
        async close() {},
      }),
    };
    return { archive, handle: "run_0123456789abcdef" };
  }

  it.each([
    ["no UTF-8", 0xff],
    ["NULs", 0],
    ["escapes", 0x1b],
  ])(
    "(%s) stays below the limits as well, and comes back whole piece by piece",
    async (_, byte) => {
      const bytes = Buffer.alloc(300_000, byte);
      for (let at = 99; at < bytes.length; at += 1_000) bytes[at] = 10;
      const { archive, handle } = await holdingBytes(bytes);
      for (const asked of [{}, { lines: [2, 300] as const }, { bytes: [1, 299_999] as const }]) {
        const part = await recallRange(archive, handle, asked);
        const text = recalledText(part);
        expect(Buffer.byteLength(text)).toBeLessThan(50_000);
        expect(Buffer.byteLength(part.text)).toBeLessThanOrEqual(48_000);
        expect(truncateText(text).isTruncated).toBe(false);
        // oxlint-disable-next-line no-control-regex
        expect(text).not.toMatch(/[\0-\x08\x0b-\x1f]/);
      }
      let [covered, pieces] = [0, 0];
      for (let next: RecallOptions | undefined = { bytes: [0, bytes.length] }; next; pieces++) {
        const part: Recalled = await recallRange(archive, handle, next);
        expect(part.shown.bytes[0]).toBe(covered);
        covered = part.shown.bytes[1];
        next = part.next;
      }
      expect(covered).toBe(bytes.length);
      expect(pieces).toBeGreaterThan(6);
    },
  );

  it("keeps the bytes it can show, and says what it changed", async () => {
    const { archive, handle } = await holding("a\0b\r\n\tc\x1b[31m");
    const part = await recallRange(archive, handle);
    expect(part.text).toBe("a\0b\r\n\tc\x1b[31m");
    expect(recalledText(part)).toContain("a␀b\r\n\tc␛[31m\n<archive-result");
    expect(recalledText(part)).toContain("shown as symbols");
    expect(recalledText(await recallRange(archive, handle, { lines: [2, 2] }))).toContain("␛");
  });

  it("is nothing of an empty original, whatever was asked for", async () => {
    const { archive, handle } = await holding("");
    for (const asked of [{}, { lines: [2, 3] as const }, { bytes: [10, 20] as const }]) {
      const part = await recallRange(archive, handle, asked);
      expect(part).toMatchObject({ text: "", shown: { bytes: [0, 0] } });
      expect(recalledText(part)).toContain("Above is the whole");
    }
  });
});

describe("recallTools", () => {
  it("answer what went wrong in a way that ends the asking", async () => {
    const { recall, search_archive: search } = recallTools(memoryArchive());
    expect(await recall.execute({ handle: "out_0123456789abcdef" })).toContain(
      "Asking again will not",
    );
    expect(await recall.execute({ handle: "../../etc/passwd" })).toContain("do not guess");
    expect(await search.execute({ pattern: "(", regex: true })).toContain("RE2");
  });

  it("never reject, whatever an archive of somebody else throws", async () => {
    const broken = (): never => {
      throw new Error("The bucket is gone.");
    };
    const tools = recallTools({ ...memoryArchive(), get: broken, list: broken });
    expect(await tools.recall.execute({ handle: "out_0123456789abcdef" })).toBe(
      "The bucket is gone.",
    );
    expect(await tools.search_archive.execute({ pattern: "a" })).toBe("The bucket is gone.");
  });

  it("have plain JSON Schema, which checks what comes in", async () => {
    const { recall } = recallTools(memoryArchive());
    expect(JSON.parse(JSON.stringify(recall.inputSchema))).toMatchObject({
      type: "object",
      properties: { handle: { type: "string" }, lines: { type: "array" } },
    });
    const { validate } = recall.inputSchema["~standard"];
    expect(validate({ handle: "x", lines: [1, 2] })).toHaveProperty("value");
    for (const wrong of [null, {}, { handle: 1 }, { handle: null }, { handle: "x", path: "/" }]) {
      expect(validate(wrong)).toHaveProperty("issues");
    }
  });

  it("are good for strict mode, and ask for one type only, as Gemini wants it", () => {
    const schemas = Object.values(recallTools(memoryArchive())).map(
      ({ inputSchema }) => JSON.parse(JSON.stringify(inputSchema)) as JSONSchema,
    );
    for (const schema of schemas) {
      expect(toStrictJsonSchema(schema)).toEqual(schema);
      expect(schema.required).toEqual(Object.keys(schema.properties!));
      for (const property of Object.values(schema.properties!)) {
        expect(property).toEqual({
          type: expect.any(String),
          description: expect.any(String),
          ...((property as JSONSchema).type === "array" && { items: { type: "integer" } }),
        });
      }
    }
  });

  it("take what is not needed for nothing, left out or filled in", async () => {
    const { archive, handle } = await holding("one\ntwo\nthree\n");
    const { recall, search_archive: search } = recallTools(archive);
    const whole = await recall.execute({ handle });
    expect(whole).toContain("three\n<archive-result");
    for (const nothing of [null, [], [0, 0]] as const) {
      expect(await recall.execute({ handle, lines: nothing, bytes: nothing })).toBe(whole);
      expect(await recall.execute({ handle, lines: [2, 2], bytes: nothing })).toMatch(/^two\n</);
      expect(await recall.execute({ handle, lines: nothing, bytes: [4, 7] })).toMatch(/^two\n</);
    }
    const found = await search.execute({ pattern: "t" });
    expect(found).toContain('hits="2"');
    for (const nothing of [null, 0] as const) {
      const input = { pattern: "t", regex: null, context: nothing, limit: nothing };
      expect(await search.execute(input)).toBe(found);
    }
  });

  it("are tools of the AI SDK as they are", async () => {
    const { archive, handle } = await holding("the whole of it");
    const tools: ToolSet = { ...recallTools(archive) };
    const usage = {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    };
    const call = { type: "tool-call", toolCallId: "1", toolName: "recall" } as const;
    const model = new MockLanguageModelV3({
      doGenerate: async () => ({
        content: [{ ...call, input: JSON.stringify({ handle }) }],
        finishReason: { unified: "tool-calls", raw: undefined },
        usage,
        warnings: [],
      }),
    });
    const result = await generateText({ model, tools, prompt: "go", stopWhen: stepCountIs(1) });
    expect(result.toolResults[0]?.output).toContain("the whole of it");
    expect(model.doGenerateCalls[0]?.tools?.[0]).toMatchObject({
      name: "recall",
      inputSchema: { type: "object", required: ["handle", "lines", "bytes"] },
    });
  });
});
