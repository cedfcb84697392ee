import * as fc from "fast-check";
import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { type Archive, recallRange, searchArchive, sha256Hex } from "../../src/archive/index.ts";
import { handleFor, type OriginalKind } from "../../src/core/message/index.ts";
import { runs } from "../property/runs.ts";

const KINDS: readonly OriginalKind[] = ["out", "parts", "in", "msg", "head"];
const MISSING = "out_0123456789abcdef";
const MALFORMED = [
  "",
  "out",
  "out_",
  "out_0123",
  "out_0123456789ABCDEF",
  "out_0123456789abcdef0",
  "out_0123456789abcdef\n",
  "file_0123456789abcdef",
  "../../etc/passwd",
  "out_../../../etc/passwd",
  "out_..",
  "/etc/passwd",
  "out_0123456789abcde\0",
  "out_0123456789abcdef/../x",
];

/** A new, empty store; gives the archive of a conversation in it. */
export type CreateStore = () => Promise<(conversation: string) => Archive>;

/** What every archive must do; `create` gives a new, empty one. */
export function describeArchive(
  name: string,
  create: () => Promise<Archive>,
  createStore?: CreateStore,
): void {
  describe(`archive: ${name}`, () => {
    storesOriginals(create);
    refusesHandles(create);
    listsEntries(create);
    readsParts(create);
    takesSpills(create);
    if (createStore !== undefined) keepsConversationsApart(createStore);
  });
}

function storesOriginals(create: () => Promise<Archive>): void {
  it.each(KINDS)("gives back an original of kind %s by its handle", async (kind) => {
    const archive = await create();
    const content = `{"line":1}\r\n{"line":2}\n\u0000\ufeffé漢😀\u0085`;
    const entry = await archive.put(kind, content);
    expect(entry.handle).toBe(handleFor(kind, content, sha256Hex));
    expect(entry.kind).toBe(kind);
    expect(entry.bytes).toBe(Buffer.byteLength(content));
    expect(Math.abs(Date.now() - entry.storedAt)).toBeLessThan(60_000);
    expect(await archive.get(entry.handle)).toBe(content);
    expect(await archive.has(entry.handle)).toBe(true);
  });

  it("gives back any well-formed text byte for byte", async () => {
    const archive = await create();
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...KINDS),
        fc.string({ unit: "binary", maxLength: 400 }),
        async (kind, content) => {
          const { handle } = await archive.put(kind, content);
          expect(await archive.get(handle)).toBe(content);
        },
      ),
      { numRuns: runs(20, 60) },
    );
  });

  it("stores the same content once and the empty text too", async () => {
    const archive = await create();
    const first = await archive.put("out", "same");
    expect(await archive.put("out", "same")).toEqual(first);
    await archive.put("out", "");
    expect(await archive.get((await archive.put("out", "")).handle)).toBe("");
    expect(await archive.list()).toHaveLength(2);
  });

  it("takes a handle that is known, but no name that is none", async () => {
    const archive = await create();
    const handle = handleFor("head", "known", sha256Hex);
    const entry = await archive.put("head", "known", handle);
    expect(entry.handle).toBe(handle);
    expect(await archive.put("head", "known")).toEqual(entry);
    await expect(archive.put("head", "known", "head_../x")).rejects.toMatchObject({
      code: "unknown-handle",
    });
  });

  it("keeps the same content of two kinds apart", async () => {
    const archive = await create();
    const out = await archive.put("out", "text");
    const msg = await archive.put("msg", "text");
    expect(out.handle.slice(-16)).toBe(msg.handle.slice(-16));
    expect((await archive.list()).map(({ kind }) => kind).toSorted()).toEqual(["msg", "out"]);
  });

  it("stores an original of several megabytes", async () => {
    const archive = await create();
    const content = "0123456789 é\n".repeat(400_000);
    const { handle, bytes } = await archive.put("out", content);
    expect(bytes).toBe(5_600_000);
    expect((await archive.get(handle)) === content).toBe(true);
  });

  it("keeps a head that comes in pieces as one text", async ({ skip }) => {
    const archive = await create();
    skip(archive.putPieces === undefined, "it takes originals as texts");
    const texts = Array.from({ length: 1_500 }, (_, at) => `{"at":${at},"said":"zwölf 😀"}\n`);
    const handle = handleFor("head", texts.join(""), sha256Hex);
    const pieces = texts.map((text, at) => (at % 3 === 0 ? text : new TextEncoder().encode(text)));
    const entry = await archive.putPieces?.(handle, pieces);
    expect(entry).toMatchObject({ handle, bytes: Buffer.byteLength(texts.join("")) });
    expect(await archive.get(handle)).toBe(texts.join(""));
    expect(await archive.put("head", texts.join(""))).toEqual(entry);
  });

  it("takes many originals at once", async () => {
    const archive = await create();
    const texts = Array.from({ length: 600 }, (_, index) => `original ${index % 300}`);
    const entries = await Promise.all(texts.map((text) => archive.put("out", text)));
    expect(new Set(entries.map(({ handle }) => handle)).size).toBe(300);
    expect(await Promise.all(entries.map(({ handle }) => archive.get(handle)))).toEqual(texts);
  });

  it.each(["a\ud800b", "\udc00", "tail\ud83d"])(
    "refuses half a surrogate pair: %j",
    async (text) => {
      const archive = await create();
      await expect(archive.put("out", text)).rejects.toMatchObject({ code: "invalid-message" });
      expect(await archive.list()).toEqual([]);
    },
  );
}

