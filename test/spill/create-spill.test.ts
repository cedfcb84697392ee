import { readFileSync } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ReadableStream } from "node:stream/web";
import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { memoryArchive } from "../../src/archive/index.ts";
import type { Archive, SpillFile } from "../../src/archive/index.ts";
import { createSpill } from "../../src/spill/index.ts";
import { newArchive, outputsIn } from "./scratch.ts";

const LINES = Array.from({ length: 30_000 }, (_, at) => `line ${at + 1}\n`);
const WHOLE = LINES.join("");

describe("both faces of a spill", () => {
  it("Web: the preview, and the whole in the archive", async () => {
    const { archive } = newArchive();
    const spill = createSpill({ archive });
    await ReadableStream.from(LINES).pipeTo(spill.web);
    const { text, truncation, entry } = await spill.finish();
    expect(readFileSync(entry!.path!, "utf8")).toBe(WHOLE);
    expect(truncation.total).toEqual({ lines: 30_000, bytes: WHOLE.length });
    expect(truncation.text.endsWith("line 29999\nline 30000\n")).toBe(true);
    expect(text).toContain(entry!.path!);
  });

  it("Node: the same, for bytes", async () => {
    const { archive } = newArchive();
    const spill = createSpill({ archive, direction: "both" });
    await pipeline(Readable.from(LINES.map((line) => Buffer.from(line))), spill.node);
    const { truncation, entry } = await spill.finish();
    expect(await archive.get(entry!.handle)).toBe(WHOLE);
    expect(truncation.text.startsWith("line 1\nline 2\n")).toBe(true);
    expect(spill.lines()).toBe(30_000);
    expect(spill.bytes()).toBe(WHOLE.length);
  });

  it("finish waits for what was written before", async () => {
    const { archive } = newArchive();
    const spill = createSpill({ archive });
    for (const line of LINES) spill.node.write(line);
    const [first, second] = await Promise.all([spill.finish(), spill.finish()]);
    expect(second).toBe(first);
    expect(await archive.get(first.entry!.handle)).toBe(WHOLE);
  });

  it("leave nothing behind for an output that fits", async () => {
    const { archive, folder } = newArchive();
    const spill = createSpill({ archive });
    spill.node.write("short\n");
    expect(await spill.finish()).toMatchObject({ text: "short\n", warnings: [] });
    expect(() => outputsIn(folder)).toThrow("ENOENT");
  });

  it("keep an output of many short lines, which is cut without being large", async () => {
    const { archive } = newArchive();
    const spill = createSpill({ archive });
    spill.node.write("\n".repeat(5_000));
    const { entry, truncation } = await spill.finish();
    expect(truncation.kept.lines).toBe(2_000);
    expect(await archive.get(entry!.handle)).toBe("\n".repeat(5_000));
  });

  it("may be given memory that is used again", async () => {
    const { archive } = newArchive();
    const spill = createSpill({ archive });
    const buffer = Buffer.alloc(10);
    for (let at = 0; at < 20_000; at++) {
      buffer.write(`${String(at).padStart(9)}\n`);
      await new Promise((written) => spill.node.write(buffer, written));
    }
    const { entry } = await spill.finish();
    const numbers = readFileSync(entry!.path!, "utf8").trimEnd().split("\n").map(Number);
    expect(numbers).toEqual(Array.from({ length: 20_000 }, (_, at) => at));
  });
});

