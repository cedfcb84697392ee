import { countLines } from "../../src/core/text/utf8.ts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { memoryArchive } from "../../src/archive/index.ts";
import { shareLimits } from "../../src/tools/truncate-value.ts";
import { truncateValue } from "../../src/tools/truncate-value.ts";
import { runs } from "../property/runs.ts";

const NOTICE = "<tool-output-truncated";
const long = Array.from({ length: 4_000 }, (_, index) => `line ${index + 1}\n`).join("");
const image = { type: "image", data: "A".repeat(90_000), mimeType: "image/png" };

interface Part {
  readonly type: string;
  readonly text?: string;
}

async function truncated<T>(value: T, archive = memoryArchive()): Promise<T> {
  return (await truncateValue(value, { toolName: "bash" }, { archive })) as T;
}

/** A copy to compare with: the value itself must stay as it was. */
async function unchanged<T>(value: T): Promise<T> {
  const before = structuredClone(value);
  const after = await truncated(value);
  expect(value).toEqual(before);
  return after;
}

describe("an MCP result", () => {
  it("has its texts cut and everything else kept", async () => {
    const archive = memoryArchive();
    const result = {
      content: [
        { type: "text", text: long, annotations: { priority: 1 } },
        image,
        { type: "text", text: "short" },
      ],
      structuredContent: { rows: ["x".repeat(60_000)] },
      isError: false,
      _meta: { a: 1 },
    };
    const { content, ...rest } = await truncated(result, archive);
    expect(content).toHaveLength(3);
    expect(content[0]).toMatchObject({
      annotations: { priority: 1 },
      text: expect.stringContaining(NOTICE) as string,
    });
    expect(content[1]).toBe(image);
    expect(content[2]).toBe(result.content[2]);
    expect(rest).toEqual({
      structuredContent: result.structuredContent,
      isError: false,
      _meta: { a: 1 },
    });
    const kinds = (await archive.list()).map(({ kind }) => kind);
    expect(kinds.sort()).toEqual(["out", "parts", "parts"]);
    await unchanged(result);
  });

  it.each([
    ["an image", image],
    ["audio", { type: "audio", data: "A".repeat(90_000), mimeType: "audio/wav" }],
    [
      "a resource",
      { type: "resource", resource: { uri: "file:///a.pdf", blob: "A".repeat(90_000) } },
    ],
  ])("that is nothing but %s is kept as it is, and archived", async (_, part) => {
    const archive = memoryArchive();
    const result = { content: [part] };
    expect(await truncated(result, archive)).toBe(result);
    expect(await truncated(result.content)).toBe(result.content);
    const [entry] = await archive.list();
    expect(JSON.parse(await archive.get(entry!.handle))).toEqual([part]);
  });

  it("keeps the limits over all of its texts together", async () => {
    const result = {
      content: [1, 2, 3].map((n) => ({
        type: "text",
        text: `${n} ${"y".repeat(99)}\n`.repeat(400),
      })),
    };
    const { content } = await unchanged(result);
    const kept = content.map(({ text }) => text.slice(0, text.indexOf(NOTICE)));
    expect(Buffer.byteLength(kept.join(""))).toBeLessThanOrEqual(50_000);
    expect(kept.every((text) => text.length > 15_000)).toBe(true);
  });

  it("joins more texts than can have a share", async () => {
    const content = Array.from({ length: 900 }, (_, n) =>
      n === 5 ? image : { type: "text", text: "z".repeat(200) },
    );
    const result = await unchanged({ content });
    expect(result.content).toHaveLength(2);
    expect(result.content[1]).toBe(image);
    expect((result.content[0] as Part).text).toContain(NOTICE);
  });

  it("cuts embedded resources, and comes back as it is where nothing is large", async () => {
    const resource = { type: "resource", resource: { uri: "file:///a", text: long } };
    const cut = await unchanged({ content: [resource] });
    expect(cut.content[0]?.resource).toMatchObject({
      uri: "file:///a",
      text: expect.stringContaining(NOTICE) as string,
    });
    const small = { content: [{ type: "text", text: "a" }] };
    expect(truncateValue(small, {}, {})).toBe(small);
  });
});

