import { bash, edit, exits, fails, grep, read, todo, written, write } from "./calls.mjs";

const CSV_TESTS = `  it("keeps line breaks in quotes", () => {
    const { rows, problems } = parseCsv('name,size\\n"nail\\nlong",3\\nbolt,5\\n');
    assert.deepEqual(rows, [
      { name: "nail\\nlong", size: "3" },
      { name: "bolt", size: "5" },
    ]);
    assert.deepEqual(problems, []);
  });

  it("says on which line of the file a row starts", () => {
    const { lines, problems } = parseCsv('name,size\\n"a\\nb",3\\nnail\\n\\nbolt,5');
    assert.deepEqual(lines, [2, 6]);
    assert.deepEqual(problems, [{ line: 4, message: "1 columns instead of 2" }]);
  });

  it("takes a last line without a line end", () => {
    assert.equal(parseCsv("name,size\\nnail,3").rows.length, 1);
  });

  it("reports rows with too few or too many columns", () => {`;

const ORDER_TESTS = `  it("keeps a line break in an address", () => {
    const { orders, problems } = importRows(
      'A-1,2026-03-01T10:00:00Z,Ada Stone,"1 High St\\nNorthby",FR,S1,Mug,2,4.50,0,standard',
    );
    assert.equal(orders[0].address, "1 High St\\nNorthby");
    assert.deepEqual(problems, []);
  });

  it("names the line of the file, whatever comes before it", () => {
    const { problems } = importRows(
      "too,short",
      'A-1,2026-03-01T10:00:00Z,Ada Stone,"1 High St\\nNorthby",FR,S1,Mug,2,4.50,0,standard',
      "A-2,yesterday,Ben Reed,2 High St,DE,S1,Mug,1,4.50,0,standard",
    );
    assert.deepEqual(
      problems.map((problem) => problem.line),
      [2, 5],
    );
  });

  it("refuses a file without the right columns", () => {`;

const PAYMENT_TEST = `  it("names the line of the file, whatever comes before it", () => {
    const { problems } = readPayments(\`\${HEADER}\\nshort\\nA-1,soon,12.50,card\\n\`);
    assert.deepEqual(
      problems.map((problem) => problem.line),
      [2, 3],
    );
  });
});

describe("reconcile", () => {`;

