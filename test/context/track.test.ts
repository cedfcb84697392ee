import * as fc from "fast-check";
import { expect, it } from "vitest";
import { createContext } from "../../src/context/index.ts";
import { sameBody, type Track, UNEDITED } from "../../src/context/track.ts";
import { createMessageMeter } from "../../src/core/tokens/meter.ts";
import { runs } from "../property/runs.ts";
import { messageText, type Message } from "../../src/core/message/index.ts";
import { quarter, step, system, user } from "../build-messages.ts";

const list = Array.from({ length: 6_000 }, (_, n) => user(`message ${n}`));
const trackOf = (messages: Message[], lead: number): Track => ({
  list: messages,
  lead,
  standing: UNEDITED,
});

function exchanged(at: number, by: Message = user("another")): Message[] {
  return list.map((message, index) => (index === at ? by : message));
}

it("a list and the one before have the same objects up to the first that was exchanged", () => {
  const most = 40;
  fc.assert(
    fc.property(fc.nat(most), fc.nat(most), fc.nat(3), fc.nat(3), (length, at, was, is) => {
      const before = list.slice(0, length);
      const now = [...before.slice(0, at), user("another"), ...before.slice(at + 1), user("more")];
      const lead = (count: number): Message[] =>
        Array.from({ length: count }, () => system("rules"));
      const track = trackOf([...lead(was), ...before], was);
      const same = sameBody(track, { messages: [...lead(is), ...now], lead: is });
      expect(same).toBe(Math.min(at, length));
      expect(sameBody(track, { messages: lead(is), lead: is })).toBe(0);
    }),
  );
});

it("no exchanged message is overlooked, wherever it stands", async () => {
  const history = list.slice(0, 3_000);
  for (const at of [0, 700, 1_500, 2_600]) {
    const context = createContext({ window: 10_000, counter: quarter });
    const { messages, report } = await context.prepare(history);
    expect(report.action).toBe("compact");
    expect((await context.prepare(history)).messages).toEqual(messages);
    const now = exchanged(at).slice(0, 3_000);
    const again = await context.prepare(now);
    expect(again.report.droppedEdits).toBe(1);
    expect(again.report.warnings).toContain("the history changed; 1 earlier edits no longer apply");
    const fresh = createContext({ window: 10_000, counter: quarter });
    expect(again.messages).toEqual((await fresh.prepare(now)).messages);
  }
});

it("a message that grows in place is measured anew, and no edit stands for what it said", async () => {
  const context = createContext({ window: 60_000, reserved: 0, counter: quarter });
  const partial = { role: "assistant" as const, parts: [{ type: "text" as const, text: "I" }] };
  const history: Message[] = [...list.slice(0, 50), partial];
  const before = await context.prepare(history, { force: true });
  expect(before.messages.at(-1)).toBe(partial);
  partial.parts[0] = { type: "text", text: "I will do it. ".repeat(5_000) };
  const more = [...history, user("thanks")];
  const { messages, report } = await context.prepare(more);
  expect(report.tokens.before).toBeGreaterThan(15_000);
  const reopened = createContext({ window: 60_000, reserved: 0, counter: quarter });
  expect(messages).toEqual((await reopened.prepare(more)).messages);
});

it("whichever of the newest eight is written over, the list of now is measured and sent", async () => {
  const rounds = fc.array(fc.tuple(fc.nat(7), fc.constantFrom(10, 9_000)), {
    minLength: 2,
    maxLength: 5,
  });
  await fc.assert(
    fc.asyncProperty(fc.boolean(), rounds, async (isReturned, written) => {
      const context = createContext({ window: 16_000, counter: quarter });
      let history: Message[] = [
        user("go"),
        ...Array.from({ length: 30 }, (_, n) => thought(`thought ${n} `.repeat(200))),
      ];
      let { messages } = await context.prepare(history);
      for (const [round, [back, count]] of written.entries()) {
        history = isReturned ? [...messages] : history;
        const one = history.at(-1 - back);
        if (one === undefined || one.kind === "summary") continue;
        const before = messageText(one);
        Object.assign(one.parts.at(-1)!, { text: `written in round ${round} `.repeat(count) });
        history = [...history, thought(`ok ${round}`), user(`and ${round}`)];
        ({ messages } = await context.prepare(history));
        expect(messages.map(messageText)).not.toContain(before);
        const meter = createMessageMeter(quarter);
        expect(meter.total(messages.map((message) => ({ ...message })))).toBeLessThan(8_000);
      }
    }),
    { numRuns: runs(30, 3_000) },
  );

  function thought(text: string): Message {
    const reasoning = { type: "reasoning" as const, text: "hm", signature: text.slice(0, 12) };
    return { role: "assistant", parts: [reasoning, { type: "text", text }] };
  }
});

it("an edit rests on all messages as they are", async () => {
  const context = createContext({ window: 1_000_000, counter: quarter });
  await context.prepare(list);
  await context.prepare(list);
  const now = exchanged(3_000, user("the newest wish of all"));
  const { messages, report } = await context.prepare(now, { force: true });
  expect(report.action).toBe("compact");
  const reopened = () =>
    createContext({ window: 1_000_000, counter: quarter, journal: context.journal() });
  expect((await reopened().prepare(now)).messages).toEqual(messages);
  expect((await reopened().prepare(list)).messages).toBe(list);
});

it("what is no JSON concerns only an edit, however near one is", async () => {
  const context = createContext({ window: 10_000, reserved: 0, counter: quarter });
  const input = { much: 1n };
  const calls = step("a", "count", input, "1").map((message) => ({ ...message }));
  for (let n = 200; n < 1_200; n += 200) {
    const history = [...list.slice(0, n), ...calls];
    expect((await context.prepare(history)).report.action).toBe("none");
  }
  const forced = context.prepare([...list.slice(0, 1_100), ...calls], { force: true });
  await expect(forced).rejects.toMatchObject({ code: "invalid-message" });
});
