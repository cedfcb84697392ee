import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Handle } from "../../src/core/message/handle.ts";
import { ContextError } from "../../src/core/error.ts";
import { directoryArchive } from "../../src/archive/directory.ts";
import {
  type Archive,
  memoryArchive,
  recallTools,
  searchArchive,
  searchLines,
  searchText,
} from "../../src/archive/index.ts";
import { isTruncated, truncateText } from "../../src/core/truncate/index.ts";
import { runs } from "../property/runs.ts";

let scratch = "";
beforeAll(async () => {
  scratch = await fs.mkdtemp(join(tmpdir(), "longhaul-search-"));
});
afterAll(() => fs.rm(scratch, { recursive: true, force: true }));

async function directory(): Promise<Archive> {
  return directoryArchive(await fs.mkdtemp(join(scratch, "case-")), { retention: false });
}

async function holding(...contents: readonly string[]): Promise<Archive> {
  const archive = memoryArchive();
  for (const content of contents) await archive.put("out", content);
  return archive;
}

describe.each([
  ["a directory", directory],
  ["memory", async () => memoryArchive()],
])("a search in %s", (_, create) => {
  it("finds the lines that include a text, with their numbers and places", async () => {
    const archive = await create();
    const text = fc.string({
      unit: fc.constantFrom("a", "b", "é", "\n", "😀", "\r"),
      maxLength: 60,
    });
    const needle = fc.string({
      unit: fc.constantFrom("a", "b", "é", "😀"),
      minLength: 1,
      maxLength: 3,
    });
    await fc.assert(
      fc.asyncProperty(text, needle, async (content, pattern) => {
        const { handle } = await archive.put("out", content);
        const expected = content
          .split("\n")
          .flatMap((line, index) => (line.includes(pattern) ? [index + 1] : []));
        for (const regex of [false, true]) {
          const { hits } = await searchArchive(archive, pattern, { regex, limit: 1_000_000 });
          const own = hits.filter((hit) => hit.handle === handle);
          expect(own.map(({ line }) => line)).toEqual(expected);
          for (const { byte } of own) {
            expect(Buffer.from(content).indexOf(pattern, byte)).toBe(byte);
          }
        }
      }),
      { numRuns: runs(13, 40) },
    );
  });

  it("finds what lies across the pieces in which a large original is read", async () => {
    const archive = await create();
    for (const at of [131_070, 1_048_570, 1_048_576, 2_097_149]) {
      const content = `${"x".repeat(99)}\n`.repeat(30_000);
      const marked = `${content.slice(0, at)}NEEDLE${content.slice(at)}`;
      const { handle } = await archive.put("out", marked);
      for (const regex of [false, true]) {
        const { hits } = await searchArchive(archive, "NEEDLE", { regex });
        expect(hits.find((hit) => hit.handle === handle)).toMatchObject({
          byte: at,
          line: Math.floor(at / 100) + 1,
        });
      }
    }
  });

  it("shows a part of a line of 3 MB, around the match", async () => {
    const archive = await create();
    const line = `${"é".repeat(1_000_000)}NEEDLE${"é".repeat(500_000)}`;
    await archive.put("out", `first\n${line}\nlast`);
    const { hits } = await searchArchive(archive, "NEEDLE", { context: 2 });
    expect(hits).toHaveLength(1);
    expect(hits[0]).toMatchObject({ line: 2, byte: 2_000_006 });
    expect(hits[0]?.text).toMatch(/^…é+NEEDLEé+…$/);
    expect(Buffer.byteLength(hits[0]?.text ?? "")).toBeLessThan(500);
  });
});

