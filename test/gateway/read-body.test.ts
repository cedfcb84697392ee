import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createKnownBodies, readBody, type ReadBody } from "../../src/gateway/read-body.ts";
import { splicedBody } from "../../src/gateway/splice.ts";
import { oddly } from "./oddly.ts";
import { runs } from "../property/runs.ts";

const message = fc.oneof(
  fc.record({ role: fc.constantFrom("user", "assistant"), content: fc.string({ unit: "binary" }) }),
  fc.object({ maxDepth: 2 }),
  fc.jsonValue({ maxDepth: 2 }),
);
const list = fc.array(message, { maxLength: 6 });

/** A body as some client writes it; fields stand on both sides of the messages. */
function bodyOf(messages: readonly unknown[], seed: number, beside: unknown = "é"): Buffer {
  const value = { model: "m", messages, system: beside, z: 1 };
  return Buffer.from(oddly(JSON.parse(JSON.stringify(value)), seed));
}

function read(bytes: Buffer, known?: ReadBody): ReadBody {
  const same = known ? commonStart(bytes, known.bytes) : 0;
  const body = readBody(bytes, "messages", known && { body: known, same });
  if (body === undefined) throw new Error("it was not read");
  return body;
}

function commonStart(one: Buffer, other: Buffer): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  return at;
}

/** What stands at the places of the messages. */
function atPlaces({ bytes, place }: ReadBody): unknown[] {
  const { children = [] } = place() ?? {};
  return children.map(
    ({ start, end }) => JSON.parse(bytes.toString("utf8", start, end)) as unknown,
  );
}

describe("a body that goes on where a known one ended", () => {
  it("says what it says when it is read alone, and what was known are the same objects", () => {
    fc.assert(
      fc.property(list, list, list, fc.nat(3), (begin, one, other, seed) => {
        const known = read(bodyOf([...begin, ...one], seed));
        const bytes = bodyOf([...begin, ...other], seed, { more: begin.length });
        const alone = read(bytes);
        const behind = read(bytes, known);
        expect(behind.params).toEqual(alone.params);
        expect(behind.place()).toEqual(alone.place());
        expect(atPlaces(behind)).toEqual(alone.params["messages"]);
        const [before, now] = [known, behind].map(({ params }) => params["messages"] as unknown[]);
        const kept = begin.filter((_, at) => now?.[at] === before?.[at]);
        expect(kept).toHaveLength(begin.length);
      }),
      { numRuns: runs(300, 10_000) },
    );
  });

  it("is refused where it is no JSON, whatever is known", () => {
    const known = read(Buffer.from('{"messages":[{"a":1},{"b":2}],"c":3}'));
    const torn = [
      '{"messages":[{"a":1},{"b":2},],"c":3}',
      '{"messages":[{"a":1},{"b":2}{"c":3}],"c":3}',
      '{"messages":[{"a":1},{"b":2}7],"c":3}',
      '{"messages":[{"a":1},{"b":2}],"c":3',
      '{"messages":[{"a":1},{"b":2}',
      '{"messages":[{"a":1},,{"b":2}],"c":3}',
    ];
    for (const text of torn) {
      const bytes = Buffer.from(text);
      const same = commonStart(bytes, known.bytes);
      expect(readBody(bytes, "messages", { body: known, same })).toBeUndefined();
    }
    const odd = Buffer.concat([known.bytes.subarray(0, -2), Buffer.from([0xff, 0x7d])]);
    expect(readBody(odd, "messages", { body: known, same: odd.length - 2 })).toBeUndefined();
  });

  it("may name its messages twice, or have numbers that go on", () => {
    const cases = [
      ['{"messages":[1,2]}', '{"messages":[1,23]}'],
      ['{"messages":[{"a":1}]}', '{"messages":[{"a":1}],"messages":[{"b":1},{"c":1}]}'],
      [
        '{"messages":[{"a":1}],"messages":[{"b":1}]}',
        '{"messages":[{"a":1}],"messages":[{"b":1},2]}',
      ],
      ['{"messages":[{"a":1}]}', '{"messages":[{"a":1}],"messages":"none"}'],
    ] as const;
    for (const [first, second] of cases) {
      const behind = read(Buffer.from(second), read(Buffer.from(first)));
      expect(behind.params).toEqual(JSON.parse(second));
      const { messages } = behind.params;
      if (Array.isArray(messages)) expect(atPlaces(behind)).toEqual(messages);
    }
  });
});

