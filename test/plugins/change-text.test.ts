import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { changedText, restoredText } from "../../src/plugins/change-text.ts";
import type { Change } from "../../src/plugins/plugin.ts";
import { runs } from "../property/runs.ts";

type Json = Extract<Change, { type: "json" }>;

const HOOK = { hooks: [{ type: "command", command: "node hook.js" }] };
const change: Json = {
  type: "json",
  path: "settings.json",
  entries: [
    { at: ["hooks", "PostToolUse"], value: HOOK, how: "append" },
    { at: ["mcp", "longhaul"], value: { command: "node" } },
    { at: ["statusLine"], value: { command: "status" }, how: "absent" },
  ],
};
const block: Change = { type: "block", path: "config.toml", text: "[a]\nb = 1\n" };

const key = fc.constantFrom("hooks", "mcp", "statusLine", "other", "PostToolUse");
const list = fc.array(fc.record({ matcher: fc.string({ maxLength: 5 }) }), { minLength: 1 });
/** Settings of a person: what we would touch is there, or something else, in any order. */
const settings = fc
  .record(
    {
      model: fc.string(),
      hooks: fc.dictionary(fc.constantFrom("PostToolUse", "Stop"), list, { minKeys: 1 }),
      mcp: fc.dictionary(fc.constantFrom("mine", "yours"), fc.jsonValue(), { minKeys: 1 }),
      statusLine: fc.record({ command: fc.string({ maxLength: 5 }) }),
      extra: fc.dictionary(key, fc.jsonValue()),
    },
    { requiredKeys: [] },
  )
  .chain((value) => fc.tuple(fc.constant(value), fc.constantFrom(0, 2, 4, "\t")));

describe("a change to a JSON file", () => {
  it("is there after it, and taken back leaves the value that was there before", () => {
    fc.assert(
      fc.property(settings, ([value, indent]) => {
        const before = JSON.stringify(value, undefined, indent);
        const after = changedText(before, change);
        const now = JSON.parse(after) as { hooks: { PostToolUse: unknown[] }; statusLine: unknown };
        expect(now.hooks.PostToolUse.at(-1)).toEqual(HOOK);
        expect(now).toMatchObject({ mcp: { longhaul: { command: "node" } } });
        expect(now.statusLine).toEqual(value.statusLine ?? { command: "status" });
        expect(changedText(after, change)).toBe(after);
        expect(JSON.parse(restoredText(after, change))).toEqual(JSON.parse(before));
      }),
      { numRuns: runs(100, 5_000) },
    );
  });

  it("keeps comments, and what a person adds in the meantime", () => {
    const before = '{\n  // mine\n  "model": "opus", // this one\n}\n';
    const after = changedText(before, change);
    expect(after).toContain("// mine");
    const edited = after.replace('"opus"', '"sonnet"');
    expect(restoredText(edited, change).replace(/\s/g, "")).toBe(
      before.replace('"opus"', '"sonnet"').replace(/\s/g, ""),
    );
  });

  it("begins a file that is not there", () => {
    expect(JSON.parse(changedText("", change))).toMatchObject({ mcp: { longhaul: {} } });
  });

  it.each([
    ["no JSON", "{ no"],
    ["no object", "[1]"],
    ["another value where a list must be", '{"hooks":{"PostToolUse":{}}}'],
  ])("is refused in a file with %s, by name", (_, text) => {
    expect(() => changedText(text, change)).toThrow("settings.json");
  });
});

describe("a block of lines", () => {
  it("leaves what the agent has added before its last line, in whatever form it comes again", () => {
    const trusted = '\n[hooks.state."/a/hooks.json:0:0"]\ntrusted_hash = "sha256:1"\n';
    const after = changedText("# mine\n", block).replace("# longhaul: end", `${trusted}$&`);
    expect(restoredText(after, block)).toBe(`# mine\n${trusted}`);
    const again = changedText(restoredText(after, block), { ...block, text: "[a]\nb = 2\n" });
    expect(again).toContain(trusted);
    expect(again).toContain("b = 2");
    expect(again).not.toContain("b = 1");
  });

  it("is at the end once, and taken back leaves every byte", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (before) => {
        const after = changedText(before, block);
        expect(after).toContain("\n[a]\nb = 1\n");
        expect(changedText(after, block)).toBe(after);
        const gap = before === "" || before.endsWith("\n") ? "" : "\n";
        expect(restoredText(after, block)).toBe(before + gap);
        expect(restoredText(`${after}more = 2\n`, block)).toBe(`${before + gap}more = 2\n`);
      }),
      { numRuns: runs(100, 5_000) },
    );
  });
});
