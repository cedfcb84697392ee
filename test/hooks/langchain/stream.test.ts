import { AIMessageChunk, HumanMessage } from "@langchain/core/messages";
import { expect, test } from "vitest";
import { langchainContext } from "../../../src/hooks/langchain/index.ts";
import { words } from "../../build-messages.ts";

const overflow = new Error("prompt is too long: 9000 tokens > 8000 maximum");
const nothing = new AIMessageChunk({ content: "", id: "a" });
const hello = new AIMessageChunk({ content: "hello", id: "a" });
const full = new AIMessageChunk({
  content: "",
  usage_metadata: { input_tokens: 8_000, output_tokens: 0, total_tokens: 8_000 },
  response_metadata: { finish_reason: "length" },
});
const history = Array.from({ length: 30 }, (_, n) => [
  new HumanMessage(`go on ${n}`),
  new AIMessageChunk(words(400, `thought ${n}`)),
]).flat();
const messages = [...history, new HumanMessage("And now?")];

type Turn = readonly (AIMessageChunk | Error)[];

/** A model that streams one turn after the other, and what it was sent. */
function modelOf(turns: readonly Turn[]) {
  const lengths: number[] = [];
  return {
    lengths,
    async stream(sent: never): Promise<AsyncIterable<AIMessageChunk>> {
      const turn = turns[lengths.length] ?? [];
      lengths.push(JSON.stringify(sent).length);
      return (async function* () {
        for (const chunk of turn) {
          if (chunk instanceof Error) throw chunk;
          yield chunk;
        }
      })();
    },
  };
}

async function streamed(turns: readonly Turn[]) {
  const model = modelOf(turns);
  const chunks: AIMessageChunk[] = [];
  const context = langchainContext({ window: 100_000 });
  let failed: unknown;
  try {
    for await (const chunk of await context.stream(model, messages)) chunks.push(chunk);
  } catch (error) {
    failed = error;
  }
  return { chunks, failed, lengths: model.lengths };
}

test.each([
  ["an error before it", [nothing, overflow]],
  ["an end without one", [nothing, full]],
])("a stream begins anew with fewer messages where the answer is %s", async (_name, refused) => {
  const { chunks, failed, lengths } = await streamed([refused, [nothing, hello]]);
  expect(failed).toBeUndefined();
  expect(chunks).toEqual([nothing, hello]);
  expect(lengths).toHaveLength(2);
  expect(lengths[1]).toBeLessThan(lengths[0]!);
});

test("once an answer has begun, its errors pass", async () => {
  const { chunks, failed, lengths } = await streamed([[nothing, hello, overflow], [hello]]);
  expect(chunks).toEqual([nothing, hello]);
  expect(failed).toBe(overflow);
  expect(lengths).toHaveLength(1);
});

test("another error is that of the model, behind what came before it", async () => {
  const broken = new Error("no credit");
  const { chunks, failed } = await streamed([[nothing, broken]]);
  expect(chunks).toEqual([nothing]);
  expect(failed).toBe(broken);
});

test("a thought is passed on as it comes", async () => {
  const thought = new AIMessageChunk({
    content: "",
    additional_kwargs: { reasoning_content: "hm" },
  });
  const { chunks, failed } = await streamed([[thought, overflow]]);
  expect(chunks).toEqual([thought]);
  expect(failed).toBe(overflow);
});
