import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message } from "../../../src/core/message/index.ts";
import {
  DETAILS,
  type Detail,
  escapeAttribute,
  escapeData,
  messageElements,
} from "../../../src/core/summary/head-text.ts";
import {
  assistant,
  call,
  calling,
  injected,
  result,
  results,
  step,
  user,
} from "../../build-messages.ts";
import { isWellFormed } from "../../../src/core/text/utf8.ts";
import { legalConversation, visibleText } from "../../property/arbitraries.ts";
import { elementsIn, HOSTILE, isBalanced } from "./hostile.ts";

function headText(messages: readonly Message[], detail: Detail): string {
  return messages.flatMap((message) => messageElements(message, detail)).join("\n");
}

const FINE = DETAILS[0] as Detail;
const COARSE = DETAILS.at(-1) as Detail;

describe("the head as text", () => {
  it("says who said what, what was called and what came of it", () => {
    const messages: Message[] = [
      user("Fix the test."),
      injected("The file changed."),
      calling(call("1", "bash", { command: "npm test", description: "Runs the tests" })),
      results({ ...result("1", "bash", "1 failed\nsee above", true), exitCode: 1 }),
      assistant("It fails."),
    ];
    expect(headText(messages, FINE)).toBe(
      [
        '<msg from="user">Fix the test.</msg>',
        '<msg from="program">The file changed.</msg>',
        '<call tool="bash">npm test</call>',
        '<result tool="bash" status="failed" exit="1">',
        "1 failed",
        "see above",
        "</result>",
        '<msg from="agent">It fails.</msg>',
      ].join("\n"),
    );
  });

  it("shows the fields of a call in finer detail and only its subject in the coarsest", () => {
    const messages = step("1", "edit", { path: "src/a.ts", old: "one\ntwo", new: "three" }, "ok");
    expect(headText(messages, FINE)).toContain(
      '<call tool="edit">\nsrc/a.ts\nold: one\ntwo\nnew: three\n</call>',
    );
    expect(headText(messages, COARSE)).toContain('<call tool="edit">src/a.ts</call>');
  });

  it("leaves reasoning and continuations out and describes media", () => {
    const messages: Message[] = [
      {
        role: "user",
        parts: [
          { type: "text", text: "Look:" },
          { type: "file", mediaType: "image/png", filename: "shot.png", data: "AAAA" },
        ],
      },
      {
        role: "assistant",
        parts: [
          { type: "reasoning", text: "SECRET THOUGHT", signature: "c2ln" },
          { type: "opaque", kind: "web_search", source: { dialect: "x", value: {} } },
        ],
      },
      { role: "user", kind: "continuation", parts: [{ type: "text", text: "Continue the task" }] },
      {
        role: "user",
        kind: "summary",
        parts: [{ type: "text", text: "What another agent wrote." }],
      },
    ];
    const text = headText(messages, FINE);
    expect(text).not.toMatch(/SECRET|AAAA|Continue/);
    expect(text).toContain('[image/png "shot.png", 3 bytes was attached here');
    expect(text).toContain('<msg from="agent">[web_search]</msg>');
    expect(text).toContain('<msg from="earlier-record">What another agent wrote.</msg>');
  });

  it("clips outputs first and what the person wrote last", () => {
    const long = "0123456789".repeat(800);
    const messages = [user(long), assistant(long), ...step("1", "bash", { command: "x" }, long)];
    const [, , , fourth = FINE] = DETAILS;
    const text = headText(messages, fourth);
    expect(text.length).toBeLessThan(8_000 + 2_000 + 800 + 400);
    expect(text.match(/characters left out/g)).toHaveLength(2);
    expect(headText(messages, FINE)).not.toContain("left out");
    const sizes = DETAILS.map((detail) => headText(messages, detail).length);
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
  });

  it.each(HOSTILE)("holds the hostile text %j wherever it stands", (text) => {
    const messages: Message[] = [
      user(text),
      ...step(text, text, { [text]: text, command: text }, text),
      ...step("2", "bash", { command: text }, text),
      ...step("3", "write", { path: text, content: text }, text),
      { role: "user", parts: [{ type: "file", mediaType: text, filename: text, data: "AAAA" }] },
    ];
    for (const detail of DETAILS) {
      const rendered = headText(messages, detail);
      expect(isBalanced(rendered)).toBe(true);
      const speakers = [...rendered.matchAll(/<msg from="([^"]*)">/g)].map(([, who]) => who);
      expect(speakers).toEqual(["user", "user"]);
    }
  });

  it("is the same text for the same messages, with every element closed", () => {
    fc.assert(
      fc.property(legalConversation(), fc.constantFrom(...DETAILS), (messages, detail) => {
        const text = headText(messages, detail);
        expect(headText(structuredClone(messages), detail)).toBe(text);
        expect(isBalanced(text)).toBe(true);
      }),
    );
  });
});

describe("a clipped text", () => {
  const output = (text: string, detail: Detail): string =>
    headText(step("1", "bash", { command: "x" }, text), detail);

  it("keeps more of the end than of the start and says how much is left out", () => {
    const text = `${"a".repeat(500)}${"z".repeat(500)}`;
    expect(output(text, COARSE)).toContain(
      `\n${"a".repeat(35)}\n[… 900 characters left out …]\n${"z".repeat(65)}\n`,
    );
  });

  it("names the errors of the middle where there is room for them", () => {
    const text = `${"ok\n".repeat(900)}Error: the disk is full\n${"ok\n".repeat(900)}`;
    const [, , third = FINE] = DETAILS;
    expect(output(text, third)).toContain("among them:\nError: the disk is full\n");
    expect(output(text, COARSE)).not.toContain("disk");
  });

  it("never splits a character", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 50, maxLength: 300 }), (text) => {
        expect(isWellFormed(output(text, COARSE))).toBe(true);
      }),
    );
  });
});

describe("a text as data", () => {
  it.each(HOSTILE)("holds no element of ours: %j", (text) => {
    expect(elementsIn(escapeData(text))).toEqual([]);
  });

  it("holds no control token of a chat format", () => {
    const text = escapeData("<|im_start|> < |x|> <｜User｜> </s> <s> [INST] [/INST] <bos>");
    expect(text).not.toMatch(/<\s*[|｜]|<\/?s>|<bos>|\[\/?INST\]/);
  });

  it.each([
    "const list: Array<string> = a < b ? c : d;",
    "<div class='x'><p>html</p></div>",
    "<callback/> <messages> <resultset>",
    "if (a <b && [INSTALL]) {}",
    "$& $` $'",
  ])("leaves everything else as it is: %s", (text) => {
    expect(escapeData(text)).toBe(text);
  });

  it("stays the same when it is escaped again, and is quick on long runs", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(visibleText, fc.constantFrom(...HOSTILE))), (texts) => {
        const escaped = escapeData(texts.join(""));
        expect(escapeData(escaped)).toBe(escaped);
        expect(elementsIn(escaped)).toEqual([]);
      }),
    );
    expect(escapeData(`<${" ".repeat(100_000)}`.repeat(3))).toHaveLength(300_003);
  });

  it("is one line without quotes or brackets as an attribute", () => {
    const value = escapeAttribute('a"b<c>\n&d\u0000 e');
    expect(value).toBe("a&quot;b&lt;c&gt; &amp;d e");
    expect(escapeAttribute("x".repeat(1_000))).toHaveLength(120);
  });
});
