import * as fc from "fast-check";
import { expect, it } from "vitest";
import { extractLedger, mergeLedgers, type Ledger } from "../../../src/core/ledger/index.ts";
import { createFactIndex, indexOf } from "../../../src/core/summary/fact-index.ts";
import { writeSummary } from "../../../src/core/summary/index.ts";
import { assistant, step, user } from "../../build-messages.ts";
import { runs } from "../../property/runs.ts";
import { busyLedger, count, HEAD } from "./build-ledger.ts";

const CWD = "/repo";
const path = fc.nat(40).map((n) => `${n % 3 === 0 ? `${CWD}/` : ""}src/room-${n % 4}/file-${n}.ts`);
const deed = fc.oneof(
  path.map((file_path) => step("r", "Read", { file_path }, "text")),
  path.map((file_path) => step("w", "Write", { file_path, content: "x" }, "done")),
  fc
    .constantFrom("npm test", `cd ${CWD} && npm test`, "ls", "cat big.log", "rm -rf src/room-1")
    .map((command) =>
      step("b", "Bash", { command }, command.startsWith("cat") ? "<failed>" : "ok"),
    ),
  fc
    .constantFrom("Never touch the API.", "go on", "yes", "Use tabs, please.", "- one\n- two")
    .map((text) => [user(text), assistant("The cause is a cursor that nobody resets in time.")]),
);
const stretches = fc.array(
  fc.array(deed, { maxLength: 12 }).map((deeds) => extractLedger(deeds.flat(), { cwd: CWD })),
  { minLength: 1, maxLength: 6 },
);

it("a summary says the same whether its facts came at once or stretch by stretch", () => {
  fc.assert(
    fc.property(stretches, fc.integer({ min: 80, max: 1_500 }), (all, cap) => {
      const index = createFactIndex({ cwd: CWD });
      for (const one of all) index.add(one);
      const ledger = all.reduce((sum, one) => mergeLedgers(sum, one, { cwd: CWD }));
      const input = { cap, count, headHandle: HEAD, cwd: CWD };
      const kept = writeSummary({ ...input, ledger: index.ledger(), index });
      expect(index.ledger()).toEqual(mergeLedgers(ledger, extractLedger([]), { cwd: CWD }));
      expect(kept.text).toBe(writeSummary({ ...input, ledger }).text);
    }),
    { numRuns: runs(60, 600) },
  );
});

it("asks for no more facts than may have room, however many there are", () => {
  const shownOf = (size: number): number => {
    const index = indexOf(busyLedger(size), undefined);
    let counted = 0;
    const ledger: Ledger = { ...index.ledger(), errors: [], statements: [], todos: [] };
    writeSummary({
      cap: 800,
      headHandle: HEAD,
      ledger,
      index,
      count(text) {
        counted++;
        return count(text);
      },
    });
    return counted;
  };
  expect(shownOf(4_000)).toBeLessThan(shownOf(400) * 1.2);
});
