import { mkdtempSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message, OutputPart, Part } from "../../src/core/message/index.ts";
import { leftBehind } from "../../src/resume/left-behind.ts";
import { SESSION_AGENTS, writeSession } from "../../src/resume/write-session.ts";
import {
  assistant,
  call,
  calling,
  injected,
  result,
  results,
  system,
  user,
} from "../build-messages.ts";

const image: Part = { type: "file", mediaType: "image/png", data: "iVBORw0KGgo=" };
const source = { dialect: "elsewhere", value: { type: "tool_reference" } };
const reference: OutputPart = { type: "opaque", kind: "tool_reference", source };
const thought: Part = { type: "reasoning", text: "I think.", signature: "c2lnbmVk" };

/** What the names stand for, counted without the code that is tested. */
const COUNTED: Readonly<Record<string, (part: Part) => number>> = {
  "tool_reference block": (part) => Number(part.type === "opaque"),
  image: (part) => Number(part.type === "file"),
  "reasoning text": (part) => Number(part.type === "reasoning" && part.text !== ""),
  "reasoning signature": (part) =>
    Number(part.type === "reasoning" && part.signature !== undefined),
  "failure mark": (part) => Number(part.type === "tool-result" && part.isError === true),
};

function countOf(name: string, messages: readonly Message[]): number {
  const parts = messages.flatMap((message) => message.parts);
  const held = parts.flatMap((part): Part[] =>
    part.type === "tool-result" ? [part, ...part.output] : [part],
  );
  return held.reduce((sum, part) => sum + COUNTED[name]!(part), 0);
}

function times(count: number, part: Part): Part[] {
  return Array.from({ length: count }, () => part);
}

const session = fc
  .record({
    images: fc.nat(2),
    thoughts: fc.nat(2),
    failed: fc.nat(2),
    notes: fc.nat(2),
    blocks: fc.nat(2),
  })
  .map(({ images, thoughts, failed, notes, blocks }): Message[] => [
    system("You are an agent of another kind."),
    { role: "user", parts: [{ type: "text", text: "Look." }, ...times(images, image)] },
    ...Array.from({ length: notes }, (_, at) => injected(`<note>${at}</note>`)),
    ...Array.from({ length: failed }, (_, at) => [
      calling(call(`c${at}`, "Read", {})),
      results(result(`c${at}`, "Read", "no such file", true)),
    ]).flat(),
    calling(call("found", "ToolSearch", "words")),
    results({
      ...result("found", "ToolSearch", ""),
      output: Array.from({ length: blocks }, () => reference),
    }),
    {
      role: "assistant",
      parts: [...times(thoughts, thought), { type: "text", text: "So." }],
    },
    user("And now?"),
    assistant("Done."),
  ]);

describe.each(SESSION_AGENTS)("a session handed to %s", (agent) => {
  it("has or names everything that there was", async () => {
    await fc.assert(
      fc.asyncProperty(session, async (messages) => {
        const folder = mkdtempSync(path.join(os.tmpdir(), "longhaul-left-"));
        const content = { messages, cwd: "/work", title: "A title", now: Date.now() };
        const { read } = await writeSession(agent, content, { folder, env: {} });
        const conversation = {
          ...content,
          timeline: [],
          model: "some-model",
          instructions: "Obey.",
        };
        const transcript = { conversations: [conversation, conversation] };
        const left = leftBehind({ conversation, tail: messages, transcript, todos: 3 }, read);
        const told = new Map(left.map((one) => [one.name, one.times]));
        const now = read.conversations[0]?.messages ?? [];
        for (const name of Object.keys(COUNTED)) {
          const lost = countOf(name, messages) - countOf(name, now);
          expect({ agent, name, lost: told.get(name) ?? 0 }).toEqual({ agent, name, lost });
        }
        const said = JSON.stringify(now);
        const notes = messages.filter(({ kind }) => kind === "injected");
        const unsaid = notes.filter(
          ({ parts }) => !said.includes(JSON.stringify(parts[0]).slice(8, -2)),
        );
        expect(told.get("injected message") ?? 0).toBe(unsaid.length);
        expect(told.get("system message")).toBe(1);
        expect(told.get("other conversation")).toBe(1);
        expect(told.get("todo")).toBe(3);
        expect(left).toContainEqual({ name: "the system prompt" });
        expect(left).toContainEqual({ name: "the model some-model" });
      }),
    );
  });
});
