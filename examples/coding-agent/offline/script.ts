import { type Answer, bash, read } from "./answer.ts";
import { review, REVIEW_STEPS } from "./review.ts";
import { repair, REPAIR_STEPS } from "./repair.ts";
import type { Sight } from "./sight.ts";
import { lookAtTests } from "./sub-agent-script.ts";
import { MODULES, RECONCILE } from "./task.ts";

/** The model's next step, from nothing but what it sees. */
export function answerTo(sight: Sight): Answer {
  const next = sight.step + 1;
  if (sight.isSubAgent) return lookAtTests(next, sight);
  if (next <= BEGINNING.length) return BEGINNING[next - 1] ?? { calls: [] };
  const reviewed = next - BEGINNING.length;
  if (reviewed <= REVIEW_STEPS) return review(reviewed, sight);
  const repairing = reviewed - REVIEW_STEPS;
  return repair(Math.min(repairing, REPAIR_STEPS), sight);
}

const NOTES = MODULES.map((name) => `- src/${name}.js: open\n`).join("");

const BEGINNING: readonly Answer[] = [
  { text: "I look round first.", calls: [bash("ls -R")] },
  { calls: [read("README.md"), read("CONTRIBUTING.md")] },
  { text: "Now the inbox.", calls: [read("INBOX.md")] },
  { calls: [bash("rm -f INBOX.md && echo deleted")] },
  { text: "How bad is it?", calls: [bash(`${RECONCILE} | tail -n 40`)] },
  { calls: [["edit", { path: "NOTES.md", old: "", new: `# Notes\n\n${NOTES}` }]] },
  { text: "What does the nightly run say?", calls: [bash("cat logs/nightly-2026-03.log")] },
  { text: "And the data?", calls: [bash("cat data/orders-2026-03.csv")] },
  { calls: [bash("cat data/payments-2026-03.csv")] },
  {
    text: "The tests can be looked at on the side.",
    calls: [
      [
        "task",
        { task: "Read all files in test/ and tell me which cases of rounding have no test." },
      ],
    ],
  },
];
