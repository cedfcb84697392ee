import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { carryOriginals } from "../../src/archive/carry.ts";
import { directoryArchive } from "../../src/archive/directory.ts";
import { collectGarbage } from "../../src/archive/retention.ts";
import { runs } from "../property/runs.ts";

const DAY = 24 * 60 * 60 * 1000;

let scratch = "";
beforeAll(async () => {
  scratch = await fs.mkdtemp(join(tmpdir(), "longhaul-named-"));
});
afterAll(() => fs.rm(scratch, { recursive: true, force: true }));

async function newPlace(): Promise<{ root: string; file: string }> {
  const folder = await fs.mkdtemp(join(scratch, "case-"));
  const file = join(folder, "session.jsonl");
  await fs.writeFile(file, "");
  return { root: join(folder, "archive"), file };
}

/** Makes every conversation look as if nobody had used it for a month. */
async function age(root: string): Promise<void> {
  const then = new Date(Date.now() - 30 * DAY);
  for (const name of await fs.readdir(root)) {
    await fs.utimes(join(root, name, ".used"), then, then).catch(() => undefined);
  }
}

describe("what a file names", () => {
  it("stays as long as the file is there, and goes by the usual rules afterwards", async () => {
    const { root, file } = await newPlace();
    const archive = directoryArchive(root, { conversation: "one", namedBy: file });
    const { handle } = await archive.put("out", "an output");
    await archive.put("out", "another");
    expect(await fs.readFile(join(root, "one", ".named"), "utf8")).toBe(
      `${JSON.stringify(file)}\n`,
    );
    await age(root);
    expect((await collectGarbage(root)).names).toEqual([]);
    expect(await archive.get(handle)).toBe("an output");
    await fs.rm(file);
    await age(root);
    expect((await collectGarbage(root)).names).toEqual(["one"]);
    expect(await fs.readdir(root)).toEqual([".gc"]);
  });

  it("goes by a limit that was given", async () => {
    const { root, file } = await newPlace();
    await directoryArchive(root, { conversation: "one", namedBy: file }).put("out", "x");
    await age(root);
    expect((await collectGarbage(root, { maxBytes: 0 })).names).toEqual(["one"]);
  });

  it("stays where nobody can look: on a disk that is away, or nowhere that is known", async () => {
    const { root } = await newPlace();
    const away = join(root, "not", "mounted", "session.jsonl");
    await directoryArchive(root, { conversation: "away", namedBy: away }).put("out", "x");
    await directoryArchive(root, { conversation: "other", namedBy: true }).put("out", "x");
    await age(root);
    expect((await collectGarbage(root)).names).toEqual([]);
  });

  it("stays with a torn list, and what reads alone names nothing", async () => {
    const { root, file } = await newPlace();
    const named = directoryArchive(root, { conversation: "one", namedBy: file });
    await named.put("out", "x");
    await fs.appendFile(join(root, "one", ".named"), '"/torn');
    await age(root);
    expect((await collectGarbage(root)).names).toEqual([]);
    await directoryArchive(root, { conversation: "two" }).put("out", "x");
    await directoryArchive(root, { conversation: "two", namedBy: file }).list();
    await age(root);
    expect((await collectGarbage(root)).names).toEqual(["two"]);
  });
});

describe("originals that are carried along", () => {
  it("are all that a text names, whatever stands between, and stay when the others go", async () => {
    const shape = fc.record({
      // Each original names some of those before it.
      names: fc.array(fc.array(fc.nat({ max: 20 }), { maxLength: 3 }), {
        minLength: 1,
        maxLength: 8,
      }),
      places: fc.array(fc.constantFrom("a", "b", "new"), { minLength: 8, maxLength: 8 }),
      named: fc.array(fc.nat({ max: 7 }), { minLength: 1, maxLength: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(shape, async ({ names, places, named }) => {
        const { root, file } = await newPlace();
        const handles: string[] = [];
        const needs: ReadonlySet<string>[] = [];
        for (const [at, earlier] of names.entries()) {
          const before = earlier.map((index) => index % Math.max(1, at)).filter(() => at > 0);
          const text = `original ${at}: ${before.map((index) => handles[index]).join(" and ")}`;
          const archive = directoryArchive(root, { conversation: places[at] ?? "a" });
          handles.push((await archive.put("out", text)).handle);
          needs.push(new Set(before.flatMap((n) => [handles[n] ?? "", ...(needs[n] ?? [])])));
        }
        const wanted = named.map((index) => index % handles.length);
        const text = JSON.stringify({ said: wanted.map((index) => `recall ${handles[index]}`) });
        await carryOriginals(root, text, { from: ["a", "b"], to: "new", namedBy: file });
        await age(root);
        await collectGarbage(root);
        const kept = directoryArchive(root, { conversation: "new", retention: false });
        for (const index of wanted) {
          for (const handle of [handles[index] ?? "", ...(needs[index] ?? [])]) {
            expect(await kept.get(handle)).toContain("original");
          }
        }
        const left = (await fs.readdir(root)).filter((name) => !name.startsWith("."));
        expect(left).toEqual(["new"]);
      }),
      { numRuns: runs(15, 200) },
    );
  });

  it("come from no other conversation, and nothing is made where nothing is named", async () => {
    const { root, file } = await newPlace();
    const secret = await directoryArchive(root, { conversation: "other" }).put("out", "secret");
    const carried = { from: ["mine"], to: "new", namedBy: file };
    await carryOriginals(root, `see ${secret.handle}`, carried);
    expect(await directoryArchive(root, { conversation: "new" }).has(secret.handle)).toBe(false);
    await carryOriginals(root, "nothing", { ...carried, to: "third" });
    expect(await fs.readdir(root)).not.toContain("third");
  });
});
