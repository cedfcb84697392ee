import { Usage } from "@openai/agents";
import { describe, expect, test } from "vitest";
import { agentsContext } from "../../../src/hooks/openai-agents/index.ts";
import { managedBy, reportedUsage } from "../../../src/hooks/openai-agents/model.ts";
import type { ModelRequest } from "../../../src/hooks/openai-agents/wire.ts";
import { withMethods } from "../../../src/hooks/tools.ts";
import { quarter, words } from "../../build-messages.ts";

const request = (fields: Partial<ModelRequest> = {}): ModelRequest => ({
  input: [{ role: "user", content: "Do the work." } as never],
  modelSettings: {},
  tools: [],
  handoffs: [],
  ...fields,
});

describe("an object with other methods", () => {
  class Counter {
    #count = 0;
    label = "counter";
    next(): number {
      this.#count += 1;
      return this.#count;
    }
    get double(): number {
      return this.#count * 2;
    }
  }

  test("is of the same class, and its own methods reach its private fields", () => {
    const counter = new Counter();
    const other = withMethods(counter, { extra: () => "more" });
    expect(other).toBeInstanceOf(Counter);
    expect([other.next(), other.next(), other.double]).toEqual([1, 2, 4]);
    expect((other as unknown as { extra(): string }).extra()).toBe("more");
    expect("extra" in other && "next" in other && !("none" in other)).toBe(true);
    other.label = "changed";
    expect(counter.label).toBe("changed");
  });

  test("may be frozen", () => {
    const frozen = Object.freeze({ name: "a", greet: () => "hi" });
    const other = withMethods(frozen, { greet: () => "hello" });
    expect([other.name, other.greet(), frozen.greet()]).toEqual(["a", "hello", "hi"]);
  });
});

describe("usage", () => {
  test("of one answer, in both shapes of the SDK", () => {
    const expected = { input: 60, cacheRead: 40, output: 7 };
    const numbers = { inputTokens: 100, outputTokens: 7, totalTokens: 107 };
    const details = { cached_tokens: 40 };
    expect(reportedUsage(new Usage({ ...numbers, inputTokensDetails: details }))).toEqual(expected);
    expect(reportedUsage({ ...numbers, inputTokensDetails: details })).toEqual(expected);
  });

  test("that says nothing is none", () => {
    expect(reportedUsage(undefined)).toBeUndefined();
    expect(reportedUsage(new Usage())).toBeUndefined();
    expect(reportedUsage({ inputTokens: "many" })).toBeUndefined();
  });
});

describe("what is managed elsewhere", () => {
  test.each([
    [{ previousResponseId: "r" }, "previousResponseId"],
    [{ conversationId: "c" }, "conversationId"],
    [{ modelSettings: { contextManagement: [{ type: "compaction" }] } }, "contextManagement"],
    [
      { modelSettings: { providerData: { context_management: [{ type: "compaction" }] } } },
      "context_management",
    ],
    [{ modelSettings: { providerData: { truncation: "auto" } } }, "truncation"],
    [{ modelSettings: { contextManagement: [], truncation: "disabled" } }, undefined],
    [{}, undefined],
  ])("%o", (fields, expected) => {
    expect(managedBy(request(fields))).toBe(expected);
  });
});

describe("a model", () => {
  const long = Array.from({ length: 40 }, (_, n) => ({
    role: "user",
    content: words(400, `message ${n}`),
  })) as never[];
  /** Notes what it is asked, and fails as often as it shall. */
  function modelOf(errors: unknown[] = []) {
    const asked: ModelRequest[] = [];
    return {
      asked,
      name: "scripted",
      getResponse: async (one: ModelRequest) => {
        asked.push(one);
        const error = errors.shift();
        if (error !== undefined) throw error;
        return Promise.resolve({ usage: new Usage(), output: [] });
      },
      async *getStreamedResponse(one: ModelRequest) {
        asked.push(one);
        yield { type: "response_started" };
        const error = errors.shift();
        if (error !== undefined) throw error;
        yield Promise.resolve({ type: "output_text_delta" });
      },
    };
  }
  const overflow = new Error("maximum context length is 9000 tokens");

  test("gets the very request while there is room", async () => {
    const model = modelOf();
    const own = agentsContext({ window: 64_000 }).model(model);
    const one = request();
    await own.getResponse(one);
    expect(model.asked[0]).toBe(one);
    expect(own.name).toBe("scripted");
  });

  test("is asked once more after an overflow, and not twice", async () => {
    const model = modelOf([overflow, overflow]);
    const own = agentsContext({ window: 64_000, counter: quarter }).model(model);
    await expect(own.getResponse(request({ input: long }))).rejects.toBe(overflow);
    expect(model.asked).toHaveLength(2);
    expect(model.asked[1]!.input.length).toBeLessThan(40);
  });

  test("streams as if the first try had not been", async () => {
    const model = modelOf([overflow]);
    const own = agentsContext({ window: 64_000, counter: quarter }).model(model);
    const types: string[] = [];
    for await (const { type } of own.getStreamedResponse(request({ input: long }))) {
      types.push(type);
    }
    expect(types).toEqual(["response_started", "output_text_delta"]);
    expect(model.asked).toHaveLength(2);
  });

  test("passes another error on, behind what came before it", async () => {
    const error = new Error("no credit");
    const own = agentsContext({ window: 64_000 }).model(modelOf([error]));
    const types: string[] = [];
    const read = async (): Promise<void> => {
      for await (const { type } of own.getStreamedResponse(request())) types.push(type);
    };
    await expect(read()).rejects.toBe(error);
    expect(types).toEqual(["response_started"]);
  });

  test("is the same each time that a provider is asked for it", async () => {
    const model = modelOf();
    const context = agentsContext();
    const provider = context.modelProvider({ getModel: () => model });
    const first = provider.getModel();
    expect(provider.getModel()).toBe(first);
    expect(first).not.toBe(model);
    const later = context.modelProvider({ getModel: () => Promise.resolve(model) });
    expect(await later.getModel()).toBe(await later.getModel());
  });
});
