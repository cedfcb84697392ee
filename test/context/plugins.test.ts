import { expect, it } from "vitest";
import { withPlugins } from "../../src/context/options.ts";

it("a later plugin wins over an earlier one in every field, and the context over both", () => {
  const plugin = (name: string) => ({
    name,
    summarizer: async () => name,
    toolKinds: { look: name === "early" ? "read" : "search" } as const,
    toolLimits: { look: { maxLines: name.length } },
  });
  const [early, later] = [plugin("early"), plugin("the later")];
  expect(withPlugins({ plugins: [early, later] })).toMatchObject({
    summarizer: later.summarizer,
    toolKinds: later.toolKinds,
    toolLimits: later.toolLimits,
  });
  const own = withPlugins({ plugins: [early, later], summarizer: early.summarizer });
  expect(own.summarizer).toBe(early.summarizer);
});
