import { describe, expect, it } from "vitest";
import { measureSession } from "../../src/cli/measure-session.ts";
import type { Message } from "../../src/core/message/index.ts";
import { estimator } from "../../src/core/tokens/estimator.ts";
import { createMessageMeter } from "../../src/core/tokens/index.ts";

const meter = createMessageMeter(estimator);
const TEXT = "The parcel went to the wrong town, and the customer wrote again. ".repeat(40);

const user = (time: number, text = TEXT): Message => ({
  role: "user",
  parts: [{ type: "text", text }],
  time,
});
const summary = (time?: number): Message => ({
  role: "user",
  kind: "summary",
  parts: [{ type: "text", text: "They looked for a parcel." }],
  ...(time !== undefined && { time }),
});
const answer = (time: number, input: number): Message => ({
  role: "assistant",
  parts: [{ type: "text", text: "It is on its way." }],
  time,
  usage: { input, output: 10 },
});

/** Turns whose usage is `fixed` plus `factor` for each estimated token. */
function turns(count: number, { fixed, factor }: { fixed: number; factor: number }): Message[] {
  const messages: Message[] = [];
  for (let index = 0; index < count; index++) {
    messages.push(user(2 * index));
    const reply = answer(2 * index + 1, 1);
    const estimated = meter.total([...messages, reply]);
    messages.push(answer(2 * index + 1, Math.round(fixed + factor * estimated) - 10));
  }
  return messages;
}

const measure = (messages: readonly Message[]): ReturnType<typeof measureSession> =>
  measureSession({ messages, timeline: [] });

describe("measureSession", () => {
  it("estimates where nothing was reported", () => {
    const messages = [user(1), user(2)];
    expect(measure(messages)).toEqual({
      tokens: meter.total(messages),
      source: "estimated",
      estimated: meter.total(messages),
      factor: 1,
      outside: 0,
    });
  });

  it("counts a system prompt that stands beside the messages", () => {
    const { tokens } = measureSession({ messages: [user(1)], timeline: [], instructions: TEXT });
    expect(tokens).toBe(meter.total([user(1)]) + estimator.count(TEXT));
  });

  it("finds the fixed part and the provider's own measure in a row of reports", () => {
    const size = measure(turns(20, { fixed: 16_000, factor: 1.5 }));
    expect(size.source).toBe("reported");
    expect(size.factor).toBeCloseTo(1.5, 2);
    expect(Math.abs(size.outside - 16_000)).toBeLessThan(30);
  });

  it("adds an estimate of what came after the last report", () => {
    const before = turns(20, { fixed: 1_000, factor: 2 });
    const newer = user(100);
    const added = measure([...before, newer]).tokens - measure(before).tokens;
    expect(Math.abs(added - 2 * meter.tokens(newer))).toBeLessThan(3);
  });

  it("takes everything above the estimate for the fixed part where reports are few", () => {
    const size = measure([user(1), answer(2, 9_990)]);
    expect(size).toMatchObject({ tokens: 10_000, factor: 1 });
    expect(size.outside).toBe(10_000 - size.estimated);
  });

  it("never gives more to the messages than was reported", () => {
    const size = measure([user(1), answer(2, 290)]);
    expect(size).toMatchObject({ tokens: 300, outside: 0 });
    expect(size.factor).toBeLessThan(1);
  });

  it("ignores what was reported before the last compaction", () => {
    const kept = answer(5, 150_000);
    expect(measure([summary(10), kept, user(11)]).source).toBe("estimated");
    expect(measure([summary(10), kept, user(11), answer(12, 5_000)])).toMatchObject({
      tokens: 5_010,
      source: "reported",
    });
    expect(measure([summary(), kept, user(11)]).source).toBe("estimated");
  });

  it("ignores what was reported before the last pruning", () => {
    const pruned: Message = {
      role: "tool",
      parts: [
        {
          type: "tool-result",
          toolCallId: "1",
          toolName: "read",
          output: [{ type: "text", text: "gone" }],
          time: { compacted: 10 },
        },
      ],
    };
    expect(measure([pruned, user(1), answer(5, 9_000)]).source).toBe("estimated");
    expect(measure([pruned, user(1), answer(15, 9_000)]).source).toBe("reported");
  });
});