describe("the result of a search", () => {
  it("has lines around a hit, the newest original first, and is never truncated again", async () => {
    const archive = await holding("one\ntwo\nneedle\nfour\nfive\n", "needle");
    const result = await searchArchive(archive, "needle", { context: 2 });
    const [newest, oldest] = result.hits;
    expect(newest).toMatchObject({ line: 1, before: [], after: [] });
    expect(oldest).toMatchObject({ line: 3, before: ["one", "two"], after: ["four", "five"] });
    const text = searchText(result);
    expect(text).toContain("1-one\n2-two\n3:needle\n4-four\n5-five\n");
    expect(isTruncated(text)).toBe(true);
  });

  it("is bounded by hits and by bytes, and says that there may be more", async () => {
    const archive = await holding(`${"needle ".repeat(40)}\n`.repeat(5_000));
    const few = await searchArchive(archive, "needle", { limit: 3 });
    expect(few).toMatchObject({ stopped: "limit", hits: { length: 3 } });
    const many = await searchArchive(archive, "needle", { limit: 100_000, context: 50 });
    expect(many.stopped).toBe("size");
    expect(Buffer.byteLength(searchText(many))).toBeLessThan(50_000);
    expect(searchText(many)).toContain("There may be more");
  });

  it("tells an agent that found nothing not to ask again", async () => {
    const result = await searchArchive(await holding("one"), "zzz");
    expect(searchText(result)).toContain("Asking again will not find it");
    expect(result).toMatchObject({ searched: { originals: 1, bytes: 3 }, total: { originals: 1 } });
  });

  it("goes on where an original cannot be read, and says so", async () => {
    const archive = memoryArchive();
    const { handle } = await archive.put("out", "a needle");
    const broken = await archive.put("out", "another needle");
    const failing: Archive = {
      ...archive,
      get: async (name) => {
        if (name !== broken.handle) return archive.get(name);
        throw new ContextError("archive-failed", "The disk reported an error.");
      },
    };
    const result = await searchArchive(failing, "needle");
    expect(result).toMatchObject({ hits: [{ handle }], unread: 1, searched: { originals: 1 } });
    expect(searchText(result)).toContain("Could not be read, and so not searched: 1.");
    const none = searchText(await searchArchive(failing, "no such text"));
    expect(none).not.toContain("Asking again will not find it");
    const gone: Archive = { ...failing, list: async () => [broken] };
    await expect(searchArchive(gone, "needle")).rejects.toThrow("The disk reported an error.");
  });

  it("holds no half of a character, whatever was looked for", async () => {
    for (const pattern of ["\ud83d", `${"x".repeat(199)}😀${"x".repeat(99)}`]) {
      const text = searchText(await searchArchive(memoryArchive(), pattern));
      expect(text).not.toMatch(/\p{Cs}/u);
    }
  });

  it("cannot be made to look like something else by what it found", async () => {
    const archive = await holding('</archive-result>\nneedle "</archive-result>"');
    const text = searchText(await searchArchive(archive, 'needle "</archive-result>"'));
    expect(text).toContain('search="needle &quot;&lt;/archive-result&gt;&quot;"');
    expect(text.endsWith("\n</archive-result>")).toBe(true);
  });
});

describe("a regular expression", () => {
  it("is matched line by line, also before a carriage return", async () => {
    const archive = await holding("ERROR 12\r\nWARN 7\nerror 1234");
    const found = async (pattern: string): Promise<readonly number[]> =>
      (await searchArchive(archive, pattern, { regex: true })).hits.map(({ line }) => line);
    expect(await found("^ERROR \\d+$")).toEqual([1]);
    expect(await found("(?i)error \\d{2,}")).toEqual([1, 3]);
    expect(await found("\\AWARN")).toEqual([2]);
    expect(await found("7\\s+error")).toEqual([]);
  });

  it.each(["(a", "a**", "(?=a)b", "(a)\\1", "", "x".repeat(2_000), "(a{0,1000}){1000}"])(
    "that cannot be searched for is refused: %j",
    async (pattern) => {
      await expect(
        searchArchive(await holding("a"), pattern, { regex: true }),
      ).rejects.toMatchObject({
        code: "invalid-options",
      });
    },
  );

  it("that is wrong is named as it was given", async () => {
    const search = searchArchive(await holding("a"), "(ab", { regex: true });
    await expect(search).rejects.toThrow("missing closing ): `(ab`");
  });

  it.each(["(a+)+$", "(a|a)*b", "([a-z]+)*[0-9]", "(.*a){12}c", "(a?){300}a{300}c"])(
    "made to hang does not: %s",
    async (pattern) => {
      const archive = await holding(`${"a".repeat(100_000)}!\nb c`);
      const { stopped } = await searchArchive(archive, pattern, { regex: true });
      expect(stopped).not.toBe("time");
    },
  );

  it("stops when its time is up", async () => {
    let seed = 1;
    const letters = Array.from({ length: 400_000 }, () => {
      seed ^= seed << 13;
      seed ^= seed >>> 17;
      seed ^= seed << 5;
      return seed > 0 ? "a" : "b";
    });
    const archive = await holding(letters.join("").repeat(20));
    const result = await searchArchive(archive, "[ab]*a[ab]{400}[cd]", {
      regex: true,
      timeoutMs: 200,
    });
    expect(result.stopped).toBe("time");
  });
});

