import { type Answer, bash, read } from "./answer.ts";
import type { Sight } from "./sight.ts";
import { MODULES } from "./task.ts";

const WITHOUT_TEST = new Set(["cli", "index", "legacy"]);

/** Every module is looked at in the same way; the first night is the first of the month. */
const LOOKS: readonly ((module: string, night: number, sight: Sight) => Answer)[] = [
  (module) => ({ text: `Next: src/${module}.js.`, calls: [read(`src/${module}.js`)] }),
  (module) => ({ calls: [["grep", { pattern: `/${module}\\.js"`, path: "." }]] }),
  (module) => ({
    calls: [WITHOUT_TEST.has(module) ? read("package.json") : read(`test/${module}.test.js`)],
  }),
  (module) => ({
    calls: [
      bash(`wc -l src/${module}.js`),
      ["grep", { pattern: "throw new|console\\.", path: `src/${module}.js` }],
    ],
  }),
  (_, night) => ({ calls: [bash(`grep '^${dayOf(night)}' logs/nightly-2026-03.log`)] }),
  (_, _night, { latest }) => {
    const [first = "A-", ...more] = differing(latest);
    return {
      text: `${more.length + 1} orders of that night differ by cents. I look at ${first}.`,
      calls: [bash(`grep -h '^${first}' data/*.csv`)],
    };
  },
  (_, night) => ({
    calls: [bash(`grep ',${dayOf(night)}T' data/orders-2026-03.csv | head -n 12`)],
  }),
  (module) => ({ calls: [["grep", { pattern: "@param|@returns", path: `src/${module}.js` }]] }),
  (module) => ({
    calls: [
      ["edit", { path: "NOTES.md", old: `src/${module}.js: open`, new: `src/${module}.js: read` }],
    ],
  }),
];

export const REVIEW_STEPS = MODULES.length * LOOKS.length;

/** Step `number`, from 1, of going through all modules. */
export function review(number: number, sight: Sight): Answer {
  const at = number - 1;
  const nth = Math.floor(at / LOOKS.length);
  const look = LOOKS[at % LOOKS.length];
  return look?.(MODULES[nth] ?? "", nth + 1, sight) ?? { calls: [] };
}

/** The orders that a night's log says were paid with some cents more or less. */
function differing(log: string): string[] {
  return [...log.matchAll(/order=(\S+) kind=amount/g)].map(([, order = ""]) => order);
}

function dayOf(night: number): string {
  return `2026-03-${String(night).padStart(2, "0")}`;
}
