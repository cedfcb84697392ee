import { type Answer, bash, type Call, read } from "./answer.ts";
import type { Sight } from "./sight.ts";
import { RECONCILE } from "./task.ts";

const SUSPECT = "toFixed\\(2\\)\\)|\\* 100\\) / 100";
const ROUNDING =
  "return (Math.sign(amount) * Math.round(Number((Math.abs(amount) * 100).toFixed(6)))) / 100;";

/** How each of the suspects rounds; what the model would change if nobody had said otherwise. */
const REPAIRS: Readonly<Record<string, { readonly old: string; readonly new: string }>> = {
  "src/money.js": { old: "return Number(amount.toFixed(2));", new: ROUNDING },
  "src/legacy.js": {
    old: "const rounded = Math.round(amount * 100) / 100;",
    new: "const rounded = Math.round(amount * 100 + Number.EPSILON) / 100;",
  },
};

const LAST_TEST = "assert.equal(percentOf(9.99, 19), 1.9);\n  });\n});";
const ONE_MORE = `assert.equal(percentOf(9.99, 19), 1.9);
  });

  it("rounds half a cent up", () => {
    assert.equal(percentOf(20.1, 5), 1.01);
  });
});`;

/** What the model looks for in the archive when it no longer sees it. */
const TICKET = "release ticket .* is TR";
const DIFFERENCES = "[0-9]+ of [0-9]+ orders differ";

const STEPS: readonly ((sight: Sight) => Answer)[] = [
  () => ({ text: "All modules are read.", calls: [read("NOTES.md")] }),
  () => ({ text: "A test that shows it, first.", calls: [addTest()] }),
  () => ({ calls: [bash("node test/money.test.js | grep -A 12 'not ok'")] }),
  () => ({ text: "It fails. Who rounds?", calls: [["grep", { pattern: SUSPECT, path: "src" }]] }),
  (sight) => ({ text: "Now the repair.", calls: repairs(sight) }),
  () => ({ calls: [bash("node test/money.test.js | tail -n 9")] }),
  () => ({ text: "And all of them.", calls: [bash("node --test 2>&1 | tail -n 12")] }),
  (sight) => ({
    calls: [ticketIn(sight) === undefined ? search(TICKET) : read("CHANGELOG.md")],
  }),
  (sight) => ({ calls: [changelog(ticketIn(sight) ?? "ticket unknown")] }),
  (sight) => ({
    calls: [differencesIn(sight.text).length === 0 ? search(DIFFERENCES) : read("CHANGELOG.md")],
  }),
  () => ({ text: "Last: how many differ now?", calls: [bash(`${RECONCILE} | tail -n 8`)] }),
  lastWord,
];

export const REPAIR_STEPS = STEPS.length;

/** Step `number`, from 1, of the repair; the last one is the answer. */
export function repair(number: number, sight: Sight): Answer {
  return STEPS[number - 1]?.(sight) ?? { calls: [] };
}

function addTest(): Call {
  return ["edit", { path: "test/money.test.js", old: LAST_TEST, new: ONE_MORE }];
}

/** All suspects that were found, but for those that the person wants left alone, if that is in sight. */
function repairs({ latest, text }: Sight): Call[] {
  const forbidden = new Set(
    [...text.matchAll(/Never change ([\w./]+\w)/g)].map(([, path]) => path),
  );
  const found = [...latest.matchAll(/^(?:\.\/)?(src\/[\w.]+):\d+:/gm)].map(([, path = ""]) => path);
  return [...new Set(found)]
    .filter((path) => path in REPAIRS && !forbidden.has(path))
    .map((path) => ["edit", { path, ...REPAIRS[path] }]);
}

function changelog(ticket: string): Call {
  const line = "- money: half a cent is rounded up, as the payment provider does";
  const [old, section] = ["# Changelog\n\n## 0.4.1", `## 0.4.2 (${ticket})\n\n${line}`];
  return ["edit", { path: "CHANGELOG.md", old, new: `# Changelog\n\n${section}\n\n## 0.4.1` }];
}

function search(pattern: string): Call {
  return ["search_archive", { pattern, regex: true, limit: 3 }];
}

function ticketIn({ text }: Sight): string | undefined {
  return /release ticket\b[^.]*?\b(TR-\d+-[A-Z]+)/.exec(text)?.[1];
}

/** How many orders differed, as far as that can be seen in a text. */
function differencesIn(text: string): string[] {
  return [...text.matchAll(/(\d+) of \d+ orders differ/g)].map(([, count = ""]) => count);
}

/** The answer; what it needs and does not see is looked for once. */
function lastWord(sight: Sight): Answer {
  const { outputs, text } = sight;
  const ticket = ticketIn(sight);
  const after = differencesIn(outputs.findLast(({ tool }) => tool === "bash")?.text ?? "").at(-1);
  const before = differencesIn(text).find((count) => count !== after);
  const missing = [
    ...(ticket === undefined ? [TICKET] : []),
    ...(before === undefined ? [DIFFERENCES] : []),
  ];
  if (missing.length > 0 && outputs.at(-1)?.tool !== "search_archive") {
    return { calls: missing.map(search) };
  }
  const counts = `Of the orders ${before ?? "?"} differed before, ${after ?? "?"} differ now`;
  return {
    text: `src/money.js rounded half a cent down; it is repaired and tested. ${counts}, and those were not paid or not imported. src/legacy.js is as it was. The release ticket is ${ticket ?? "unknown to me"}.`,
    calls: [],
  };
}
