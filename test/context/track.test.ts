import { expect, it } from "vitest";
import { createContext } from "../../src/context/index.ts";
import { sameAtAGlance, sameBody, type Track, UNEDITED } from "../../src/context/track.ts";
import type { Message } from "../../src/core/message/index.ts";
import { quarter, system, user } from "../build-messages.ts";

const list = Array.from({ length: 6_000 }, (_, n) => user(`message ${n}`));
const trackOf = (messages: Message[], lead: number): Track => ({
  list: messages,
  lead,
  standing: UNEDITED,
});

function exchanged(at: number, by: Message = user("another")): Message[] {
  return list.map((message, index) => (index === at ? by : message));
}

/** After how many looks an exchanged message is seen. */
function looksFor(at: number): number {
  const track = trackOf([...list], 0);
  const now = { messages: exchanged(at), lead: 0 };
  for (let turn = 0; turn < 100; turn++)
    if (sameAtAGlance(track, now, turn) === at) return turn + 1;
  return Infinity;
}

it("one look sees the newest messages, and some looks all others", () => {
  const looks = [0, 511, 512, 3_000, 5_487, 5_488, 5_999].map(looksFor);
  expect(looks).toEqual([1, 1, 2, 6, 11, 1, 1]);
});

it("a look at what is as before, or shorter, is as good as reading it all", () => {
  const track = trackOf([system("rules"), ...list], 1);
  for (const messages of [list, list.slice(0, 10), [...list, user("more")], [], [user("other")]]) {
    for (const lead of [0, 2]) {
      const rules = Array.from({ length: lead }, () => system("of now"));
      const now = { messages: [...rules, ...messages], lead };
      expect(sameAtAGlance(track, now, 3)).toBe(sameBody(track, now));
    }
  }
});

it("whatever edits have left to be sent is looked at in every step", () => {
  const base = list.slice(1_000, 3_000);
  const standing = { ...UNEDITED, taken: 3_000, base };
  const track = { ...trackOf([...list], 0), standing };
  for (const at of [1_000, 2_000, 2_999, 4_000]) {
    const now = { messages: exchanged(at), lead: 0 };
    expect(sameAtAGlance(track, now, 0)).toBe(at);
  }
});

it("an edit rests on all messages as they are, also on those that no look has seen yet", async () => {
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
