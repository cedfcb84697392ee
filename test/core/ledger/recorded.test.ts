import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { EMPTY_LEDGER, extractLedger, mergeLedgers } from "../../../src/core/ledger/index.ts";
import { inputText, messageText } from "../../../src/core/message/index.ts";
import type { Message, ToolCallPart } from "../../../src/core/message/index.ts";
import { toolKind } from "../../../src/core/calls/index.ts";
import { readTranscript } from "../../../src/transcripts/index.ts";
import type { Conversation } from "../../../src/transcripts/transcript.ts";
import { RECORDED_SAMPLE, RECORDINGS } from "../../recordings.ts";

async function conversations(file: string): Promise<readonly Conversation[]> {
  return (await readTranscript(join(RECORDINGS, file))).conversations;
}

function calls(messages: readonly Message[]): ToolCallPart[] {
  return messages.flatMap(({ parts }) => parts.filter((part) => part.type === "tool-call"));
}

/** The messages in stretches that end before a call without its result. */
function stretches(messages: readonly Message[]): Message[][] {
  const cuts: Message[][] = [[]];
  for (const message of messages) {
    const last = cuts.at(-1);
    if (message.role === "user" && (last?.length ?? 0) > 20) cuts.push([message]);
    else last?.push(message);
  }
  return cuts;
}

describe.skipIf(RECORDED_SAMPLE.length === 0)("extractLedger on recorded sessions", () => {
  it.each(RECORDED_SAMPLE)("%s: every typed message is an instruction, verbatim", async (file) => {
    for (const { messages } of await conversations(file)) {
      const typed = messages.filter(({ role, kind }) => role === "user" && kind === undefined);
      const texts = typed.map(messageText).filter((text) => text.trim() !== "");
      expect(extractLedger(messages).instructions.map(({ text }) => text)).toEqual(texts);
    }
  });

  it.each(RECORDED_SAMPLE)(
    "%s: names only files that a call names, and never a pattern",
    async (file) => {
      for (const { messages, cwd } of await conversations(file)) {
        const inputs = calls(messages).map(({ input }) =>
          inputText(input).replaceAll("\\\\", "\\"),
        );
        for (const { path } of extractLedger(messages, { cwd }).files) {
          const names = path.replace(/\/$/, "").split(/[/\\]/).at(-1) ?? "";
          // The number in `out.$i` comes from a loop; everything before it stands in the call.
          const known = names.replace(/\.\d+$/, ".");
          expect([path, inputs.some((input) => input.includes(known))]).toEqual([path, true]);
          expect(path).not.toMatch(/[*?$`\n]|:\/\//);
        }
      }
    },
  );

  it.each(RECORDED_SAMPLE)("%s: has every shell call among the commands", async (file) => {
    for (const { messages } of await conversations(file)) {
      const shells = calls(messages).filter(
        ({ toolName }) => toolKind(toolName) === "command" && toolName !== "write_stdin",
      );
      const { commands } = extractLedger(messages);
      expect(commands.length).toBeGreaterThanOrEqual(shells.length);
      for (const { command } of commands) expect(command.trim()).not.toBe("");
    }
  });

  it.each(RECORDED_SAMPLE)(
    "%s: taken in stretches and merged, it knows the same files",
    async (file) => {
      for (const { messages, cwd } of await conversations(file)) {
        let merged = EMPTY_LEDGER;
        let offset = 0;
        for (const stretch of stretches(messages)) {
          merged = mergeLedgers(merged, extractLedger(stretch, { cwd, offset }), { cwd });
          offset += stretch.length;
        }
        const whole = extractLedger(messages, { cwd });
        const paths = (ledger: typeof whole): string[] =>
          ledger.files.map(({ path }) => path).toSorted();
        expect(paths(merged)).toEqual(paths(whole));
        expect(merged.commands.map(({ command }) => command)).toEqual(
          whole.commands.map(({ command }) => command),
        );
        expect(merged.instructions).toEqual(whole.instructions);
      }
    },
  );
});
