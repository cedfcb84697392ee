import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { extractiveSummary, parseSummary } from "../../../src/core/summary/index.ts";
import { ruleLines, ruleWeight } from "../../../src/core/summary/rules.ts";
import { runs } from "../../property/runs.ts";
import { count, HEAD, ledger } from "./build-ledger.ts";

/** A rule, and an order of no lasting meaning, in each language. */
const LANGUAGES: Readonly<Record<string, readonly [rule: string, wish: string]>> = {
  English: [
    "Never touch the folder vendor.",
    "And now export page N as well, please, with all its pictures and tables.",
  ],
  Vietnamese: [
    "Không được sửa thư mục vendor.",
    "Bây giờ hãy xuất cả trang N nữa nhé, với mọi hình ảnh và bảng biểu.",
  ],
  Chinese: ["不要修改 vendor 目录。", "现在请把第 N 页也导出来，包括其中的图片和表格以及脚注。"],
  German: [
    "Der Ordner vendor darf nicht geändert werden.",
    "Und jetzt bitte auch Seite N mit allen ihren Bildern und Tabellen exportieren.",
  ],
  Japanese: [
    "vendor フォルダーは絶対に変更しないでください。",
    "次にページ N も書き出してください、画像と表もすべて含めて。",
  ],
  Spanish: [
    "Nunca cambies la carpeta vendor.",
    "Y ahora exporta también la página N, por favor, con todas sus imágenes.",
  ],
  Arabic: ["يجب ألا تغير المجلد vendor.", "والآن صدر الصفحة N أيضا من فضلك مع كل صورها وجداولها."],
  Hindi: ["vendor फ़ोल्डर को कभी न बदलें।", "अब पृष्ठ N को भी उसके चित्रों और तालिकाओं के साथ निर्यात करें।"],
  Russian: [
    "Никогда не меняй папку vendor.",
    "А теперь, пожалуйста, экспортируй и страницу N со всеми картинками.",
  ],
};
const TASK = "Port the exporter.";

function instructionsOf(typed: readonly string[], cap = 1_200): string {
  const facts = ledger({ instructions: typed });
  const summary = extractiveSummary({ ledger: facts, cap, count, headHandle: HEAD });
  return parseSummary(summary).get("instructions") ?? "";
}

/** 200 orders of which one text, among the first ones, is another. */
function among(wish: string, text: string): readonly string[] {
  const wishes = Array.from({ length: 200 }, (_, n) => wish.replace("N", `${n}`));
  return [TASK, ...wishes.with(20, text)];
}

describe("a rule of the user outlasts newer orders", () => {
  it.each(Object.entries(LANGUAGES))("in %s", (_, [rule, wish]) => {
    const instructions = instructionsOf(among(wish, rule));
    expect(instructions).toContain(TASK);
    expect(instructions).toContain(rule);
    expect(instructions).toContain(wish.replace("N", "199"));
    expect(instructions).toMatch(/… and \d+ more/);
  });

  const [, wish] = LANGUAGES["English"] as readonly [string, string];
  it.each([
    ["what is stressed", "Folder **vendor** is not ours."],
    ["what is in capitals", "vendor STAYS as it is"],
    ["what is exclaimed", "Hands off vendor!"],
    ["a list", "About the folders:\n- vendor stays\n- dist goes"],
  ])("in any language by its form: %s", (_, rule) => {
    expect(instructionsOf(among(wish, rule))).toContain(rule.split("\n").join("\n  "));
  });

  it("in any language by its place: what is short and was said early", () => {
    const letters = fc.constantFrom(..."abcdefżółćñçğşéèабвгджзиκλμνאבגدجحקש");
    const word = fc.string({ unit: letters, minLength: 2, maxLength: 9 });
    const rule = fc
      .array(word, { minLength: 4, maxLength: 8 })
      .map((words) => `${words.join(" ")}.`);
    const long = "so that is how it was, and what is to come will be seen by all of us; ".repeat(6);
    fc.assert(
      fc.property(rule, (said) => {
        const wishes = Array.from({ length: 100 }, (_, n) => `${n} ${long}`);
        expect(instructionsOf([TASK, said, ...wishes])).toContain(said);
      }),
      { numRuns: runs(50, 1_000) },
    );
  });
});

describe("of a long text that has no room as a whole", () => {
  const prose = "The service exports pages for the archive of the city, as it has for years.\n";
  const spec = `Port the exporter.\n${prose.repeat(60)}- không được sửa thư mục vendor\n${prose.repeat(60)}`;

  it("the items and rules of what is left out are kept", () => {
    const instructions = instructionsOf([spec], 2_000);
    expect(instructions).toContain("Port the exporter.");
    expect(instructions).toMatch(/\[clipped, \d+ characters in all: recall head_/);
    expect(instructions).toContain("- không được sửa thư mục vendor");
  });

  it.each(Object.entries(LANGUAGES))("the rule in its paragraph is kept, in %s", (_, said) => {
    const [rule, wish] = said;
    const prose = Array.from({ length: 400 }, (_, n) => wish.replace("N", `${n}`));
    const paragraph = prose.toSpliced(200, 0, rule).join(" ");
    expect(instructionsOf([paragraph], 2_000)).toContain(rule);
  });

  it("its shortest sentences are kept where nothing else tells: a rule in any language", () => {
    const letters = fc.constantFrom(..."ąęłżőűëçğşıαβγδאבגדकखगဃあ");
    const word = fc.string({ unit: letters, minLength: 4, maxLength: 7 });
    const sentence = (length: number): fc.Arbitrary<string> =>
      fc
        .array(word, { minLength: length, maxLength: length })
        .map((words) => `${words.join(" ")}.`);
    const text = fc.tuple(sentence(5), fc.array(sentence(20), { minLength: 90, maxLength: 120 }));
    fc.assert(
      fc.property(text, fc.constantFrom(" ", "\n"), ([rule, prose], between) => {
        const typed = prose.toSpliced(60, 0, rule).join(between);
        expect(instructionsOf([typed], 2_000)).toContain(rule);
      }),
      { numRuns: runs(20, 500) },
    );
  });

  it("are its list items, what is stressed, and nothing that is long", () => {
    const item = "- keep vendor";
    expect(ruleLines(`one\n${item}\ntwo\n**three**\n- ${"x".repeat(400)}`)).toBe(
      `${item}\n**three**`,
    );
  });
});

it.each([
  ["What should be done about the folder vendor?", 0],
  ["vendor をどうすればいいですか？", 0],
  ["go on", 1],
  ["Please run the tests again.", 1],
  ["Never run them again.", 2],
  [`A report. ${"Something must be wrong here. ".repeat(40)}`, 0],
])("%s weighs %d", (text, weight) => {
  expect(ruleWeight(text)).toBe(weight);
});