describe("an output in the form of the AI SDK", () => {
  it.each(["text", "error-text"])("has its %s cut", async (type) => {
    expect(await unchanged({ type, value: long, providerOptions: { a: 1 } })).toEqual({
      type,
      value: expect.stringContaining(NOTICE) as string,
      providerOptions: { a: 1 },
    });
  });

  it("has the texts of its content cut", async () => {
    const value = [
      { type: "text", text: long },
      { type: "file-data", data: "AAAA", mediaType: "a/b" },
    ];
    const output = await unchanged({ type: "content", value });
    expect(output.value[1]).toBe(value[1]);
    expect((output.value[0] as Part).text).toContain(NOTICE);
  });

  it("becomes a text where the structure of its JSON is too large", async () => {
    const value = Array.from({ length: 9_000 }, (_, id) => ({ id }));
    expect(await unchanged({ type: "json", value })).toMatchObject({
      type: "text",
      value: expect.stringContaining(NOTICE) as string,
    });
    expect(await unchanged({ type: "error-json", value })).toMatchObject({ type: "error-text" });
    expect(await unchanged({ type: "json", value: { stdout: long } })).toMatchObject({
      type: "json",
      value: { stdout: expect.stringContaining(NOTICE) as string },
    });
  });

  it("stays as it is when it is media alone", async () => {
    const media = { type: "media", data: "A".repeat(90_000), mediaType: "image/png" };
    const output = { type: "content", value: [media] };
    expect(await truncated(output)).toBe(output);
  });

  it("stays as it is when it is small or a refusal", () => {
    for (const output of [
      { type: "execution-denied", reason: "no" },
      { type: "json", value: null },
    ]) {
      expect(truncateValue(output, {}, {})).toBe(output);
    }
  });
});

describe("a JSON value", () => {
  it("keeps its shape where its texts are what is large", async () => {
    const rows = [{ a: 1 }];
    const value = {
      exitCode: 1,
      stdout: long,
      stderr: "e".repeat(70_000),
      rows,
      nested: { list: ["short"] },
    };
    const cut = await unchanged(value);
    expect(cut).toMatchObject({ exitCode: 1, nested: { list: ["short"] } });
    expect(cut.rows).toBe(rows);
    const kept = [cut.stdout, cut.stderr].map((text) => text.slice(0, text.indexOf(NOTICE)));
    expect(Buffer.byteLength(kept.join(""))).toBeLessThanOrEqual(50_000);
    expect(countLines(kept.join(""))).toBeLessThanOrEqual(2_000);
  });

  it("becomes indented JSON, cut, where its structure is what is large", async () => {
    const archive = memoryArchive();
    const value = Array.from({ length: 9_000 }, (_, id) => ({ id, name: `n${id}` }));
    const text: unknown = await truncated<unknown>(value, archive);
    expect(text).toMatch(/^\[\n {2}\{\n {4}"id": 0,\n/);
    expect(text).toContain(NOTICE);
    const [entry] = await archive.list();
    expect(JSON.parse(await archive.get(entry?.handle ?? ""))).toEqual(value);
  });

  it("is cut where it is a list of files, which is no media", async () => {
    const files = Array.from({ length: 9_000 }, (_, index) => ({ type: "file", name: `${index}` }));
    expect(await truncated<unknown>(files)).toEqual(expect.stringContaining(NOTICE));
  });

  it("is left alone when it is no JSON", () => {
    const cycle: { self?: unknown; text: string } = { text: long };
    cycle.self = cycle;
    expect(truncateValue(cycle, {}, {})).toBe(cycle);
    const big = { n: 1n, text: long };
    expect(truncateValue(big, {}, {})).toBe(big);
  });

  it("may be nested as deep as it likes", async () => {
    let value: unknown = long;
    for (let depth = 0; depth < 20_000; depth++) value = [value];
    expect(String(await truncated(value))).toContain(NOTICE);
  });
});

describe("any value", () => {
  it("comes back equal when it is small, and is never changed", async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 4 }), async (value) => {
        expect(truncateValue(value, {}, {})).toBe(value);
        const large = { value, text: long };
        const before = JSON.stringify(large);
        const cut = await truncated<{ value: unknown }>(large);
        expect(cut.value).toBe(value);
        expect(JSON.stringify(large)).toBe(before);
      }),
      { numRuns: runs(20, 60) },
    );
  });

  it("is truncated once: a second time changes nothing", async () => {
    for (const value of [
      long,
      { stdout: long, n: 1 },
      { content: [{ type: "text", text: long }] },
    ]) {
      const once = await truncated(value);
      expect(await truncated(once)).toEqual(once);
    }
  });
});

describe("shareLimits", () => {
  it("gives what small texts leave to the large ones, and never more than there is", () => {
    expect(
      shareLimits(["a".repeat(10), "b".repeat(500), "c".repeat(500)], {
        maxLines: 9,
        maxBytes: 110,
      }),
    ).toEqual([
      { maxLines: 1, maxBytes: 10 },
      { maxLines: 1, maxBytes: 50 },
      { maxLines: 1, maxBytes: 50 },
    ]);
    fc.assert(
      fc.property(
        fc.array(fc.string({ maxLength: 300 }), { minLength: 1, maxLength: 16 }),
        (texts) => {
          const shares = shareLimits(texts, { maxLines: 40, maxBytes: 600 });
          const sum = shares.reduce((total, { maxBytes }) => total + maxBytes, 0);
          expect(sum).toBeLessThanOrEqual(600 + 4 * texts.length);
        },
      ),
    );
  });
});
