import { spawn, execFileSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ReadableStream } from "node:stream/web";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { memoryArchive } from "../../src/archive/index.ts";
import type { Archive, SpillFile } from "../../src/archive/index.ts";
import { countNewlines } from "../../src/spill/cut.ts";
import { createSpill } from "../../src/spill/index.ts";
import { newArchive, outputsIn } from "./scratch.ts";
import { runs } from "../property/runs.ts";

const LINES = Array.from({ length: 30_000 }, (_, at) => `line ${at + 1}\n`);
const WHOLE = LINES.join("");

describe("a spill", () => {
  it("takes a web stream: the preview, and the whole in the archive", async () => {
    const { archive } = newArchive();
    const spill = createSpill({ archive });
    await pipeline(ReadableStream.from(LINES), spill.input);
    const { text, truncation, entry } = await spill.finish();
    expect(readFileSync(entry!.path!, "utf8")).toBe(WHOLE);
    expect(truncation.total).toEqual({ lines: 30_000, bytes: WHOLE.length });
    expect(truncation.text.endsWith("line 29999\nline 30000\n")).toBe(true);
    expect(text).toContain(entry!.path!);
  });

  it("takes a stream of Node: the same, for bytes", async () => {
    const { archive } = newArchive();
    const spill = createSpill({ archive, direction: "both" });
    await pipeline(Readable.from(LINES.map((line) => Buffer.from(line))), spill.input);
    const { truncation, entry } = await spill.finish();
    expect(await archive.get(entry!.handle)).toBe(WHOLE);
    expect(truncation.text.startsWith("line 1\nline 2\n")).toBe(true);
    expect(spill.lines()).toBe(30_000);
    expect(spill.bytes()).toBe(WHOLE.length);
  });

  it("finish waits for what was written before", async () => {
    const { archive } = newArchive();
    const spill = createSpill({ archive });
    for (const line of LINES) spill.input.write(line);
    const [first, second] = await Promise.all([spill.finish(), spill.finish()]);
    expect(second).toBe(first);
    expect(await archive.get(first.entry!.handle)).toBe(WHOLE);
  });

  it("leaves nothing behind for an output that fits", async () => {
    const { archive, folder } = newArchive();
    const spill = createSpill({ archive });
    spill.input.write("short\n");
    expect(await spill.finish()).toMatchObject({ text: "short\n", warnings: [] });
    expect(() => outputsIn(folder)).toThrow("ENOENT");
  });

  it("keeps an output of many short lines, which is cut without being large", async () => {
    const { archive } = newArchive();
    const spill = createSpill({ archive });
    spill.input.write("\n".repeat(5_000));
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
      await new Promise((written) => spill.input.write(buffer, written));
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
    await expect(pipeline(broken, spill.input)).rejects.toThrow("went dead");
    const { entry, warnings, text } = await spill.finish();
    expect(readFileSync(entry!.path!, "utf8")).toBe(WHOLE);
    expect(warnings.join()).toContain("the line went dead");
    expect(text).toContain("ended early");
  });
});

