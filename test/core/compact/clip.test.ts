import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clipToFit, type ClipContext } from "../../../src/core/compact/index.ts";
import { applyEdits, type Message, type OutputPart } from "../../../src/core/message/index.ts";
import { createMessageMeter, type MessageSize } from "../../../src/core/tokens/index.ts";
import { call, calling, digest, quarter, result, results, words } from "../../build-messages.ts";

const context: ClipContext = {
  counter: quarter,
  digest,
  now: 1_700_000_000_000,
  canRecall: true,
  level: "user",
  floor: 50,
  keepsMedia: false,
  protectedIds: new Set(),
};

const meter = createMessageMeter(quarter);
const TOO_MANY = { tokens: 10_000, bytes: 0, images: 0 };

const image: OutputPart = { type: "file", mediaType: "image/png", data: "iVBORw0KGgo=" };
const found: OutputPart = {
  type: "opaque",
  kind: "search_result",
  source: {
    dialect: "anthropic",
    value: {
      type: "search_result",
      title: "A page",
      content: [{ type: "text", text: words(400, "page") }],
    },
  },
};

function clipped(list: readonly Message[], excess: MessageSize): readonly Message[] {
  const all = list.map((_, index) => index);
  return applyEdits(list, clipToFit(list, all, excess, context));
}

describe("T8: clipping", () => {
  it("takes outputs first, then inputs, but none of a call that may yet run", () => {
    const input = { path: "a.ts", content: words(1_000) };
    const messages = [
      calling({ ...call("a", "write", input), pending: true }, call("b", "write", input)),
      results(result("b", "write", words(1_000))),
    ];
    const edits = clipToFit(messages, [0, 1], TOO_MANY, { ...context, level: "inputs" });
    expect(edits.map(({ type, message, part }) => [type, message, part])).toEqual([
      ["replace-output", 1, 0],
      ["replace-input", 0, 1],
    ]);
  });

  it("leaves an output alone whose texts are short enough, however many they are", () => {
    const output = [words(40, "one"), words(3, "two")].map((text) => ({
      type: "text" as const,
      // Six bytes for each of these, as JSON writes them.
      text: text.replaceAll("e", "\u0001"),
    }));
    const many = { ...result("a", "shot", ""), output };
    const { bytes } = meter.size(results(many));
    for (let most = 100; most <= bytes; most += 7) {
      const [after] = clipped([results(many)], { tokens: 0, bytes: bytes - most, images: 0 });
      const [part] = after?.parts ?? [];
      if (part === many) continue;
      expect(JSON.stringify(part)).toMatch(/recall parts_[0-9a-f]{16}/);
    }
  });

  it("leaves a text and a handle of every output, whatever it holds", () => {
    const pieces = fc.constantFrom<OutputPart>(image, found, { type: "text", text: words(300) });
    fc.assert(
      fc.property(fc.array(pieces, { minLength: 1, maxLength: 12 }), (output) => {
        const shot = { ...result("a", "shot", ""), output };
        const [after] = clipped([results(shot)], TOO_MANY);
        const [part] = after?.parts ?? [];
        const text = part?.type === "tool-result" ? JSON.stringify(part.output) : "";
        expect(text).toMatch(/(?:clipped|not sent again).*recall (?:out|parts)_[0-9a-f]{16}/);
        for (const piece of output) {
          if (piece.type === "file") expect(text).toContain("image/png");
          if (piece.type === "opaque") expect(text).toContain("search_result");
        }
      }),
    );
  });

  it("describes no more images than have to go", () => {
    const shots = Array.from({ length: 5 }, (_, n): Message => {
      return results({ ...result(`s${n}`, "shot", ""), output: [image] });
    });
    const after = clipped(shots, { tokens: 0, bytes: 0, images: 2 });
    expect(meter.totalSize(after).images).toBe(3);
    expect(after.slice(2)).toEqual(shots.slice(2));
  });

  it("meets a limit on bytes, as JSON writes them", () => {
    const units = fc.constantFrom("a", "é", "日", '"', "\n", "\u0001", "\ud83d", "👩‍👩‍👧");
    fc.assert(
      fc.property(units, fc.integer({ min: 100, max: 20_000 }), (unit, excess) => {
        const list: Message[] = [
          { role: "user", parts: [{ type: "text", text: unit.repeat(30_000) }] },
        ];
        const bytes = (messages: readonly Message[]): number =>
          Buffer.byteLength(JSON.stringify(messages.map(({ parts }) => parts)));
        const after = clipped(list, { tokens: 0, bytes: excess, images: 0 });
        expect(bytes(after)).toBeLessThanOrEqual(bytes(list) - excess);
      }),
    );
  });
});
