import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Message, repairMessages } from "../../src/core/message/index.ts";
import { aiSdk } from "../../src/dialects/ai-sdk/ai-sdk.ts";
import { anthropic } from "../../src/dialects/anthropic/anthropic.ts";
import type { Dialect } from "../../src/dialects/dialect.ts";
import { neutral } from "../../src/dialects/neutral/neutral.ts";
import { openaiChat } from "../../src/dialects/openai-chat/openai-chat.ts";
import { openaiResponses } from "../../src/dialects/openai-responses/openai-responses.ts";
import { readTranscript } from "../../src/transcripts/index.ts";
import { RECORDED_SAMPLE, RECORDINGS } from "../recordings.ts";

const dialects = [neutral, openaiChat, openaiResponses, anthropic, aiSdk] as readonly Dialect[];

const go: Message = { role: "user", parts: [{ type: "text", text: "Go on." }] };

describe.skipIf(RECORDED_SAMPLE.length === 0)("recorded conversations", () => {
  test.each(RECORDED_SAMPLE)("%s is legal in every dialect, and comes back", async (name) => {
    const { conversations } = await readTranscript(join(RECORDINGS, name));
    for (const { messages } of conversations) {
      const repaired = repairMessages([...messages, go]).messages;
      for (const dialect of dialects) {
        const encoded = dialect.encode(repaired);
        expect(dialect.check(encoded)).toEqual([]);
        const again = dialect.encode(dialect.decode(encoded));
        expect(JSON.stringify(again)).toBe(JSON.stringify(encoded));
      }
    }
  });
});
