import { bash, edit, exits, read, skill, todo } from "./calls.mjs";

const EMPTY_TESTS = `  it("takes an empty text", () => {
    assert.deepEqual(parseCsv(""), { header: [""], rows: [], lines: [], problems: [] });
  });

  it("takes a last line without a line end", () => {`;

const OLD_CHANGELOG = `# Changelog

## 0.4.1
`;

const NEW_CHANGELOG = `# Changelog

## 0.4.2

- FIX invoice: half cents in discounts and taxes are rounded up, refunds are the mirror of the sale
- FIX csv: orders with a line break in a quoted field are read, not skipped
- cli: warnings name the line of the file, also after skipped rows
- report, reconcile: no long wait on a file of 40,000 rows

## 0.4.1
`;

export const freshEyes = {
  user: `Nearly there. Now go over everything once more with fresh eyes, as if somebody else had written it: read the full diff against where we started this morning and every changed file as it is now. Fix what you find (test first, as always). Then write the changelog, with the skill for it, and set the version. Check README and CONTRIBUTING against what the program does now.`,
  steps: [
    {
      say: "The full diff against this morning, and the changed sources as they are now.",
      calls: [
        todo(
          "> Read the full diff and all changed files",
          "  Fix what turns up",
          "  Changelog and version, by the skill",
          "  Check README and CONTRIBUTING",
          "  Last full run of everything",
        ),
        bash("git log --reverse --format='%h %s' --since=2026-04-02", "List today's commits"),
        bash(
          "git diff \"$(git log -1 --format=%h --grep='samples of march')\" HEAD",
          "Show the full diff of today",
        ),
      ],
    },
    {
      calls: [
        read("src/csv.js"),
        read("src/money.js"),
        read("src/payments.js"),
        read("src/orders.js"),
      ],
    },
    {
      think:
        "readRecords on an empty text gives no record at all: endRecord drops an empty record. Then first is undefined and parseCsv throws a TypeError about fields. The old code gave a header of one empty name, and importOrders then said which columns are missing. Same for splitLine with an empty line. I should prove it.",
      say: "One thing looks wrong: on an empty text `readRecords` gives nothing, and `first.fields` throws. The old code gave a clear message. I try it.",
      calls: [
        exits(
          1,
          bash(
            "mkdir -p out && : > out/empty.csv && node src/cli.js report out/empty.csv",
            "Try an empty file",
          ),
        ),
        bash(
          "git stash list; git show HEAD~5:src/csv.js | sed -n '36,62p'",
          "Look at the reader as it was",
        ),
        read("test/csv.test.js"),
        read("test/orders.test.js"),
      ],
    },
    {
      say: "Indeed: a TypeError from inside instead of the sentence about missing columns. My mistake from the reader's rewrite. Test first.",
      calls: [
        edit(
          "test/csv.test.js",
          '  it("takes a last line without a line end", () => {',
          EMPTY_TESTS,
        ),
        edit(
          "test/csv.test.js",
          '  it("keeps empty fields", () => {',
          '  it("takes an empty line", () => {\n    assert.deepEqual(splitLine(""), [""]);\n  });\n\n  it("keeps empty fields", () => {',
        ),
        edit(
          "test/orders.test.js",
          '    assert.throws(() => importOrders("order_id,customer\\nA-1,Ada\\n"), /no column ordered_at/);',
          '    assert.throws(() => importOrders("order_id,customer\\nA-1,Ada\\n"), /no column ordered_at/);\n    assert.throws(() => importOrders(""), /no column order_id/);',
        ),
      ],
    },
    {
      calls: [exits(1, bash("npm test", "Run the tests, expecting failures"))],
    },
    {
      calls: [
        edit(
          "src/csv.js",
          "  const [first, ...records] = readRecords(text);\n  const header = first.fields;",
          '  const [first, ...records] = readRecords(text);\n  const header = first?.fields ?? [""];',
        ),
        edit(
          "src/csv.js",
          "  return readRecords(line)[0].fields;",
          '  return readRecords(line)[0]?.fields ?? [""];',
        ),
      ],
    },
    {
      calls: [
        bash("npm test", "Run all tests"),
        bash(
          "node src/cli.js report out/empty.csv 2>&1 | grep '^TypeError'",
          "Try the empty file again",
        ),
      ],
    },
    {
      say: "Fixed: the message names the missing columns again. The diff, then the commit, then the changelog.",
      calls: [
        bash(
          "rm -rf out && git add src test && git diff --cached --stat && git commit -q -m 'csv: an empty file is read as a file without columns' && git status --short",
          "Show the change and commit",
        ),
        skill("changelog"),
        read("CHANGELOG.md"),
        read("package.json"),
        read("README.md"),
        read("CONTRIBUTING.md"),
      ],
    },
    {
      think:
        "The empty file was broken only between two commits of today, so no user saw it: no changelog line. Fixes raise the last number: 0.4.2. The README says that address may be quoted; it should say that line breaks are fine. CONTRIBUTING is still right.",
      say: "Fixes only, so 0.4.2. The empty file was broken only within today, no user saw that: no line for it. The README should say that quoted fields may have line breaks; CONTRIBUTING is right as it is.",
      calls: [
        edit("CHANGELOG.md", OLD_CHANGELOG, NEW_CHANGELOG),
        edit("package.json", '"version": "0.4.1"', '"version": "0.4.2"'),
        edit(
          "README.md",
          "| `address`    | postal address, may be quoted               |",
          "| `address`    | postal address, quotes may hold line breaks  |",
        ),
      ],
    },
    {
      calls: [
        bash("npm test", "Run all tests"),
        bash("npm run -s lint && echo 'lint is clean'", "Run the linter"),
        exits(1, bash("npm run -s reconcile", "Reconcile the March sample")),
        bash(
          "git diff --stat && git diff && git diff --stat \"$(git log -1 --format=%h --grep='samples of march')\" -- src/index.js data logs",
          "Show the change, and that index.js, data and logs did not change",
        ),
      ],
    },
    {
      calls: [
        bash(
          "git add CHANGELOG.md package.json README.md && git commit -q -m 'repo: version 0.4.2' && git log --oneline -9 && git status --short",
          "Commit the version",
        ),
        todo(
          "x Read the full diff and all changed files",
          "x Fix what turns up",
          "x Changelog and version, by the skill",
          "x Check README and CONTRIBUTING",
          "x Last full run of everything",
        ),
      ],
    },
    {
      say: `Found and fixed:
- An empty export gave a TypeError from inside since my rewrite of the reader. Now again the sentence about missing columns. Test first, own commit.

Release:
- Version 0.4.2 (fixes only, so the last number), four lines in the changelog, wrong amounts first.
- README: quoted fields may have line breaks. CONTRIBUTING needed nothing.

Last run:
- Tests pass, lint is clean, 3 of 420 March orders differ, all three unpaid.
- \`src/index.js\`, \`data/\` and \`logs/\`: no change since this morning (the last \`diff --stat\` above is empty for them).

Not done, for you to decide:
- \`dates.js\`: \`dayOf\`, \`previousMonth\` and \`daysBetween\` are used by tests only.
- \`buildInvoices\` sorts order numbers as text: A-1000000 would come before A-999999.`,
    },
  ],
};
