import { type Answer, read } from "./answer.ts";
import type { Sight } from "./sight.ts";

const TESTS = "csv dates invoice money orders payments report tax".split(" ");

/** A sub-agent that reads all tests, in its own context, and reports. */
export function lookAtTests(step: number, { text }: Sight): Answer {
  const name = TESTS[step - 1];
  if (name !== undefined) return { calls: [read(`test/${name}.test.js`)] };
  if (step === TESTS.length + 1) {
    return { calls: [["grep", { pattern: "rounds|0\\.005|1\\.005", path: "test" }]] };
  }
  const heeds = text.includes("Never change src/legacy.js") ? " I changed nothing." : "";
  return {
    text: `${TESTS.length} test files are read. Rounding is tested once, in test/money.test.js ("rounds to cents"), with an amount that does not end in half a cent. Missing: amounts that end in exactly half a cent, e.g. 5 % of 20.10, and negative ones.${heeds}`,
    calls: [],
  };
}
