import * as fc from "fast-check";
import { expect, it } from "vitest";
import { pruneToolOutputs } from "../../src/core.ts";
import { createContext } from "../../src/context/index.ts";
import { isContextError } from "../../src/core/error.ts";
import type { Message } from "../../src/core/message/index.ts";
import { quarter, user, words } from "../build-messages.ts";
import { legalConversation } from "./arbitraries.ts";
import { runs } from "./runs.ts";

/** What stands where something else should: of every type there is. */
const strange = fc.constantFrom<unknown>(
  null,
  undefined,
  7,
  Number.NaN,
  "text",
  "",
  true,
  [],
  [null],
  {},
  { type: "text" },
  new Uint8Array([1, 2]),
  new ArrayBuffer(3),
  Buffer.from("bytes"),
  { type: "Buffer", data: [1, 2, 3] },
  new Date(0),
  new Map(),
  () => 0,
);

const FIELDS = [
  "usage",
  "metadata",
  "kind",
  "time",
  "id",
  "source",
  "signature",
  "filename",
  "data",
  "url",
  "original",
  "link",
  "exitCode",
  "isError",
  "tokens",
  "pending",
];

/** A list in which one place holds something else: a field that is there, or one that could be. */
const odd = fc
  .record({ list: legalConversation(), at: fc.nat(), field: fc.nat(), value: strange })
  .map(({ list, at, field, value }) => {
    const copy = structuredClone(list) as unknown[];
    const places: [object, string | number][] = [];
    const visit = (node: unknown): void => {
      if (typeof node !== "object" || node === null) return;
      for (const name of Object.keys(node)) places.push([node, name]);
      if ("role" in node || "type" in node) {
        places.push([node, FIELDS[field % FIELDS.length] as string]);
      }
      Object.values(node).forEach(visit);
    };
    visit(copy);
    const [node, name] = places[at % places.length] as [Record<string, unknown>, string];
    node[name] = value;
    return copy as Message[];
  });

/** It works, or says in an error of ours what is wrong. */
async function orSays(task: () => unknown): Promise<void> {
  try {
    await task();
  } catch (error) {
    if (!isContextError(error)) throw error;
    expect(error.message).toMatch(/^[A-Z].*\.$/s);
  }
}

it("takes any shape, or says in one sentence what is wrong with it", async () => {
  await fc.assert(
    fc.asyncProperty(odd, async (list) => {
      const filled = [user("go"), ...list, user(words(2_000)), user("and now?")];
      const context = createContext({ window: 4_000, counter: quarter });
      await orSays(() => context.prepare(filled));
      await orSays(() => context.prepare([...filled, user("more")], { force: true }));
      await orSays(() => context.recover(filled, { status: 413 }));
      await orSays(() => context.undo(filled));
      await orSays(() => pruneToolOutputs(filled, { window: 4_000, minimumSaving: 0 }));
    }),
    { numRuns: runs(150, 1_000) },
  );
});
