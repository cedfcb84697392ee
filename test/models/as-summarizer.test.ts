import { describe, expect, it } from "vitest";
import { askForSummary } from "../../src/models/ask.ts";
import { asSummarizer, type SummarizeFunction } from "../../src/models/summarizer.ts";
import { inputOf, session } from "../core/summary/build-input.ts";
import { asking, goodSummary, scripted } from "./fake-summarizer.ts";

describe("asSummarizer", () => {
  it("makes a summarizer of a function, with its name", async () => {
    const ownModel: SummarizeFunction = (request) => Promise.resolve(goodSummary(request));
    const summarizer = asSummarizer(ownModel);
    expect(summarizer.name).toBe("ownModel");
    expect(asSummarizer(async () => "").name).toBe("function");
    const made = await askForSummary(asking(summarizer, inputOf(session(3, 50))));
    expect(made.words?.["goal"]).toContain("written");
  });

  it("passes on what a function gives beside the text", async () => {
    const answer = { text: "x", finish: "length" as const, usage: { input: 1, output: 2 } };
    const summarizer = asSummarizer(() => Promise.resolve(answer));
    const made = await askForSummary(asking(summarizer, inputOf(session(3, 50))));
    expect(made.calls[0]?.usage).toEqual({ input: 1, output: 2 });
    expect(made.words).toBeUndefined();
  });

  it("leaves a summarizer as it is", () => {
    const summarizer = scripted([]);
    expect(asSummarizer(summarizer)).toBe(summarizer);
  });
});
