import { bash, exits, fails, glob, grep, read } from "./calls.mjs";

export const lookRound = {
  user: `Hi. This is tillroll, the small program that writes our invoices. I need some work on it today, so get to know it first: read all of the sources, run the tests and the linter, then tell me how the pieces fit together and what looks risky.

House rules for the whole session:
- Never touch src/index.js, nor the names, arguments or return shapes of anything it exports. Two other programs import it.
- No new dependencies.
- Use pnpm for everything, not npm.
- Answer in short bullets, no long texts.

Don't change any file yet.`,
  steps: [
    {
      think:
        "The user wants an overview first, without changes. I note the rules: src/index.js and its exports stay as they are, no new dependencies, pnpm, short bullets. I begin with the file list and the two documents that say how people work here.",
      say: "I'll start with the layout and with the documents that say how you work here.",
      calls: [
        glob("**/*.{js,json,md}"),
        read("README.md"),
        read("CONTRIBUTING.md"),
        fails(read("AGENTS.md")),
      ],
    },
    {
      say: "There is no AGENTS.md, so CONTRIBUTING.md is what counts. Now the entry points and the history in short.",
      calls: [
        read("package.json"),
        read("src/index.js"),
        read("src/cli.js"),
        bash("git log --format='%h %ad %an %s' --date=short", "List the commits"),
      ],
    },
    {
      say: "Next, the way in: from the CSV text to orders.",
      calls: [read("src/csv.js"), read("src/orders.js"), read("src/dates.js")],
    },
    {
      say: "Then the amounts.",
      calls: [read("src/money.js"), read("src/tax.js"), read("src/invoice.js")],
    },
    {
      say: "And the way out: reports, payments, and a file called legacy.",
      calls: [read("src/report.js"), read("src/payments.js"), read("src/legacy.js")],
    },
    {
      say: "Let me see who imports what, and run the tests and the linter with pnpm as you asked.",
      calls: [
        grep('^import|from "', "src"),
        exits(127, bash("pnpm test", "Run the tests with pnpm")),
        exits(127, bash("pnpm lint", "Run the linter with pnpm")),
      ],
    },
    {
      think:
        "pnpm is not installed. Installing it would be a change of the machine that nobody asked for, and the rule says not npm. Running the tools through node keeps both rules.",
      say: "pnpm is not installed on this machine. I won't install it and I won't fall back to npm against your rule; the tests and the linter also run through node directly.",
      calls: [
        bash("node --version; git --version", "Show the versions of the tools"),
        bash("node --test --test-reporter=spec", "Run the tests through node"),
        exits(1, bash("node node_modules/eslint/bin/eslint.js .", "Run the linter through node")),
      ],
    },
    {
      say: "All tests pass; the linter complains about one line. I'll read the tests too, to see what they do not cover.",
      calls: [
        read("test/money.test.js"),
        read("test/csv.test.js"),
        read("test/orders.test.js"),
        read("test/payments.test.js"),
      ],
    },
    {
      calls: [
        read("test/invoice.test.js"),
        read("test/report.test.js"),
        read("eslint.config.js"),
        bash(
          "git log --stat --format='%n%h %s' -- src test | head -80",
          "Show which commit touched what",
        ),
      ],
    },
    {
      say: `How it fits together:
- \`csv.js\` → \`orders.js\`: text to rows, rows to orders; bad rows become \`problems\`, nothing is thrown.
- \`invoice.js\` uses \`money.js\` and \`tax.js\`: one invoice per order, net and tax per line.
- \`report.js\`: totals of a month and all three output formats in one file.
- \`payments.js\`: compares invoices with the payment file.
- \`cli.js\` only uses the public names of \`index.js\`.

State:
- Tests: all pass. Lint: one error, a \`var\` in \`src/legacy.js\`.
- pnpm is not installed here; I ran tests and lint through \`node\` directly.

What looks risky:
- \`money.js\`: euro amounts as floats, multiplied with rates and rounded with \`toFixed\`. No test has a half cent in it.
- \`csv.js\`: splits at line ends before it looks at quotes. A line break in a quoted address breaks the row.
- \`orders.js\`, \`payments.js\`: line numbers in warnings are counted over the good rows only.
- \`csv.js\`, \`payments.js\`: \`concat\` in a loop and \`filter\` in a loop, slow on big files.
- \`legacy.js\`: I found nobody who imports it.

No file changed.`,
    },
  ],
};
