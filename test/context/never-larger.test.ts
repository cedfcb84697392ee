import * as fc from "fast-check";
import { expect, it } from "vitest";
import { memoryArchive } from "../../src/archive/index.ts";
import { compact, createContext } from "../../src/context/create-context.ts";
import type { ContextOptions } from "../../src/context/options.ts";
import type { Message } from "../../src/core/message/index.ts";
import { createMessageMeter } from "../../src/core/tokens/meter.ts";
import { estimator } from "../../src/core/tokens/estimator.ts";
import { estimateTokens } from "../../src/core/tokens/estimate-tokens.ts";
import { assistant, user, words } from "../build-messages.ts";
import { goodSummary } from "../good-summary.ts";
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

/** The header of an image of 16 by 16: many bytes behind it are no more tokens. */
const HEADER = "iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAYAAAAf8/9h";
const ICON = {
  type: "file",
  mediaType: "image/png",
  data: `${HEADER}${"A".repeat(60_000)}`,
} as const;

function withImage(message: Message): Message {
  return message.role === "user" ? { ...message, parts: [...message.parts, ICON] } : message;
}

function imagesIn(messages: readonly Message[]): number {
  return createMessageMeter(estimator).totalSize(messages).images;
}

it("a request over a limit on images goes out within it, also where that takes more tokens", async () => {
  await fc.assert(
    fc.asyncProperty(
      legalConversation({ maxTurns: 8, fewLeaves: 50 }),
      fc.nat({ max: 4 }),
      async (messages, maxImages) => {
        const context = createContext({
          requestLimits: { maxImages },
          tailTokens: 1,
          archive: memoryArchive(),
        });
        const list = messages.map(withImage);
        const { messages: sent, report } = await context.prepare(list);
        expect(imagesIn(sent)).toBeLessThanOrEqual(maxImages);
        expect(report.action === "none").toBe(imagesIn(list) <= maxImages);
      },
    ),
    { numRuns: runs(40, 1_000) },
  );
});

/** A context whose model answers well, and the number of the questions to it. */
function noting(options: ContextOptions) {
  let questions = 0;
  const context = createContext({
    ...options,
    tailTokens: 1,
    archive: memoryArchive(),
    summarizer: (request) => {
      questions++;
      return goodSummary(request);
    },
  });
  return { context, questions: () => questions };
}

it("a head that a limit takes out is summarized once, however short it is", async () => {
  const { context, questions } = noting({ requestLimits: { maxBytes: 100_000 } });
  const list = [user("a"), assistant("b"), user("c"), assistant("d")].map(withImage);
  list.push(user("e"));
  for (const action of ["compact", "none", "none"]) {
    const before = questions();
    const { messages, report } = await context.prepare(list);
    expect(report.action).toBe(action);
    expect(JSON.stringify(messages).length).toBeLessThan(100_000);
    expect(questions() > before).toBe(action === "compact");
  }
});

it("no model is asked again about a head that was shorter than its summary", async () => {
  const { context, questions } = noting({});
  const short = [user("a"), assistant("b"), user("c"), assistant("d")];
  const asks = async (list: readonly Message[], compactionTemplate?: string): Promise<boolean> => {
    const before = questions();
    const { report } = await context.prepare(list, { force: true, compactionTemplate });
    expect(report.action).toBe("none");
    return questions() > before;
  };
  expect(await asks(short)).toBe(true);
  expect(await asks(short)).toBe(false);
  expect(await asks([...short, user("e"), assistant("f")])).toBe(true);
  expect(await asks(short, "## Ports\nThe ports in use.")).toBe(true);
  expect(await asks(short)).toBe(false);
});