describe("known bodies", () => {
  it("are known to their owner only", () => {
    const bodies = createKnownBodies();
    const bytes = bodyOf([{ role: "user", content: "one" }], 0);
    const first = bodies(bytes, "a", "messages");
    first?.keep(first.body.params);
    const messageFor = (owner: string, reading = bodies(bytes, owner, "messages")): unknown =>
      ([] as unknown[]).concat(reading?.body.params["messages"])[0];
    const own = messageFor("a", first);
    expect(messageFor("a")).toBe(own);
    expect(messageFor("b")).toEqual(own);
    expect(messageFor("b")).not.toBe(own);
  });

  it("give way to newer ones", () => {
    const bodies = createKnownBodies();
    const body = (at: number): Buffer => bodyOf([{ content: `${at}`.repeat(3_000_000) }], 0);
    const texts = [1, 2, 3].map(body);
    const firsts = texts.map((bytes) => {
      // With so many spaces behind them, three are too many.
      const padded = Buffer.concat([bytes, Buffer.alloc(24 * 1024 * 1024, " ")]);
      const reading = bodies(padded, "a", "messages");
      reading?.keep(reading.body.params);
      return reading?.body.params["messages"] as unknown[];
    });
    const again = texts.map(
      (bytes) => bodies(bytes, "a", "messages")?.body.params["messages"] as unknown[],
    );
    expect(again.map((one, at) => one[0] === firsts[at]?.[0])).toEqual([false, true, true]);
  });
});

describe("the bytes of an edited body", () => {
  const edit = fc.constantFrom("keep", "drop", "replace", "change", "insert");

  it("say what was edited, and keep those of every message that was not", () => {
    fc.assert(
      fc.property(list, fc.infiniteStream(edit), fc.nat(3), (messages, edits, seed) => {
        const body = read(bodyOf(messages, seed));
        const given = body.params;
        const before = given["messages"] as unknown[];
        const after = before.flatMap((one) => {
          const { value } = edits.next();
          if (value === "drop") return [];
          if (value === "replace") return [{ summary: "ü" }];
          if (value === "change" && isPlain(one)) return [{ ...one, more: ["ü"] }];
          return value === "insert" ? [one, { inserted: "ü" }] : [one];
        });
        const edited = { ...given, messages: after, system: "other", added: true };
        const made = splicedBody(body, { key: "messages", given }, edited);
        expect(JSON.parse(made.toString())).toEqual(edited);
        const kept = before.flatMap((one, at) => (after.includes(one) ? [at] : []));
        for (const at of kept) {
          const { start, end } = body.place()!.children[at]!;
          expect(made.includes(body.bytes.subarray(start, end))).toBe(true);
        }
        const same = splicedBody(body, { key: "messages", given }, { ...given });
        expect(same.equals(body.bytes)).toBe(true);
      }),
      { numRuns: runs(300, 10_000) },
    );
  });

  it("go on as they went before", () => {
    fc.assert(
      fc.property(list, list, list, fc.nat(3), (head, tail, more, seed) => {
        const first = read(bodyOf([...head, ...tail], seed));
        const next = read(bodyOf([...head, ...tail, ...more], seed), first);
        const [one, other] = [first, next].map((body) => {
          const given = body.params;
          const rest = (given["messages"] as unknown[]).slice(head.length);
          const cut = rest.map((message) => (isPlain(message) ? { ...message, cut: 1 } : message));
          const edited = { ...given, messages: [{ summary: "s" }, ...cut] };
          return splicedBody(body, { key: "messages", given }, edited);
        });
        const sent = (one as Buffer).toString();
        const end = sent.lastIndexOf('"cut"');
        expect((other as Buffer).toString().startsWith(sent.slice(0, Math.max(0, end)))).toBe(true);
      }),
      { numRuns: runs(300, 10_000) },
    );
  });
});

function isPlain(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