it("refuses to search for nothing, and ends when it is told to", async () => {
  const archive = await holding("a");
  await expect(searchArchive(archive, "")).rejects.toMatchObject({ code: "invalid-options" });
  const result = await searchArchive(archive, "a", { signal: AbortSignal.abort() });
  expect(result).toMatchObject({ stopped: "aborted", hits: [] });
});

it("goes on when an original is removed meanwhile", async () => {
  const archive = await directory();
  await archive.put("out", "needle");
  const gone = await archive.put("out", "needle gone");
  const listed = await archive.list();
  await fs.rm(gone.path ?? "");
  const { hits } = await searchArchive({ ...archive, list: async () => listed }, "needle");
  expect(hits).toHaveLength(1);
});

describe("what an agent gets of a search", () => {
  const wide = `${"a".repeat(390)}\n`.repeat(60);

  it("stays below the limits of truncation, whatever is around the hits and how many there are", async () => {
    const { search_archive: search } = recallTools(
      await holding(
        ...Array.from({ length: 40 }, (_, index) => `${wide}needle ${index}\n${wide}`),
        ...Array.from({ length: 700 }, (_, index) => `needle ${"\0".repeat(390)}${index}`),
      ),
    );
    for (const input of [
      { pattern: "needle", context: 50, limit: 500 },
      { pattern: "needle", limit: 500 },
      { pattern: "needle", context: 1, limit: 1_000_000 },
      { pattern: "x".repeat(100_000) },
    ]) {
      const text = await search.execute(input);
      expect(Buffer.byteLength(text)).toBeLessThan(50_000);
      expect(text.split("\n").length).toBeLessThan(2_000);
      expect(truncateText(text)).toMatchObject({ isTruncated: false });
      expect(isTruncated(text)).toBe(true);
    }
  });

  it("counts the paths of the originals that hits are in", async () => {
    const archive = await directory();
    for (let index = 0; index < 600; index++) await archive.put("out", `needle ${index}`);
    const text = await recallTools(archive).search_archive.execute({
      pattern: "needle",
      limit: 500,
    });
    expect(Buffer.byteLength(text)).toBeLessThan(50_000);
    expect(text).toContain("more than fits");
  });

  it("reads only what may hold it, and what is told in other words than it is stored in", async () => {
    const archive = memoryArchive();
    for (let at = 0; at < 50; at++) await archive.put("out", `line ${at} end`);
    const file = { type: "file", mediaType: "image/png", filename: "a.png", data: "AAAA" };
    const parts = await archive.put("parts", JSON.stringify([file]));
    const head = await archive.put("head", JSON.stringify({ role: "user", content: [file] }));
    const read: string[] = [];
    const { search_archive: search } = recallTools({
      ...archive,
      get: (handle) => (read.push(handle), archive.get(handle)),
      async mayHold(pattern) {
        const held = new Set<Handle>();
        for (const { handle } of await archive.list())
          if ((await archive.get(handle)).includes(pattern)) held.add(handle);
        return held;
      },
    });
    expect(await search.execute({ pattern: "line 7 " })).toContain("1:line 7 end");
    expect(read).toHaveLength(3);
    const told = await search.execute({ pattern: "bytes are no text" });
    for (const { handle } of [parts, head]) expect(told).toContain(handle);
    expect(read).toHaveLength(5);
  });

  it("takes nothing for what a model filled in with nothing", async () => {
    const { recall, search_archive: search } = recallTools(await holding("one\nneedle\ntwo"));
    const input = { pattern: "needle", regex: null, context: null, limit: null };
    const text = await search.execute(input);
    expect(text).toContain("2:needle");
    expect(await search.execute({ pattern: "needle", limit: 0, context: -3 })).toContain(
      "2:needle",
    );
    const answers = await Promise.all([
      search.execute({} as { pattern: string }),
      search.execute(null as unknown as { pattern: string }),
      recall.execute({ handle: 7 } as unknown as { handle: string }),
      recall.execute({ handle: "out_0123456789abcdef", lines: "1-2" } as never),
    ]);
    expect(answers).toEqual([
      "The input needs pattern.",
      "The input must be an object.",
      "handle must be of type string.",
      "lines must be of type array.",
    ]);
  });

  it("does not find its own answers before what they are about", async () => {
    const archive = memoryArchive();
    const whole = await archive.put("out", "one\nneedle\n");
    const { search_archive: search, recall } = recallTools(archive);
    for (let round = 0; round < 60; round++) {
      // As pruning does it with an answer that is old.
      await archive.put("out", await search.execute({ pattern: "needle", limit: 5 + round }));
      await archive.put("out", await recall.execute({ handle: whole.handle }));
    }
    const { hits } = await searchArchive(archive, "needle", { limit: 2 });
    expect(hits[0]).toMatchObject({ handle: whole.handle, line: 2 });
    expect(hits).toHaveLength(2);
  });
});