describe("a source that ends before its end", () => {
  it("is told although it names no reason", async () => {
    const closed = createSpill({ archive: newArchive().archive });
    closed.input.write("begun\n");
    closed.input.destroy();
    expect((await closed.finish()).text).toMatch(/^begun\n\[The output ended early;/);
    const ended = createSpill({ archive: newArchive().archive });
    ended.input.end("all\n");
    expect((await ended.finish()).text).toBe("all\n");
  });
});

describe("chunks", () => {
  it("may split a character, be text and bytes by turns, and come in any view of memory", async () => {
    const spill = createSpill({ archive: newArchive().archive });
    spill.input.write("a\ud83d");
    spill.input.write("\ude00b");
    spill.input.write("c3a9", "hex");
    spill.input.write(new Uint16Array([0x6464, 0x6565]));
    spill.input.write("half \ud83d");
    spill.input.write(Buffer.from("!"));
    spill.input.write("end \ud83d");
    expect((await spill.finish()).text).toBe("a😀béddeehalf \ufffd!end \ufffd");
  });

  it("of any other type are refused, and the result says so", async () => {
    const spill = createSpill({ archive: newArchive().archive });
    await expect(pipeline(["begun\n", 5], spill.input)).rejects.toThrow(TypeError);
    expect((await spill.finish()).text).toMatch(/^begun\n\[The output ended early \(.*number/);
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
    await pipeline(LINES, spill.input);
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
    spill.input.write(WHOLE);
    expect((await spill.finish()).text).toContain(sentence);
  });

  it.each([
    ["before there is a file", 200_000],
    ["when there is one", 1_500_000],
  ])("takes no more than it may, %s, and says so", async (_, maxFileBytes) => {
    const { archive, folder } = newArchive();
    const spill = createSpill({ archive, maxFileBytes });
    await pipeline(
      Array.from({ length: 8 }, () => WHOLE),
      spill.input,
    );
    const { text, truncation } = await spill.finish();
    expect(truncation.total.bytes).toBe(8 * WHOLE.length);
    expect(text).toContain(`not kept (it is larger than ${maxFileBytes} bytes)`);
    expect(existsSync(folder) ? outputsIn(folder) : []).toEqual([]);
  });

  it("rejects limits that leave nothing", () => {
    expect(() => createSpill({ limits: { maxLines: 0 } })).toThrow("maxLines");
    for (const maxFileBytes of [0, -1, Number.NaN]) {
      expect(() => createSpill({ maxFileBytes })).toThrow("maxFileBytes");
    }
    expect(() => createSpill({ direction: "middle" as "both" })).toThrow("direction");
  });
});

describe("an archive without files", () => {
  it("gets the whole as one text", async () => {
    const archive = memoryArchive();
    const spill = createSpill({ archive });
    await pipeline(LINES, spill.input);
    const { entry, text } = await spill.finish();
    expect(await archive.get(entry!.handle)).toBe(WHOLE);
    expect(text).toContain(`recall ${entry!.handle}`);
  });

  it("gets all of what came in many pieces", async () => {
    const archive = memoryArchive();
    const spill = createSpill({ archive });
    const lines = Array.from({ length: 300_000 }, (_, at) => `line ${at}\n`);
    await pipeline(Readable.from(lines), spill.input);
    const { entry } = await spill.finish();
    expect((await archive.get(entry!.handle)) === lines.join("")).toBe(true);
  });

  it.each([
    ["too large", Buffer.alloc(9_000_000, "long line\n"), "at most 8000000 bytes"],
    ["not UTF-8", Buffer.alloc(90_000, "\xff\n", "latin1"), "not UTF-8"],
  ])("cannot hold what is %s", async (_, bytes, sentence) => {
    const spill = createSpill({ archive: memoryArchive() });
    spill.input.write(bytes);
    const { entry, text } = await spill.finish();
    expect(entry).toBeUndefined();
    expect(text).toContain(sentence);
  });
});

it("what nobody waited for is taken all the same, also by a slow disk", async () => {
  const { archive } = newArchive();
  const slow: Archive = { ...archive, open: async () => (await sleep(50), archive.open!("out")) };
  const spill = createSpill({ archive: slow });
  for (let sent = 0; sent < 20; sent++) spill.input.write(Buffer.alloc(1_000_000, "x"));
  expect((await spill.finish()).entry!.bytes).toBe(20_000_000);
});

it("a source waits for a slow disk", async () => {
  const { archive } = newArchive();
  let open: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  const slow: Archive = { ...archive, open: async () => (await gate, archive.open!("out")) };
  const spill = createSpill({ archive: slow });
  let sent = 0;
  function* blocks(): Generator<Buffer> {
    for (; sent < 100; sent++) yield Buffer.alloc(1_000_000, "x");
  }
  const sending = pipeline(Readable.from(blocks()), spill.input);
  for (let turn = 0; turn < 500; turn++) await nextTurn();
  expect(sent).toBeGreaterThan(0);
  expect(sent).toBeLessThan(4);
  open();
  await sending;
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
        for (const one of pieces) spill.input.write(one);
        const { truncation, entry } = await spill.finish();
        const whole = Buffer.concat(pieces);
        expect(truncation.total.bytes).toBe(whole.length);
        expect(truncation.kept.bytes).toBeLessThanOrEqual(limit.maxBytes);
        expect(truncation.kept.lines).toBeLessThanOrEqual(limit.maxLines);
        if (entry === undefined) expect(truncation.text).toBe(whole.toString());
        else expect(readFileSync(entry.path!).equals(whole)).toBe(true);
      },
    ),
    { numRuns: runs(60, 300) },
  );
});