function refusesHandles(create: () => Promise<Archive>): void {
  it.each(MALFORMED)("answers unknown-handle to %j", async (handle) => {
    const archive = await create();
    await archive.put("out", "something");
    await expect(archive.get(handle)).rejects.toMatchObject({
      name: "ContextError",
      code: "unknown-handle",
      message: expect.stringContaining("do not guess") as string,
    });
    expect(await archive.has(handle)).toBe(false);
  });

  it("tells not to ask again for a handle that is not there", async () => {
    const archive = await create();
    await expect(archive.get(MISSING)).rejects.toMatchObject({
      code: "unknown-handle",
      message: expect.stringContaining("Asking again will not find it") as string,
      details: { handle: MISSING },
    });
    expect(await archive.has(MISSING)).toBe(false);
  });

  it.each([5, null, {}])("refuses %j, which is no text, as a handle", async (value) => {
    const archive = await create();
    const handle = value as unknown as string;
    await expect(archive.get(handle)).rejects.toMatchObject({ code: "unknown-handle" });
    expect(await archive.has(handle)).toBe(false);
  });

  it("names only the start of a huge malformed handle", async () => {
    const archive = await create();
    const error: unknown = await archive
      .get("x".repeat(1_000_000))
      .catch((reason: unknown) => reason);
    expect(String(error).length).toBeLessThan(400);
  });
}

function listsEntries(create: () => Promise<Archive>): void {
  it("is empty at first", async () => {
    expect(await (await create()).list()).toEqual([]);
  });

  it("lists all entries as put returned them, oldest first", async () => {
    const archive = await create();
    const entries = [];
    for (const text of ["first", "second", "third"]) {
      entries.push(await archive.put("msg", text));
      await sleep(15);
    }
    await archive.put("msg", "first");
    expect(await archive.list()).toEqual(entries);
  });
}