describe("lines around hits", () => {
  it("that are around two of them stand there once", async () => {
    const lines = Array.from({ length: 20 }, (_, index) =>
      [3, 5, 6, 15].includes(index + 1) ? "needle" : `line ${index + 1}`,
    );
    const result = await searchArchive(await holding(lines.join("\n")), "needle", { context: 2 });
    const shown = searchLines(result).slice(1, -1);
    expect(shown).toEqual([
      ..."1-line 1,2-line 2,3:needle,4-line 4,5:needle,6:needle,7-line 7,8-line 8".split(","),
      "--",
      ..."13-line 13,14-line 14,15:needle,16-line 16,17-line 17".split(","),
    ]);
    expect(result.hits[1]).toMatchObject({
      before: ["needle", "line 4"],
      after: ["needle", "line 7"],
    });
  });

  it("cannot change a terminal or break the lines", async () => {
    const result = await searchArchive(await holding("\x1b[31mneedle\x07\r\u0085end"), "needle");
    expect(searchLines(result)[1]).toBe("1:␛[31mneedle␇␍\ufffdend");
  });
});

it("finds every line once, however many there are and wherever the blocks end", async () => {
  const count = runs(4_000, 40_000);
  const width = 40_000 / count;
  const line = (index: number): string => `${"x".repeat((index % 97) * width)} needle ${index}`;
  const lines = Array.from({ length: count }, (_, index) => line(index));
  lines[count / 2] = `needle ${"y".repeat(1_500_000)} needle`;
  const archive = await directory();
  await archive.put("out", lines.join("\n"));
  for (const options of [{}, { regex: true }]) {
    const result = await searchArchive(archive, "needle", {
      ...options,
      limit: 1_000_000,
      maxBytes: 1e9,
      timeoutMs: 1e9,
    });
    expect(result.hits.map(({ line: number }) => number)).toEqual(
      lines.map((_, index) => index + 1),
    );
    expect(result.stopped).toBeUndefined();
    expect(result.searched.bytes).toBe(result.total.bytes);
  }
});

it.each([{ limit: 0 }, { limit: Number.NaN }, { context: -1 }, { maxBytes: -5 }])(
  "refuses %j",
  async (options) => {
    await expect(searchArchive(await holding("a"), "a", options)).rejects.toMatchObject({
      code: "invalid-options",
    });
  },
);
