import * as fc from "fast-check";
import { expect, it } from "vitest";
import { memoryArchive } from "../../src/archive/index.ts";
import { compact } from "../../src/context/create-context.ts";
import { estimateTokens } from "../../src/core/tokens/estimate-tokens.ts";
import { assistant, user, words } from "../build-messages.ts";
import { legalConversation } from "../property/arbitraries.ts";
import { runs } from "../property/runs.ts";

it("no compaction gives back more than it was given", async () => {
  await fc.assert(
    fc.asyncProperty(
      legalConversation({ maxTurns: 8, fewLeaves: 50 }),
      fc.constantFrom(8_000, 64_000),
      async (messages, window) => {
        const made = await compact(messages, { window, archive: memoryArchive() });
        if (made.report.action === "none") expect(made.messages).toEqual(messages);
        else expect(estimateTokens(made.messages)).toBeLessThan(estimateTokens(messages));
      },
    ),
    { numRuns: runs(40, 1_000) },
  );
});

it("a head that is shorter than a summary of it stays as it is, told as nothing to do", async () => {
  const options = { tailTokens: 1, archive: memoryArchive() };
  const short = [user("a"), assistant("b"), user("c"), assistant("d")];
  const { messages, report } = await compact(short, options);
  expect(report.action).toBe("none");
  expect(messages).toEqual(short);
  const long = short.with(1, assistant(words(1_000)));
  expect((await compact(long, options)).report.action).toBe("compact");
});
