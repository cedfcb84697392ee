import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mergeLedgers, EMPTY_LEDGER, type NameFact } from "../../../src/core/ledger/index.ts";
import { createNameBook, namesIn } from "../../../src/core/ledger/names.ts";
import { assistant, step, user } from "../../build-messages.ts";
import { runs } from "../../property/runs.ts";

describe("namesIn", () => {
  it("knows the file that a call was about, and who wrote a name", () => {
    const names = namesIn([
      ...step("1", "read", { path: "src/a.ts" }, "export function parseHeader() {}"),
      ...step("2", "edit", { path: "src/a.ts", oldText: "x", newText: "newCursor = 1" }, "done"),
    ]);
    expect(names).toEqual([
      { name: "newCursor", path: "src/a.ts", isOwn: true },
      { name: "parseHeader", path: "src/a.ts" },
    ]);
  });

  it("takes the file of a hit from its line", () => {
    const names = namesIn(
      step("1", "grep", { pattern: "x" }, "src/b.ts:12: callMe()\nsrc/c.ts:3: other_one"),
    );
    expect(names).toContainEqual({ name: "callMe", path: "src/b.ts" });
    expect(names).toContainEqual({ name: "other_one", path: "src/c.ts" });
  });

  it("takes ids, URLs and paths, and no words", () => {
    const text =
      "See https://example.com/a/b. and 019d7e3d-0164-7aaa-8bbb-123456789abc in lib/x/y.rs, not the usual words.";
    const names = namesIn([assistant(text)]).map(({ name }) => name);
    expect(names.toSorted()).toEqual([
      "019d7e3d-0164-7aaa-8bbb-123456789abc",
      "https://example.com/a/b",
      "lib/x/y.rs",
    ]);
  });

  it("takes a URL whole, a path from the home folder, and no escapes or closing tags", () => {
    const text =
      "At https://example.com/a?b=c#some-part, see ~/.config/tool/x.json and `\\nInput` in </title>";
    const names = namesIn([assistant(text)]).map(({ name }) => name);
    expect(names.toSorted()).toEqual([
      "https://example.com/a?b=c#some-part",
      "~/.config/tool/x.json",
    ]);
  });

  it("keeps the dot of a folder, and none of a method", () => {
    const text = "In .claude/settings.json and .github/workflows/ci.yml: list.mapValues().";
    expect(
      namesIn([assistant(text)])
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual([".claude/settings.json", ".github/workflows/ci.yml", "mapValues"]);
  });

  it("takes a path of Windows whole, from its drive, and one that goes up", () => {
    const text =
      "In D:\\app\\website\\themes.json and D:\\\\app\\\\new_one.ts, unset Env:\\OMP_BIN; from '../../base.json'";
    const names = namesIn([assistant(text)]).map(({ name }) => name);
    expect(names.toSorted()).toEqual([
      "../../base.json",
      "D:/app/new_one.ts",
      "D:/app/website/themes.json",
      "OMP_BIN",
    ]);
  });

  it("takes nothing from a file as text", () => {
    const image = Buffer.from(Array.from({ length: 900 }, (_, at) => (at * at * 37) % 251));
    const text = `data:image/png;base64,${image.toString("base64")} of newPicture`;
    expect(namesIn([assistant(text)])).toEqual([{ name: "newPicture", isOwn: true }]);
  });

  it("takes what a program put in for the words of others", () => {
    const names = namesIn([{ ...user("now in newFolder_a"), kind: "injected" }]);
    expect(names).toEqual([{ name: "newFolder_a" }]);
  });

  it("has what is newest last, each once", () => {
    const names = namesIn([
      assistant("firstName"),
      assistant("secondName"),
      assistant("firstName"),
    ]);
    expect(names.map(({ name }) => name)).toEqual(["secondName", "firstName"]);
  });

  it("ends with an input that is nested without end", () => {
    const input: Record<string, unknown> = { text: "someName" };
    for (let at = 0; at < 20; at++) input[`self${at}`] = input;
    const names = namesIn(step("1", "run", input, "done"));
    expect(names).toEqual([{ name: "someName", isOwn: true }]);
  });

  it("takes nothing from what a person wrote", () => {
    expect(namesIn([user("please mend someThing")])).toEqual([]);
  });

  it("finds nothing that does not stand in the messages", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary", maxLength: 200 })), (texts) => {
        const messages = texts.flatMap((text, at) =>
          step(String(at), "run", { command: text }, text),
        );
        const whole = texts.join("\n");
        for (const { name } of namesIn(messages)) expect(whole).toContain(name);
      }),
      { numRuns: runs(40, 2_000) },
    );
  });

  it("sees every word, of whatever units it is made", () => {
    const unit = fc.constantFrom(..."aB3_/.:-+$@ \u00e9");
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 300 }), (text) => {
        const found = new Set(namesIn([assistant(text)]).map(({ name }) => name));
        for (const word of text.match(/[\w$@.+/:-]{5,200}/g) ?? []) {
          for (const part of word.split(/[^\w$]+/)) {
            if (part.length < 5 || part.length > 80 || !/[a-z][A-Z]|[A-Za-z]_[A-Za-z]/.test(part))
              continue;
            expect([...found].some((name) => name.includes(part))).toBe(true);
          }
          if (/^[0-9a-f]{7,40}$/.test(word) && /\d/.test(word) && /[a-f]/.test(word)) {
            expect(found.has(word)).toBe(true);
          }
        }
      }),
      { numRuns: runs(300, 20_000) },
    );
  });

  it("finds the same message by message as at the end", () => {
    const text = fc.constantFrom("oneName", "two_names in src/a.ts", "src/b.ts:12: callMe()", "");
    const path = fc.constantFrom("src/a.ts", "src/b.ts");
    const call = fc.tuple(fc.constantFrom("read", "grep"), path, text, fc.constantFrom("1", "2"));
    fc.assert(
      fc.property(fc.array(call, { maxLength: 12 }), fc.nat(24), (calls, from) => {
        const messages = calls.flatMap(([tool, file, said, id]) =>
          step(id, tool, tool === "read" ? { path: file } : { pattern: said }, said),
        );
        const book = createNameBook();
        for (let end = 0; end <= messages.length; end++) book.follow(messages.slice(0, end));
        expect(book.namesIn(messages.slice(from))).toEqual(namesIn(messages.slice(from)));
      }),
      { numRuns: runs(200, 5_000) },
    );
  });

  it("reads a call again whose input or output is another by now", () => {
    const book = createNameBook();
    const [call, result] = step("1", "run", { command: "oneName" }, "an output");
    book.follow([call!, result!]);
    const [part] = call!.parts;
    Object.assign(part!, { input: { command: "otherName" } });
    expect(book.namesIn([call!, result!]).map(({ name }) => name)).toEqual(["otherName"]);
  });

  it.each([
    "a".repeat(1_000_000),
    "a_".repeat(500_000),
    "a/".repeat(500_000),
    "aB.".repeat(300_000),
  ])("reads a megabyte of anything in little time (%#)", (text) => {
    // A quadratic reading would not end before the test's limit.
    expect(namesIn([assistant(text)]).length).toBeLessThan(500);
  });

  it("adds up over records, the newest last", () => {
    const of = (...names: NameFact[]) => ({ ...EMPTY_LEDGER, names });
    const sum = mergeLedgers(of({ name: "oneName" }, { name: "twoName" }), of({ name: "oneName" }));
    expect(sum.names).toEqual([{ name: "twoName" }, { name: "oneName" }]);
  });
});
