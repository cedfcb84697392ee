import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { extractLedger } from "../../../src/core/ledger/index.ts";
import type { Message } from "../../../src/core/message/index.ts";
import { runs } from "../../property/runs.ts";
import { assistant, call, calling, result, results, user } from "../../build-messages.ts";

/** A step in which the agent says something beside its call. */
function saying(text: string, tool: string, input: object): Message[] {
  const step = calling(call("c", tool, input));
  return [
    { ...step, parts: [{ type: "text", text }, ...step.parts] },
    results(result("c", tool, "ok")),
  ];
}

const reading = (text: string): Message[] => saying(text, "read", { path: "src/a.ts" });
const editing = (text: string): Message[] =>
  saying(text, "edit", { path: "src/a.ts", old_string: "a", new_string: "b" });

function statementsOf(...messages: readonly Message[]): readonly string[] {
  return extractLedger(messages).statements.map(({ text }) => text);
}

/** What somebody found out, a result, and what is done next, in each language. */
const LANGUAGES: Readonly<Record<string, readonly [found: string, next: string, done: string]>> = {
  English: [
    "The cache key leaves out the time zone, so two users share one entry.",
    "Let me change that.",
    "The key has the time zone now.",
  ],
  Vietnamese: [
    "Nguyên nhân gốc là khóa của bộ nhớ đệm bỏ qua múi giờ.",
    "Tôi sẽ sửa ngay.",
    "Khóa bây giờ đã có múi giờ.",
  ],
  Chinese: [
    "根本原因是缓存的键没有包含时区，所以两个用户共用一个条目。",
    "现在我来修改。",
    "现在键里包含时区了，测试全部通过。",
  ],
  German: [
    "Die Ursache ist, dass der Schlüssel des Caches die Zeitzone auslässt.",
    "Das ändere ich jetzt.",
    "Der Schlüssel enthält jetzt die Zeitzone.",
  ],
  Japanese: [
    "根本的な原因は、キャッシュのキーにタイムゾーンが含まれていないことです。",
    "これから修正します。",
    "キーにタイムゾーンを追加しました。",
  ],
  Spanish: [
    "La causa es que la clave de la caché no incluye la zona horaria.",
    "Voy a cambiarlo.",
    "La clave ya incluye la zona horaria.",
  ],
  Arabic: [
    "السبب الجذري هو أن مفتاح الذاكرة المؤقتة لا يتضمن المنطقة الزمنية.",
    "سأغير ذلك الآن.",
    "أصبح المفتاح يتضمن المنطقة الزمنية.",
  ],
  Hindi: [
    "मूल कारण यह है कि कैश की कुंजी में समय क्षेत्र शामिल नहीं है।",
    "अब मैं इसे बदलता हूँ।",
    "अब कुंजी में समय क्षेत्र है।",
  ],
  Russian: [
    "Причина в том, что ключ кэша не учитывает часовой пояс.",
    "Сейчас исправлю.",
    "Теперь ключ учитывает часовой пояс.",
  ],
};

describe.each(Object.entries(LANGUAGES))("what the agent found out, in %s", (_, words) => {
  const [found, next, done] = words;

  it("is kept where it stands before a change", () => {
    const said = statementsOf(user("Fix it."), ...editing(`${found} ${next}`), assistant(done));
    expect(said).toContain(found);
    expect(said.at(-1)).toBe(done);
    expect(said).toHaveLength(2);
  });

  it("is kept alone, among texts of other steps, and when the turn has ended long ago", () => {
    const turns = [1, 2, 3].flatMap(() => [user("Go on."), ...reading(next), assistant(done)]);
    const said = statementsOf(
      user("Fix it."),
      ...reading(next),
      ...reading(found),
      ...reading(next),
      ...editing(next),
      ...turns,
    );
    expect(said).toContain(found);
  });

  it("is kept of the last text of a turn", () => {
    expect(statementsOf(user("Why?"), assistant(`${found}\n${done}`))).toEqual([
      `${found}\n${done}`,
    ]);
  });
});

describe("what is kept of what an agent says between calls", () => {
  const text = "the way is long and the words are many, and none of them is known to anybody";

  it("is by position and length, whatever the words are", () => {
    const letters = fc.constantFrom(..."abcdefżółćñçğşéèабвгджзиκλμνאבגدجحקש");
    const word = fc.string({ unit: letters, minLength: 2, maxLength: 9 });
    const sentence = fc
      .array(word, { minLength: 14, maxLength: 24 })
      .map((words) => `${words.join(" ")}.`);
    fc.assert(
      fc.property(sentence, (said) => {
        expect(statementsOf(user("x"), ...editing(said), assistant(text))).toContain(said);
      }),
      { numRuns: runs(50, 2_000) },
    );
  });

  it("is one sentence a change: the one that says most", () => {
    const said = statementsOf(
      user("x"),
      ...reading("The weather is fine today and so is all the rest of it. So be it then."),
      ...reading("**The parser** drops `\\r` in `src/parse.ts`, which breaks tables. Then go."),
      ...editing("The sun is shining on all the fields and on all of the hills."),
    );
    expect(said).toEqual(["**The parser** drops `\\r` in `src/parse.ts`, which breaks tables."]);
  });

  it("is no name alone, as it stands above a block", () => {
    const said = statementsOf(
      user("x"),
      ...editing(
        "The parser drops carriage returns, so tables break.\n\nsrc/core/text/parse-lines.ts\n\nOn to the next of them.",
      ),
    );
    expect(said).toEqual(["The parser drops carriage returns, so tables break."]);
  });

  it("is bounded where nothing is changed, however much is said", () => {
    const asides = Array.from({ length: 100 }, (_, n) => reading(`${n}: ${text}`)).flat();
    const said = statementsOf(user("x"), ...asides);
    expect(said.length).toBeGreaterThan(5);
    expect(said.length).toBeLessThan(20);
  });

  it.each([
    "Let me look at what the parser does with the tables of the page:",
    "Should the parser keep the line ends of the tables as they are?",
    "Now I will update the tests of the parser so that they match",
    "## What the parser does with the tables of this page",
    "```ts\nconst parser = createParser({ tables: true, lines: false })",
    "Done, and fine.",
  ])("is not what only leads on, asks or quotes: %s", (aside) => {
    expect(statementsOf(user("x"), ...editing(aside))).toEqual([]);
  });
});