describe("a source that breaks", () => {
  it("leaves what came before, and a warning", async () => {
    const { archive } = newArchive();
    const spill = createSpill({ archive });
    const broken = Readable.from(
      (function* () {
        yield* LINES;
        throw new Error("the line went dead");
      })(),
    );
    await expect(pipeline(broken, spill.node)).rejects.toThrow("went dead");
    const { entry, warnings, text } = await spill.finish();
    expect(readFileSync(entry!.path!, "utf8")).toBe(WHOLE);
    expect(warnings.join()).toContain("the line went dead");
    expect(text).toContain("ended early");
  });

  it("is told the same way by a Web stream", async () => {
    const spill = createSpill(newArchive());
    const writer = spill.web.getWriter();
    await writer.write("begun\n");
    await writer.abort(new Error("gone"));
    expect((await spill.finish()).text).toMatch(/^begun\n\[.*gone/);
  });
});

/** An archive whose file fails or is slow; what it does is told in `log`. */
function oddArchive(behave: { write?: string; commit?: string }): {
  archive: Archive;
  log: string[];
} {
  const log: string[] = [];
  const { archive } = newArchive();
  const open = async (): Promise<SpillFile> => {
    const file = await archive.open!("out");
    return {
      path: file.path,
      // A descriptor that cannot be written answers EBADF.
      fd: behave.write === undefined ? file.fd : 999_999,
      async commit() {
        if (behave.commit === undefined) return file.commit();
        await file.discard();
        throw Object.assign(new Error(behave.commit), { code: behave.commit });
      },
      async discard() {
        log.push("discard");
        await file.discard();
      },
    };
  };
  return { archive: { ...archive, open }, log };
}

describe("an archive that fails", () => {
  it("while writing costs the original and not the preview", async () => {
    const { archive, log } = oddArchive({ write: "EBADF" });
    const spill = createSpill({ archive });
    await ReadableStream.from(LINES).pipeTo(spill.web);
    const { text, truncation, entry } = await spill.finish();
    expect(entry).toBeUndefined();
    expect(truncation.text.endsWith("line 30000\n")).toBe(true);
    expect(text).toContain("not kept (the file could not be written (EBADF))");
    expect(log).toEqual(["discard"]);
  });

  it.each([
    ["ENOSPC", "the disk is full"],
    ["EDQUOT", "quota"],
    ["EFBIG", "no larger file"],
  ])("at the end with %s says so", async (code, sentence) => {
    const spill = createSpill({ archive: oddArchive({ commit: code }).archive });
    spill.node.write(WHOLE);
    expect((await spill.finish()).text).toContain(sentence);
  });

  it("takes no more than it may, and says so", async () => {
    const { archive, folder } = newArchive();
    const spill = createSpill({ archive, maxFileBytes: 200_000 });
    await ReadableStream.from(LINES).pipeTo(spill.web);
    const { text, truncation } = await spill.finish();
    expect(truncation.total.bytes).toBe(WHOLE.length);
    expect(text).toContain("not kept (it is larger than 200000 bytes)");
    expect(outputsIn(folder)).toEqual([]);
  });

  it("rejects limits that leave nothing", () => {
    expect(() => createSpill({ limits: { maxLines: 0 } })).toThrow("maxLines");
  });
});

describe("an archive without files", () => {
  it("gets the whole as one text", async () => {
    const archive = memoryArchive();
    const spill = createSpill({ archive });
    await ReadableStream.from(LINES).pipeTo(spill.web);
    const { entry, text } = await spill.finish();
    expect(await archive.get(entry!.handle)).toBe(WHOLE);
    expect(text).toContain(`recall ${entry!.handle}`);
  });

  it.each([
    ["too large", Buffer.alloc(9_000_000, "long line\n"), "at most 8000000 bytes"],
    ["not UTF-8", Buffer.alloc(90_000, "\xff\n", "latin1"), "not UTF-8"],
  ])("cannot hold what is %s", async (_, bytes, sentence) => {
    const spill = createSpill({ archive: memoryArchive() });
    spill.node.write(bytes);
    const { entry, text } = await spill.finish();
    expect(entry).toBeUndefined();
    expect(text).toContain(sentence);
  });
});

it("a source waits for a slow disk", async () => {
  const { archive } = newArchive();
  let open: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  const slow: Archive = { ...archive, open: async () => (await gate, archive.open!("out")) };
  const spill = createSpill({ archive: slow });
  const writer = spill.web.getWriter();
  let sent = 0;
  const sending = (async () => {
    for (; sent < 100; sent++) await writer.write(Buffer.alloc(1_000_000, "x"));
  })();
  for (let turn = 0; turn < 500; turn++) await nextTurn();
  expect(sent).toBeGreaterThan(3);
  expect(sent).toBeLessThan(8);
  open();
  await sending;
  writer.releaseLock();
  expect((await spill.finish()).entry!.bytes).toBe(100_000_000);
});

it("whatever is written in whatever pieces is in the archive, byte for byte", async () => {
  const { archive } = newArchive();
  const piece = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.string({ unit: "grapheme", maxLength: 200 }).map((text) => Buffer.from(text)),
    fc.constantFrom("\r\n", "\n", "\r", "\u001b[31m", "\0").map((text) => Buffer.from(text)),
    fc.nat({ max: 3_000 }).map((length) => Buffer.alloc(length, "long line ")),
  );
  const direction = fc.constantFrom("tail" as const, "head" as const, "both" as const);
  const limits = fc.record({
    maxLines: fc.integer({ min: 1, max: 40 }),
    maxBytes: fc.integer({ min: 4, max: 2_000 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(piece, { maxLength: 40 }),
      limits,
      direction,
      async (pieces, limit, end) => {
        const spill = createSpill({ archive, limits: limit, direction: end });
        for (const one of pieces) spill.node.write(one);
        const { truncation, entry } = await spill.finish();
        const whole = Buffer.concat(pieces);
        expect(truncation.total.bytes).toBe(whole.length);
        expect(truncation.kept.bytes).toBeLessThanOrEqual(limit.maxBytes);
        expect(truncation.kept.lines).toBeLessThanOrEqual(limit.maxLines);
        if (entry === undefined) expect(truncation.text).toBe(whole.toString());
        else expect(readFileSync(entry.path!).equals(whole)).toBe(true);
      },
    ),
    { numRuns: 300 },
  );
});
