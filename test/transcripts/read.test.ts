import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import zlib, { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { messageText } from "../../src/core/message/index.ts";
import {
  readTranscript,
  type DocumentFormat,
  type Reading,
  type ReadTranscriptOptions,
  type RecordsFormat,
  type TextFormat,
  type Transcript,
} from "../../src/transcripts/index.ts";
import { DEFAULT_TRANSCRIPT_LIMITS, transcriptLimits } from "../../src/transcripts/limits.ts";
import { packingOf } from "../../src/transcripts/packing.ts";
import { HAS_ZSTD, PACKED_ROLLOUT } from "./zstd.ts";

/** Formats that keep every record, list entry or line as one message. */
const records: RecordsFormat = {
  name: "records",
  title: "Records",
  shape: "records",
  detect: (values) => values.some((value) => hasText(value)) || "no record has a text",
  load: async () => ({
    open() {
      const texts: string[] = [];
      return {
        record: (value) => void texts.push(hasText(value) ? value.text : "?"),
        finish: () => reading(texts),
      };
    },
  }),
};
const document: DocumentFormat = {
  name: "document",
  title: "Document",
  shape: "document",
  detect: (value) => hasTexts(value) || "it has no texts",
  load: async () => ({
    read: (value, { isTorn } = {}) => {
      const texts = hasTexts(value) ? value.texts : [];
      return reading(isTorn === true ? texts.slice(0, -1) : texts);
    },
  }),
};
const plain: TextFormat = {
  name: "plain",
  title: "Plain text",
  shape: "text",
  detect: (head) => head.startsWith("# chat") || "it does not begin with # chat",
  load: async () => ({
    open() {
      const lines: string[] = [];
      return { record: (text) => void lines.push(String(text)), finish: () => reading(lines) };
    },
  }),
};
const formats = [records, document, plain];

describe("readTranscript", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), "longhaul-read-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const inFile = (name: string, content: string | Buffer): string => {
    const file = path.join(folder, name);
    writeFileSync(file, content);
    return file;
  };

  it("names a file that is missing, empty, blank or a folder", async () => {
    const cases = {
      [path.join(folder, "none.jsonl")]: "does not exist",
      [inFile("empty.jsonl", "")]: "is empty",
      [inFile("blank.jsonl", " \n\r\n ")]: "is empty",
      [inFile("empty.gz", gzipSync(""))]: "is empty",
      [folder]: "is a folder",
    };
    for (const [file, what] of Object.entries(cases)) {
      const failure = await failureOf(file);
      expect(failure).toMatchObject({ code: "unreadable-file", details: { file } });
      expect(failure.message).toContain(file);
      expect(failure.message).toContain(what);
    }
    expect(await failureOf(Buffer.alloc(0))).toMatchObject({ code: "unreadable-file" });
  });

  it("lists what was tried for a content that nothing fits", async () => {
    const failure = await failureOf(Buffer.from('{"a":1}\n{"b":2}\n'));
    expect(failure.code).toBe("unknown-format");
    expect(failure.details["tried"]).toEqual([
      { format: "records", reason: "no record has a text" },
      { format: "document", reason: expect.stringContaining("one JSON document") },
      { format: "plain", reason: expect.stringContaining("plain text") },
    ]);
    expect(failure.message).toContain("Nearest: records (no record has a text)");
    expect(failure.message).toContain("an object with a");
  });

  it("refuses a format that is unknown or does not fit", async () => {
    const input = Buffer.from('{"text":"a"}\n{"text":"b"}\n');
    expect(await failureOf(input, { format: "nonsense" })).toMatchObject({
      code: "invalid-options",
      message: expect.stringContaining("records, document, plain"),
    });
    expect(await failureOf(input, { format: "document" })).toMatchObject({
      code: "unknown-format",
      message: expect.stringContaining("does not fit the format document"),
    });
    expect((await read(input, { format: "records" })).format).toBe("records");
  });

  it("goes by the content, whatever the name", async () => {
    const asLines = inFile("a.json", '{"text":"a"}\n{"text":"b"}\n');
    const asDocument = inFile("b.jsonl", '{\n  "texts": ["a", "b"]\n}\n');
    const packed = inFile("c.md", gzipSync('{"texts":["a","b"]}'));
    const text = inFile("d.jsonl.gz", "# chat\nb");
    expect((await read(asLines)).format).toBe("records");
    expect((await read(asDocument)).format).toBe("document");
    expect((await read(packed)).format).toBe("document");
    expect(texts(await read(text))).toEqual(["# chat", "b"]);
  });

  it("reads a single record as lines when no document fits", async () => {
    expect(texts(await read(Buffer.from('{"text":"only"}')))).toEqual(["only"]);
  });

  it("reads UTF-16, as some shells write exports", async () => {
    const text = '\uFEFF{"texts":["grüße"]}';
    const little = Buffer.from(text, "utf16le");
    expect(texts(await read(little))).toEqual(["grüße"]);
    expect(texts(await read(Buffer.from(little).swap16()))).toEqual(["grüße"]);
  });

  describe("damaged lines", () => {
    const good = '{"text":"one"}\n{"text":"two"}\n';

    it("leaves out a torn last line with a warning", async () => {
      const transcript = await read(Buffer.from(`${good}{"text":"thr`));
      expect(texts(transcript)).toEqual(["one", "two"]);
      expect(transcript.unparsableLines).toBe(1);
      expect(transcript.warnings).toEqual([
        { line: 3, message: "The last line is cut short; it was left out." },
      ]);
    });

    it("takes a last line without a line end that is whole", async () => {
      const transcript = await read(Buffer.from(`${good}{"text":"three"}`));
      expect(texts(transcript)).toEqual(["one", "two", "three"]);
      expect(transcript.warnings).toEqual([]);
    });

    it("reads both records of a line that lost its line end", async () => {
      const transcript = await read(Buffer.from(`${good}{"text":"a}{"}{"text":"b"}\n`));
      expect(texts(transcript)).toEqual(["one", "two", "a}{", "b"]);
      expect(transcript.unparsableLines).toBe(0);
      expect(transcript.warnings[0]?.line).toBe(3);
    });

    it("reads the whole record behind one that was cut short", async () => {
      const torn = `{"text":"cut {\\"x`;
      const transcript = await read(Buffer.from(`${good}${torn}{"text":"b \\" }"}\n`));
      expect(texts(transcript)).toEqual(["one", "two", 'b " }']);
      expect(transcript.unparsableLines).toBe(1);
    });

    it("skips garbage, empty lines and NUL bytes", async () => {
      const transcript = await read(Buffer.from(`${good}\n  \r\nnoise\n\0\0{"text":"c"}\r\n`));
      expect(texts(transcript)).toEqual(["one", "two", "c"]);
      expect(transcript.warnings.map(({ line }) => line)).toEqual([5, 6]);
    });

    it("replaces invalid UTF-8 and names the line", async () => {
      const wrong = Buffer.concat([Buffer.from(`${good}{"text":"a`), Buffer.from([0xff, 0xc3])]);
      const transcript = await read(Buffer.concat([wrong, Buffer.from('b"}\n')]));
      expect(texts(transcript)[2]).toBe("a\uFFFD\uFFFDb");
      expect(transcript.warnings).toEqual([
        { line: 3, message: "This line is not valid UTF-8; the wrong bytes were replaced." },
      ]);
    });

    it("leaves out lines above the limits of size and depth", async () => {
      const long = JSON.stringify({ text: "x".repeat(2000) });
      const deep = `{"text":${"[".repeat(10_000)}${"]".repeat(10_000)}}`;
      const transcript = await read(Buffer.from(`${good}${long}\n`), {
        limits: { lineBytes: 1000 },
      });
      expect(texts(transcript)).toEqual(["one", "two"]);
      expect(transcript.warnings[0]).toMatchObject({
        line: 3,
        message: expect.stringContaining("limit lineBytes"),
      });
      const nested = await read(Buffer.from(`${good}${deep}\n`));
      expect(texts(nested)).toEqual(["one", "two"]);
      expect(nested.warnings[0]?.message).toContain("limit depth");
    });

    it("keeps a bounded number of warnings", async () => {
      const transcript = await read(Buffer.from(good.repeat(200) + "noise\n".repeat(300)), {
        limits: { warnings: 10 },
      });
      expect(transcript.unparsableLines).toBe(300);
      expect(transcript.warnings).toHaveLength(11);
      expect(transcript.warnings[10]?.message).toContain("290 more");
    });
  });

  describe("documents", () => {
    it("closes one that was cut short, without its last entry", async () => {
      for (const cut of [
        '{"texts":["a","b","c',
        '{"texts":["a","b","c"',
        '{\n"texts":[\n"a","b","c',
      ]) {
        const transcript = await read(Buffer.from(cut));
        expect(texts(transcript)).toEqual(["a", "b"]);
        expect(transcript.warnings[0]?.message).toContain("cut short");
      }
    });

    it("refuses one that is damaged but whole", async () => {
      const failure = await failureOf(Buffer.from('{"texts":["a" "b",]}'));
      expect(failure).toMatchObject({ code: "unreadable-file" });
      expect(failure.message).toMatch(/no valid JSON .*Export the session again/);
    });

    it("leaves out what was printed before or behind one", async () => {
      const after = await read(Buffer.from('{"texts":["a"]}\nDone: 1 session\n'));
      const before = await read(Buffer.from('Exporting {x}\n{\n"texts":["a"]\n}\n'));
      const torn = await read(Buffer.from('Exporting {x}\n{\n"texts":["a", "b", "c'));
      expect(texts(after)).toEqual(["a"]);
      expect(texts(before)).toEqual(["a"]);
      expect(texts(torn)).toEqual(["a", "b"]);
      expect(before.warnings).toHaveLength(1);
    });

    it("has clear errors for the limits of size and depth", async () => {
      const long = JSON.stringify({ texts: ["x".repeat(5000)] });
      expect(await failureOf(Buffer.from(long), { limits: { documentBytes: 1000 } })).toMatchObject(
        { code: "limit-exceeded", details: { limit: "documentBytes" } },
      );
      for (const levels of [10_000, 1_000_000]) {
        const open = `{"texts":${"[".repeat(levels)}`;
        for (const deep of [open, `${open}${"]".repeat(levels)}}`]) {
          expect(await failureOf(Buffer.from(deep))).toMatchObject({
            code: "limit-exceeded",
            details: { limit: "depth" },
          });
        }
      }
    });
  });

  describe("gzip", () => {
    const lines = Array.from({ length: 5000 }, (_, index) => `{"text":"line ${index * 7919}"}\n`);
    const packed = gzipSync(lines.join(""));

    it("reads what a cut file still holds, and refuses a damaged one", async () => {
      const cut = await read(packed.subarray(0, Math.floor(packed.length * 0.6)));
      expect(texts(cut).length).toBeGreaterThan(2000);
      expect(cut.warnings.map(({ message }) => message).join()).toContain("cut short");
      const damaged = Buffer.from(packed);
      damaged.fill(0x55, Math.floor(packed.length * 0.5), Math.floor(packed.length * 0.6));
      const failure = await failureOf(damaged);
      expect(failure).toMatchObject({ code: "unreadable-file" });
      expect(failure.message).toMatch(/damaged inside its gzip.*gzip -dc/);
    });

    it("reads several members in one file", async () => {
      const two = Buffer.concat([gzipSync(lines.slice(0, 10).join("")), gzipSync(lines[10]!)]);
      const transcript = await read(two);
      expect(texts(transcript)).toHaveLength(11);
      expect(transcript.warnings).toEqual([]);
    });

    it("stops a bomb", async () => {
      const bomb = gzipSync(Buffer.alloc(50_000_000, "{}\n"));
      expect(bomb.length).toBeLessThan(200_000);
      expect(await failureOf(bomb, { limits: { unpackedBytes: 10_000_000 } })).toMatchObject({
        code: "limit-exceeded",
        details: { limit: "unpackedBytes" },
      });
    });
  });

  it.runIf(HAS_ZSTD)("reads zstd, and refuses a damaged file", async () => {
    const { conversations, format } = await readTranscript(PACKED_ROLLOUT);
    expect([format, conversations[0]?.messages.map(messageText)]).toEqual([
      "codex",
      ["Grind the walnuts", "They are flour now."],
    ]);
    const { zstdCompressSync } = zlib as unknown as { zstdCompressSync: typeof gzipSync };
    const lines = Array.from({ length: 50_000 }, (_, index) => `{"text":"line ${index * 7919}"}\n`);
    const damaged = zstdCompressSync(lines.join(""));
    damaged.fill(0x55, Math.floor(damaged.length * 0.5), Math.floor(damaged.length * 0.6));
    expect((await failureOf(damaged)).message).toMatch(/damaged inside its zstd.*zstd -dc/);
    const bomb = zstdCompressSync(Buffer.alloc(50_000_000, "{}\n"));
    expect(await failureOf(bomb, { limits: { unpackedBytes: 10_000_000 } })).toMatchObject({
      code: "limit-exceeded",
    });
  });

  it.runIf(HAS_ZSTD)("reads all frames of zstd, and of a cut one what is there", async () => {
    const { zstdCompressSync } = zlib as unknown as { zstdCompressSync: typeof gzipSync };
    const linesOf = (from: number, count: number) =>
      Array.from({ length: count }, (_, at) => `{"text":"line ${(from + at) * 7919}"}\n`).join("");
    for (const counts of [
      [3, 4],
      [2_000, 1, 3_000],
      [1, 1, 1, 900],
    ]) {
      const frames = counts.map((count, at) => zstdCompressSync(linesOf(at * 10_000, count)));
      const packed = Buffer.concat(frames);
      const whole = await read(packed);
      expect(texts(whole)).toHaveLength(counts.reduce((sum, count) => sum + count));
      expect(whole.warnings).toEqual([]);
      expect(packingOf(packed)?.whole(packed, 1e6).toString()).toBe(
        counts.map((count, at) => linesOf(at * 10_000, count)).join(""),
      );
      const cut = await read(packed.subarray(0, -5));
      expect(texts(cut).length).toBeGreaterThanOrEqual(counts[0]!);
      expect(cut.warnings.map(({ message }) => message).join()).toContain("cut short");
    }
  });

  it.skipIf(HAS_ZSTD)("names the Node.js that reads zstd, where this one does not", async () => {
    expect(await failureOf(PACKED_ROLLOUT)).toMatchObject({
      code: "unreadable-file",
      message: expect.stringContaining("Use Node.js 22.15 or newer"),
    });
  });

  it("reports progress and can be aborted", async () => {
    const file = inFile("long.jsonl", '{"text":"x"}\n'.repeat(100_000));
    const seen: [number, number | undefined][] = [];
    await read(file, { onProgress: (bytes, total) => seen.push([bytes, total]) });
    expect(seen.at(-1)).toEqual([1_300_000, 1_300_000]);
    expect(seen.length).toBeGreaterThan(2);

    const controller = new AbortController();
    const aborted = read(file, {
      signal: controller.signal,
      onProgress: () => controller.abort(new Error("enough")),
    });
    await expect(aborted).rejects.toThrow("enough");
  });

  it("has the default of every limit that is undefined", async () => {
    const names = Object.keys(DEFAULT_TRANSCRIPT_LIMITS);
    const given = Object.fromEntries(names.map((name) => [name, undefined]));
    expect(transcriptLimits(given)).toEqual(DEFAULT_TRANSCRIPT_LIMITS);
    const deep = `{"text":"ok"}\n{"text":${"[".repeat(1_001)}${"]".repeat(1_001)}}\n`;
    const { warnings } = await read(Buffer.from(deep), { limits: given });
    expect(warnings).toHaveLength(1);
  });

  it("refuses limits that make no sense", async () => {
    expect(await failureOf(Buffer.from("{}"), { limits: { lineBytes: 0 } })).toMatchObject({
      code: "invalid-options",
    });
  });
});

function read(input: string | Buffer, options: ReadTranscriptOptions = {}): Promise<Transcript> {
  return readTranscript(input, { formats, ...options });
}

interface Failure {
  readonly code: string;
  readonly message: string;
  readonly details: Record<string, unknown>;
}

async function failureOf(
  input: string | Buffer,
  options: ReadTranscriptOptions = {},
): Promise<Failure> {
  return read(input, options).then(
    () => {
      throw new Error("It was read.");
    },
    (error: unknown) => error as Failure,
  );
}

function texts(transcript: Transcript): string[] {
  return transcript.conversations[0]!.messages.map(messageText);
}

function reading(messages: readonly string[]): Reading {
  return {
    conversations: [
      {
        messages: messages.map((text) => ({ role: "user", parts: [{ type: "text", text }] })),
        timeline: [],
      },
    ],
    compactions: 0,
    warnings: [],
  };
}

function hasText(value: unknown): value is { text: string } {
  return typeof value === "object" && value !== null && "text" in value;
}

function hasTexts(value: unknown): value is { texts: string[] } {
  return typeof value === "object" && value !== null && "texts" in value;
}
