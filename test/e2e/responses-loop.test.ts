import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { createContext } from "../../src/context/index.ts";
import { encodeOpenAIResponses } from "../../src/dialects/openai-responses/encode.ts";
import { openaiResponses } from "../../src/dialects/openai-responses/openai-responses.ts";
import { upstreamForTest } from "../provider/for-test.ts";
import { runs } from "../property/runs.ts";
import type { ReplyPart, Script, Upstream } from "../provider/index.ts";

type Item = OpenAI.Responses.ResponseInputItem;

const WINDOW = 16_000;
const STEPS = runs(24, 50);
const TOOLS: OpenAI.Responses.Tool[] = [
  { type: "function", name: "read", strict: false, parameters: { type: "object" } },
];

/** Thinks in two of three steps, calls once or four times, and speaks now and then. */
function scriptOf(steps: number): Script {
  let step = 0;
  return () => {
    if (step === steps) return "All read.";
    step += 1;
    const call = (name: string): ReplyPart => ({
      type: "call",
      name: "read",
      input: { path: `${step}/${name}.ts` },
    });
    return {
      parts: [
        ...(step % 3 === 0
          ? []
          : [{ type: "reasoning", text: `Step ${step}, so I read.` } as const]),
        ...(step % 4 === 0 ? [{ type: "text", text: `Now folder ${step}.` } as const] : []),
        call("a"),
        ...(step % 2 === 0 ? [call("b"), call("c"), call("d")] : []),
      ],
    };
  };
}

interface LoopOptions {
  readonly store: boolean;
  /** Whether each output goes directly behind its call. */
  readonly isInterleaved: boolean;
  /** What is really sent of the whole input. */
  readonly prepare: (input: readonly Item[]) => Promise<Item[]>;
}

/** The loop that everybody writes: `input` grows by what came and by the outputs. */
async function loop(upstream: Upstream, { store, isInterleaved, prepare }: LoopOptions) {
  const client = new OpenAI({ apiKey: "key", baseURL: `${upstream.url}/v1`, maxRetries: 0 });
  const input: Item[] = [{ role: "user", content: "Read every file." }];
  for (;;) {
    const { output, output_text } = await client.responses.create({
      model: "scripted",
      input: await prepare(input),
      tools: TOOLS,
      store,
      ...(!store && { include: ["reasoning.encrypted_content"] }),
    });
    const late: Item[] = [];
    for (const item of output) {
      input.push(item as Item);
      if (item.type !== "function_call") continue;
      const text = `content of ${item.arguments} `.repeat(40);
      const answer: Item = { type: "function_call_output", call_id: item.call_id, output: text };
      (isInterleaved ? input : late).push(answer);
    }
    input.push(...late);
    if (late.length === 0 && output.every(({ type }) => type !== "function_call")) {
      return output_text;
    }
  }
}

const cases = [true, false].flatMap((store) =>
  [true, false].map((isInterleaved) => ({ store, isInterleaved })),
);

describe.each(cases)(
  "a loop over the SDK (store $store, interleaved $isInterleaved)",
  (options) => {
    test("ends in a small window, and no request is refused", { timeout: 60_000 }, async () => {
      const upstream = await upstreamForTest({ script: scriptOf(STEPS), window: WINDOW });
      const context = createContext({ window: WINDOW, traits: openaiResponses.traits });
      let edits = 0;
      const prepare = async (input: readonly Item[]): Promise<Item[]> => {
        const history = openaiResponses.decode(input);
        const { messages, report } = await context.prepare(history);
        if (report.action !== "none") edits += 1;
        return encodeOpenAIResponses<Item>(messages);
      };
      expect(await loop(upstream, { ...options, prepare })).toBe("All read.");
      await context.close();
      expect(upstream.refusals).toEqual([]);
      expect(upstream.totals.requests).toBe(STEPS + 1);
      expect(edits).toBeGreaterThan(1);
    });

    test("overflows without", { timeout: 60_000 }, async () => {
      const upstream = await upstreamForTest({ script: scriptOf(STEPS), window: WINDOW });
      const prepare = async (input: readonly Item[]): Promise<Item[]> => [...input];
      await expect(loop(upstream, { ...options, prepare })).rejects.toThrow(/exceeds the context/);
    });
  },
);
