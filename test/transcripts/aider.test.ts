import { describe, expect, it } from "vitest";
import { aider } from "../../src/transcripts/aider/aider.ts";
import type { Reading } from "../../src/transcripts/transcript.ts";
import { countsOf } from "./counts.ts";
import { describeTranscript } from "../conformance/describe-transcript.ts";
import { isAider } from "../../src/transcripts/signs.ts";

describeTranscript("aider", [{ file: "aider/aider-chat-history.md.gz" }]);

function read(text: string): Reading {
  const reader = aider.open();
  text.split("\n").forEach((line, index) => reader.record(line, index + 1));
  return reader.finish();
}

const START = "# aider chat started at 2024-08-05 19:33:02";

describe("aider", () => {
  it("makes a conversation of every chat, and of what stands before the first start", () => {
    const { conversations } = read(
      `#### earlier  \n\n${START}\n\n${START}\n\n#### hi  \n\nHello.\n`,
    );
    expect(conversations.map(({ messages }) => messages.length)).toEqual([1, 0, 2]);
    expect(conversations[0]?.startedAt).toBeUndefined();
    expect(conversations[2]?.startedAt).toBe(new Date("2024-08-05T19:33:02").getTime());
  });

  it("tells the user, the program and the model apart by their marks", () => {
    const text = `${START}\n\n> Aider v0.47  \n> Repo-map  \n\n#### do it  \n\nDone:\n\n    code\n\n> Applied  \n`;
    expect(read(text).conversations[0]?.messages).toEqual([
      { role: "user", kind: "injected", parts: [{ type: "text", text: "Aider v0.47\nRepo-map" }] },
      { role: "user", parts: [{ type: "text", text: "do it" }] },
      { role: "assistant", parts: [{ type: "text", text: "Done:\n\n    code" }] },
      { role: "user", kind: "injected", parts: [{ type: "text", text: "Applied" }] },
    ]);
  });

  it("joins user lines that follow each other, and only those", () => {
    const { conversations } = read(`${START}\n\n#### one  \n#### two  \n\n#### three  \n`);
    expect(conversations[0]?.messages.map(({ parts }) => parts[0])).toEqual([
      { type: "text", text: "one\ntwo" },
      { type: "text", text: "three" },
    ]);
  });

  it("leaves marks of edit blocks and shorter headings to the model", () => {
    const reply = "### Plan\n\n<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n\n####no blank";
    const reading = read(`${START}\n\n#### go  \n\n${reply}\n`);
    expect(reading.conversations[0]?.messages[1]?.parts).toEqual([{ type: "text", text: reply }]);
    expect(countsOf(reading).typedUserTurns).toBe(1);
  });

  it("starts no chat at a start line that only looks like one", () => {
    const { conversations } = read(`${START}\n\n# aider chat started at noon\n  ${START}\n`);
    expect(conversations).toHaveLength(1);
  });

  it("is not taken for any markdown", () => {
    expect(isAider("# Title\n\n#### Heading\n> quote\n")).toMatch(/aider chat started/);
    expect(isAider(`#### before  \n\n${START}\n`)).toBe(true);
  });
});