function readsParts(create: () => Promise<Archive>): void {
  it("gives back any part of an original, by lines and by bytes", async () => {
    const archive = await create();
    const line = fc.string({ unit: "grapheme", maxLength: 30 }).map((text) => `${text.trim()}\n`);
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 1 }),
        fc.nat(),
        fc.nat(),
        async (lines, a, b) => {
          const content = lines.join("");
          const { handle } = await archive.put("out", content);
          const all = content.split("\n").slice(0, -1);
          const [first = 1, last = 1] = [(a % all.length) + 1, (b % all.length) + 1].toSorted(
            (one, other) => one - other,
          );
          const part = await recallRange(archive, handle, { lines: [first, last] });
          expect(part.text).toBe(`${all.slice(first - 1, last).join("\n")}\n`);
          const whole = await recallRange(archive, handle, { bytes: [0, Infinity] });
          expect(whole.text).toBe(content);
        },
      ),
      { numRuns: runs(16, 50) },
    );
  });

  it("finds a line in everything it holds", async () => {
    const archive = await create();
    await archive.put("out", "one\ntwo needle\nthree");
    await archive.put("msg", "nothing here");
    const { hits, searched } = await searchArchive(archive, "needle", { context: 1 });
    expect(hits).toMatchObject([
      { line: 2, text: "two needle", before: ["one"], after: ["three"] },
    ]);
    expect(searched.originals).toBe(2);
  });

  it("reads in pieces what it gives back as a whole, if it can", async ({ skip }) => {
    const archive = await create();
    if (archive.read === undefined) return skip("it holds texts");
    const content = "0123456789".repeat(100_000);
    const { handle } = await archive.put("out", content);
    const reader = await archive.read(handle);
    const into = new Uint8Array(10);
    expect(reader.bytes).toBe(content.length);
    expect(await reader.read(500_003, into)).toBe(10);
    expect(Buffer.from(into).toString()).toBe("3456789012");
    expect(await reader.read(content.length, into)).toBe(0);
    await reader.close();
    await expect(archive.read(MISSING)).rejects.toMatchObject({ code: "unknown-handle" });
    await expect(archive.read("../x")).rejects.toMatchObject({ code: "unknown-handle" });
  });
}

function takesSpills(create: () => Promise<Archive>): void {
  it("lists a spill once it is committed, and what is small by its content", async ({ skip }) => {
    const archive = await create();
    if (archive.open === undefined) return skip("it has no files");
    const [small, large, gone] = [
      await archive.open("out"),
      await archive.open("out"),
      await archive.open("out"),
    ];
    for (const { fd } of [small, gone]) writeSync(fd, "spilled\n");
    writeSync(large.fd, "x".repeat(1_048_577));
    expect(await archive.list()).toEqual([]);
    await gone.discard();
    const entries = [await small.commit(), await large.commit()];
    expect(entries.map(({ kind }) => kind)).toEqual(["out", "run"]);
    expect(await archive.put("out", "spilled\n")).toEqual(entries[0]);
    expect(new Set((await archive.list()).map(({ handle }) => handle))).toEqual(
      new Set(entries.map(({ handle }) => handle)),
    );
    expect(await archive.get(entries[1]?.handle ?? "")).toBe("x".repeat(1_048_577));
  });
}

function keepsConversationsApart(createStore: CreateStore): void {
  it("finds an original only through its own conversation", async () => {
    const archiveOf = await createStore();
    const ids = ["one", "two", "../one", "", "One", "con", "x".repeat(300), "日本"];
    for (const id of ids) {
      const { handle } = await archiveOf(id).put("out", `the secret of ${JSON.stringify(id)}`);
      for (const other of ids.filter((each) => each !== id)) {
        expect(await archiveOf(other).has(handle)).toBe(false);
        await expect(archiveOf(other).get(handle)).rejects.toMatchObject({
          code: "unknown-handle",
          message: expect.stringContaining("Asking again will not find it") as string,
        });
      }
      expect((await archiveOf(id).list()).map((entry) => entry.handle)).toEqual([handle]);
    }
  });

  it("gives the same content the same handle in every conversation", async () => {
    const archiveOf = await createStore();
    const [one, two] = [archiveOf("one"), archiveOf("two")];
    const { handle } = await one.put("out", "shared");
    expect((await two.put("out", "shared")).handle).toBe(handle);
    expect(await one.get(handle)).toBe("shared");
    expect(await two.get(handle)).toBe("shared");
  });
}