export const lineBreaks = {
  user: `Next: the four customers whose orders are missing. Support says that they all have a line break in their address. Same procedure: failing test first, then the fix, one commit. While you are there, check whether the line numbers in the warnings are right, I never trusted them. And please never edit anything under data/ or logs/, those are copies of real exports.`,
  steps: [
    {
      say: "I look at the rows themselves first.",
      calls: [
        todo(
          "> Look at the skipped rows",
          "  Failing tests for line breaks and line numbers",
          "  Fix the CSV reader",
          "  Use real line numbers in orders and payments",
          "  Compare the March report before and after, commit",
        ),
        bash(
          "node src/cli.js invoices data/orders-2026-03.csv 2>&1 >/dev/null",
          "Show the warnings only",
        ),
        bash(
          "sed -n -e '40,44p' -e '265,268p' -e '513,518p' -e '768,773p' data/orders-2026-03.csv",
          "Show the rows behind the warnings",
        ),
        bash(
          "mkdir -p out/before && npm run -s report > out/before/report.txt 2>/dev/null; cat out/before/report.txt",
          "Keep the report as it is now",
        ),
      ],
    },
    {
      say: "Confirmed: a quoted address over two lines becomes two broken rows. The reader and its tests once more, and both users of it.",
      calls: [
        read("src/csv.js"),
        read("test/csv.test.js"),
        read("src/orders.js", { offset: 40, limit: 40 }),
        grep("index \\+ 2|parseCsv|splitLine", "."),
      ],
    },
    {
      think:
        "Line numbers: orders.js and payments.js use index + 2 over the rows that parseCsv kept. After one skipped row, or a row over two lines, every later number is wrong. parseCsv is not public, so it can return the line of each row.",
      say: "The line numbers are wrong too: they count kept rows, so every skipped row before moves them. `parseCsv` is internal, it can say where each row starts. Tests:",
      calls: [
        fails(
          edit(
            "test/csv.test.js",
            "    assert.deepEqual(rows, [",
            "    assert.deepEqual(problems, []);\n    assert.deepEqual(rows, [",
          ),
        ),
      ],
    },
    {
      say: "That text is there more than once. I put the new tests in front of a line that is there only once, and leave the old ones alone.",
      calls: [
        edit(
          "test/csv.test.js",
          '  it("reports rows with too few or too many columns", () => {',
          CSV_TESTS,
        ),
        edit(
          "test/orders.test.js",
          '  it("refuses a file without the right columns", () => {',
          ORDER_TESTS,
        ),
        edit("test/payments.test.js", '});\n\ndescribe("reconcile", () => {', PAYMENT_TEST),
      ],
    },
    {
      calls: [exits(1, bash("npm test", "Run the tests, expecting failures"))],
    },
    {
      say: "They fail, for the right reasons. Now the reader: it walks over the text once and only ends a record at a line end outside quotes.",
      calls: [
        write("src/csv.js", written("csv-first.js")),
        edit(
          "src/orders.js",
          "  const { header, rows, problems } = parseCsv(text);",
          "  const { header, rows, lines, problems } = parseCsv(text);",
        ),
        edit(
          "src/orders.js",
          "      allProblems.push({ line: index + 2, message });",
          "      allProblems.push({ line: lines[index], message });",
        ),
        edit(
          "src/payments.js",
          "  const { rows, problems } = parseCsv(text);",
          "  const { rows, lines, problems } = parseCsv(text);",
        ),
        edit(
          "src/payments.js",
          "allProblems.push({ line: index + 2, message: `paid_at is not a time: ${row.paid_at}` });",
          "allProblems.push({ line: lines[index], message: `paid_at is not a time: ${row.paid_at}` });",
        ),
      ],
    },
    {
      calls: [exits(1, bash("npm test", "Run all tests"))],
    },
    {
      say: "One test that passed before fails now: Windows line ends. Splitting at `\\r?\\n` took care of the `\\r`, my walk does not. I fix that, still leaving a `\\r` inside quotes alone.",
      calls: [
        edit(
          "src/csv.js",
          '    } else if (character === "\\n" && !quoted) {\n      endRecord();\n    } else {',
          '    } else if (character === "\\n" && !quoted) {\n      endRecord();\n    } else if (character !== "\\r" || quoted || text[index + 1] !== "\\n") {',
        ),
      ],
    },
    {
      calls: [bash("npm test", "Run all tests")],
    },
    {
      say: "Green. Now the sample: warnings, reconcile, and the report before and after.",
      calls: [
        bash(
          "node src/cli.js invoices data/orders-2026-03.csv 2>&1 >/dev/null | wc -l",
          "Count the warnings",
        ),
        exits(1, bash("npm run -s reconcile", "Compare invoices and payments")),
        exits(
          1,
          bash(
            "npm run -s report > out/report.txt && diff out/before/report.txt out/report.txt",
            "Compare the report before and after",
          ),
        ),
        bash(
          "node src/cli.js invoices data/orders-2026-03.csv | head -150",
          "Read some of the invoices",
        ),
      ],
    },
    {
      say: "420 orders, no warnings, and only the three unpaid ones differ. I go through the change and commit.",
      calls: [bash("git status --short && git diff", "Show the whole change"), read("src/csv.js")],
    },
    {
      calls: [
        bash(
          "git add src test && git commit -m 'csv: line breaks in quoted fields, real line numbers in warnings' && git status --short",
          "Commit the fix",
        ),
        todo(
          "x Look at the skipped rows",
          "x Failing tests for line breaks and line numbers",
          "x Fix the CSV reader",
          "x Use real line numbers in orders and payments",
          "x Compare the March report before and after, commit",
        ),
      ],
    },
    {
      say: `Done:
- Quoted fields may go over line ends now; the four orders are back. March has 420 invoices instead of 416.
- You were right about the line numbers: after the first skipped row all of them were wrong, in both files. Now they are the lines of the file.
- On the way I broke Windows line ends; a test that was there caught it, fixed before the commit.
- Reconcile: 3 orders differ, all three really unpaid.
- The March report changed by the four orders only; the difference is above.
- \`data/\`, \`logs/\` and \`src/index.js\` untouched.
- One commit: "csv: line breaks in quoted fields, real line numbers in warnings".`,
    },
  ],
};
