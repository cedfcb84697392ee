import type { SummarizeFunction, Summarizer } from "./summarizer.ts";

/** A function as a summarizer, under its own name; a summarizer as it is. */
export function asSummarizer(given: Summarizer | SummarizeFunction): Summarizer {
  if (typeof given !== "function") return given;
  return {
    name: given.name === "" ? "function" : given.name,
    summarize: async (request) => {
      const answer = await given(request);
      return typeof answer === "string" ? { text: answer } : answer;
    },
  };
}
