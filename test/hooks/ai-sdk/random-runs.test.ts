import * as fc from "fast-check";
import { expect, it } from "vitest";
import * as ai6 from "ai";
import * as ai7 from "ai7";
import type { Failure, JournalRecord } from "../../../src/context/index.ts";
import { aiSdk } from "../../../src/dialects/ai-sdk/ai-sdk.ts";
import type { AiSdkMessage } from "../../../src/dialects/ai-sdk/wire.ts";
import {
  type AiSdkStep,
  aiSdkContext,
  type AiSdkContext,
} from "../../../src/hooks/ai-sdk/index.ts";
import { words } from "../../build-messages.ts";
import { type FakeAnswer, fakeModel, tokensOf } from "./fake-model.ts";
import { runs } from "../../property/runs.ts";

const LIMIT = 8_000;
const RULE = "Never change the file legacy.txt.";

/** One turn of a conversation, and what becomes of the messages after it. */
interface Turn {
  readonly steps: number;
  readonly size: number;
  readonly stream: boolean;
  /** `restart`: saved as JSON, loaded by another process with the journal. */
  readonly after: "persisted" | "whole" | "restart" | "restart-whole";
}

const turn = fc.record<Turn>({
  steps: fc.integer({ min: 0, max: 12 }),
  size: fc.integer({ min: 10, max: 900 }),
  stream: fc.boolean(),
  after: fc.constantFrom("persisted", "whole", "restart", "restart-whole"),
});

const conversation = fc.record({
  version: fc.constantFrom<6 | 7>(6, 7),
  knowsWindow: fc.boolean(),
  turns: fc.array(turn, { minLength: 1, maxLength: 6 }),
});

const inputSchema = { type: "object", properties: { at: { type: "integer" } } } as const;
const tool = { inputSchema: ai6.jsonSchema(inputSchema) };

it(
  "never sends what is illegal or too long, whatever its caller keeps",
  { timeout: 120_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(conversation, async ({ version, knowsWindow, turns }) => {
        const window = knowsWindow ? LIMIT : 200_000;
        const failures: Failure[] = [];
        const open = (journal: readonly JournalRecord[]): AiSdkContext => {
          const context = aiSdkContext({ window, journal });
          context.on("failed", (failure) => void failures.push(failure));
          return context;
        };
        let context = open([]);
        let answer: () => FakeAnswer = () => ({ text: "done" });
        const { model, calls, refused } = fakeModel({
          version,
          limit: LIMIT,
          answer: () => answer(),
        });
        let whole: AiSdkMessage[] = [];
        let messages: AiSdkMessage[] = [];
        let restarts = 0;
        for (const [index, { steps, size, stream, after }] of turns.entries()) {
          const said = { role: "user", content: index === 0 ? RULE : `Turn ${index}.` } as const;
          whole.push(said);
          messages.push(said);
          let left = steps;
          answer = () =>
            left-- > 0
              ? { calls: [{ name: "look", input: { at: left } }] }
              : { text: `done ${index}` };
          const execute = async (): Promise<string> => words(size, `output ${index}`);
          const { prepareStep, middleware } = context;
          const common = { messages: messages as never, prepareStep, maxRetries: 0 };
          let result;
          if (version === 6) {
            const settings = {
              ...common,
              model: ai6.wrapLanguageModel({ model, middleware }),
              tools: { look: ai6.tool({ ...tool, execute }) },
              stopWhen: ai6.stepCountIs(50),
            };
            result = stream ? ai6.streamText(settings) : await ai6.generateText(settings);
          } else {
            const settings = {
              ...common,
              model: ai7.wrapLanguageModel({ model, middleware }),
              tools: { look: ai7.tool({ ...tool, execute } as never) },
              stopWhen: ai7.isStepCount(50),
            };
            result = stream ? ai7.streamText(settings) : await ai7.generateText(settings);
          }
          expect(await result.text).toBe(`done ${index}`);
          const taken: readonly AiSdkStep[] = await result.steps;
          const own =
            version === 6
              ? taken.at(-1)!.response.messages
              : taken.flatMap(({ response }) => response.messages);
          whole = [...whole, ...own];
          const isWhole = after.endsWith("whole");
          messages = isWhole ? [...whole] : await context.persisted(result);
          if (after.startsWith("restart")) {
            restarts += 1;
            messages = JSON.parse(JSON.stringify(messages)) as AiSdkMessage[];
            if (isWhole) whole = [...messages];
            context = open(JSON.parse(JSON.stringify(context.journal())) as JournalRecord[]);
          }
        }
        expect(failures).toEqual([]);
        for (const { prompt } of calls) {
          expect(aiSdk.check(prompt as readonly AiSdkMessage[])).toEqual([]);
          expect(JSON.stringify(prompt)).toContain(RULE);
        }
        // Once for each process that does not know the window.
        expect(refused()).toBeLessThanOrEqual(knowsWindow ? 0 : 1 + restarts);
        const sent = calls.map(tokensOf).filter((tokens) => tokens > LIMIT);
        expect(sent).toHaveLength(refused());
      }),
      { numRuns: runs(13, 40), endOnFailure: false },
    );
  },
);
