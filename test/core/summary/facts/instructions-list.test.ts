import { describe, expect, it } from "vitest";
import { renderList } from "../../../../src/core/summary/facts/fact-list.ts";
import { instructionsList } from "../../../../src/core/summary/facts/fact-lists.ts";
import { quarter, words } from "../../../build-messages.ts";

const context = { count: (text: string) => quarter.count(text), handles: [] };

function lasting(text: string): boolean {
  return instructionsList(1, [text, "the first"]).entries[0]?.lasts === true;
}

describe("what outlasts newer requests", () => {
  it.each([
    "Never push to main.",
    "Please don't touch legacy.ts.",
    "You can't use npm here",
    "We mustn’t change the API",
    "From now on, tabs.",
    "It has to be Node 20, and it MUST stay so.",
  ])("is a rule: %s", (text) => expect(lasting(text)).toBe(true));

  it.each([
    "Go on.",
    "Now the export of page 3.",
    "This muster of tests fails",
    words(400, "never"),
  ])("is no other request, and no report: %.30s", (text) => expect(lasting(text)).toBe(false));

  it("has all the room where it is alone", () => {
    const text = words(200, "the task");
    const whole = renderList(instructionsList(1, [text]), 250, context);
    const cut = renderList(instructionsList(1, [text]), 150, context);
    expect(whole).toMatchObject({ whole: true });
    expect(cut.tokens).toBeGreaterThan(100);
    expect(cut.tokens).toBeLessThanOrEqual(150);
  });

  it("has the room that newer requests leave", () => {
    const task = words(200, "the task");
    const { lines, tokens } = renderList(instructionsList(1, ["Go on.", task]), 180, context);
    expect(lines[0]).toBe("- Go on.");
    expect(tokens).toBeGreaterThan(80);
    expect(tokens).toBeLessThanOrEqual(180);
  });
});