it("a large stream is whole, whatever its pieces", async () => {
  const { archive } = newArchive();
  const size = fc.oneof(
    fc.nat({ max: 700_000 }),
    fc.constantFrom(0, 1, 65_536, 262_144, 1_048_576, 2_500_000),
  );
  const pieces = fc.array(size, { minLength: 1, maxLength: 12 });
  const direction = fc.constantFrom("tail" as const, "head" as const, "both" as const);
  await fc.assert(
    fc.asyncProperty(pieces, direction, async (list, kept) => {
      const spill = createSpill({ archive, keep: true, direction: kept });
      const sent: Buffer[] = [];
      for (const [index, bytes] of list.entries()) {
        const piece = Buffer.alloc(bytes, `${index} a line of this piece\n`);
        sent.push(Buffer.from(piece));
        await new Promise((written) => spill.input.write(piece, written));
        // Its memory is used again.
        piece.fill("?");
      }
      const whole = Buffer.concat(sent);
      const { truncation, entry } = await spill.finish();
      expect(spill.lines()).toBe(countNewlines(whole));
      expect(truncation.total.bytes).toBe(whole.length);
      expect(entry!.bytes).toBe(whole.length);
      expect(readFileSync(entry!.path!).equals(whole)).toBe(true);
      const [start, end] = [whole.subarray(0, 9_000), whole.subarray(-9_000)].map(String);
      if (kept !== "head") expect(truncation.text.endsWith(end!)).toBe(true);
      if (kept !== "tail") expect(truncation.text.startsWith(start!)).toBe(true);
    }),
    { numRuns: runs(10, 30) },
  );
});

it.runIf(process.platform !== "win32")("a disk that is slow takes the bytes in order", async () => {
  const folder = mkdtempSync(join(tmpdir(), "longhaul-spill-"));
  const [pipe, copy] = [join(folder, "pipe"), join(folder, "copy")];
  execFileSync("mkfifo", [pipe]);
  const command = "exec < pipe; sleep 0.2; head -c 2000000; sleep 0.2; cat";
  const reader = spawn("sh", ["-c", `{ ${command}; } > copy`], { cwd: folder });
  const fd = openSync(pipe, "w");
  const { archive } = newArchive();
  const commit = async (): Promise<never> => {
    closeSync(fd);
    await once(reader, "close");
    throw new Error("no file");
  };
  const open = async (): Promise<SpillFile> => ({ path: pipe, fd, commit, async discard() {} });
  const spill = createSpill({ archive: { ...archive, open } });
  const pieces = Array.from({ length: 60 }, (_, at) => Buffer.alloc(90_000, `piece ${at}\n`));
  await pipeline(pieces, spill.input);
  await spill.finish();
  expect(readFileSync(copy).equals(Buffer.concat(pieces))).toBe(true);
});

it("what is written after the end is refused and goes nowhere", async () => {
  const { archive, folder } = newArchive();
  const spill = createSpill({ archive });
  spill.input.write(WHOLE);
  const { entry } = await spill.finish();
  expect(await new Promise((done) => spill.input.write(WHOLE, done))).toBeInstanceOf(Error);
  expect(readFileSync(entry!.path!, "utf8")).toBe(WHOLE);
  expect(spill.bytes()).toBe(WHOLE.length);
  expect(outputsIn(folder)).toHaveLength(1);
});
