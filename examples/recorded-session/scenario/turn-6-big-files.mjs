import { bash, edit, exits, grep, read, todo, written, write } from "./calls.mjs";

const OLD_RECONCILE = `export function reconcile(invoices, payments) {
  const differences = [];
  for (const invoice of invoices) {
    const own = payments.filter((payment) => payment.orderId === invoice.orderId);
    const paid = sumMoney(own.map((payment) => payment.amount));
    if (own.length === 0) {
      differences.push(createDifference("missing", invoice.orderId, invoice.total, 0));
    } else if (paid !== invoice.total) {
      differences.push(createDifference("amount", invoice.orderId, invoice.total, paid));
    }
  }
  for (const payment of payments) {
    if (!invoices.some((invoice) => invoice.orderId === payment.orderId)) {
      differences.push(createDifference("unknown-order", payment.orderId, 0, payment.amount));
    }
  }
  return differences;
}
`;

const ORDER_TEST = `  it("finds payments without an order", () => {`;

const NEW_ORDER_TEST = `  it("lists invoices in their order, then payments in theirs", () => {
    const invoices = ["A-3", "A-1", "A-2"].map((orderId) => ({ orderId, total: 1 }));
    const payments = [pay("B-2", 1), pay("A-1", 1), pay("B-1", 1), pay("A-2", 2)];
    assert.deepEqual(
      reconcile(invoices, payments).map(({ orderId, kind }) => [orderId, kind]),
      [
        ["A-3", "missing"],
        ["A-2", "amount"],
        ["B-2", "unknown-order"],
        ["B-1", "unknown-order"],
      ],
    );
  });

  it("finds payments without an order", () => {`;

const MAKE_PAYMENTS = `node --input-type=module -e '
import { readFileSync, writeFileSync } from "node:fs";
import { importOrders, buildInvoices, formatMoney } from "./src/index.js";
import { writeCsv } from "./src/csv.js";
const { orders } = importOrders(readFileSync("out/big.csv", "utf8"));
const rows = buildInvoices(orders).map((i) => [i.orderId, i.date + "T13:00:00Z", formatMoney(i.total), "card"]);
writeFileSync("out/big-payments.csv", writeCsv(["order_id", "paid_at", "amount", "method"], rows));
console.log(rows.length, "payments");
'`;

const MEASURE = `for n in 5000 10000 20000 40000; do node scripts/make-orders.js $n > out/big-$n.csv; /usr/bin/env bash -c "TIMEFORMAT='$n rows: %R s'; time node src/cli.js report out/big-$n.csv > /dev/null"; done`;

export const bigFiles = {
  user: `Now speed. The export of a whole year has 40,000 rows, and the report and above all reconcile take ages on it. Measure first, then fix what really costs time, then measure again. No worker threads, no caches, no clever tricks: the code must stay as simple as it is. scripts/make-orders.js makes big files. Put everything you generate under out/, and clean up afterwards.`,
  steps: [
    {
      say: "Measure first: the report at four sizes, then reconcile.",
      calls: [
        todo(
          "> Measure report and reconcile at several sizes",
          "  Profile the 40,000 rows",
          "  Fix what costs time, tests first where behaviour could change",
          "  Measure again",
          "  Clean up out/, diff --stat, commit",
        ),
        read("scripts/make-orders.js"),
        bash(MEASURE, "Measure the report at four sizes"),
      ],
    },
    {
      say: "Twice the rows take far more than twice as long: something is quadratic. Now reconcile with payments that fit.",
      calls: [
        bash(
          `cp out/big-40000.csv out/big.csv && ${MAKE_PAYMENTS}`,
          "Make payments for the big file",
        ),
      ],
    },
    {
      calls: [
        bash(
          "time node src/cli.js reconcile out/big.csv out/big-payments.csv",
          "Run reconcile on the big file",
          { timeout: 4000 },
        ),
      ],
    },
    {
      say: "I gave it four seconds and it ran into the time limit. Before I write a profiler summary of my own: is there a tool for that among the packages that are already here?",
      calls: [
        bash("npm ls --all", "List the installed packages"),
        grep("\\.concat\\(|\\.filter\\(|\\.some\\(|\\.find\\(|\\.\\.\\.", "src"),
      ],
    },
    {
      say: "No, and there will be no new dependency. Node's own profiler and a few lines are enough.",
      calls: [write("out/top.mjs", written("top.mjs"))],
    },
    {
      calls: [
        bash(
          "node --cpu-prof --cpu-prof-dir=out/prof src/cli.js reconcile out/big.csv out/big-payments.csv && node out/top.mjs",
          "Profile reconcile on the big file",
          { timeout: 120000 },
        ),
      ],
    },
    {
      say: "Two places, as suspected: `concat` in `parseCsv`, which copies the whole list for each row, and `filter` and `some` inside loops in `reconcile`. I read both once more.",
      calls: [
        read("src/csv.js", { offset: 20, limit: 45 }),
        read("src/payments.js"),
        read("test/payments.test.js"),
      ],
    },
    {
      say: "The order of the differences is promised in the comment of `reconcile` but no test holds it. I write that test before I change anything; it has to pass on the old code too.",
      calls: [edit("test/payments.test.js", ORDER_TEST, NEW_ORDER_TEST)],
    },
    {
      calls: [
        bash(
          "node --test --test-reporter=spec test/payments.test.js",
          "Run the payment tests on the old code",
        ),
      ],
    },
    {
      say: "It passes on the old code. Now the two changes.",
      calls: [
        edit("src/payments.js", OLD_RECONCILE, written("reconcile.js")),
        edit(
          "src/csv.js",
          `  let rows = [];
  let lines = [];
  let problems = [];`,
          `  const rows = [];
  const lines = [];
  const problems = [];`,
        ),
        edit(
          "src/csv.js",
          "      problems = problems.concat([{ line, message }]);",
          "      problems.push({ line, message });",
        ),
        edit(
          "src/csv.js",
          `      rows = rows.concat([toRecord(header, fields)]);
      lines = lines.concat([line]);`,
          `      rows.push(toRecord(header, fields));
      lines.push(line);`,
        ),
      ],
    },
    {
      calls: [
        bash("npm test", "Run all tests"),
        bash("npm run -s lint && echo 'lint is clean'", "Run the linter"),
      ],
    },
    {
      calls: [
        bash(
          `${MEASURE}; time node src/cli.js reconcile out/big.csv out/big-payments.csv`,
          "Measure the report and reconcile again",
        ),
      ],
    },
    {
      say: "From quadratic to linear. One more look at the profile, to see whether anything else stands out.",
      calls: [
        bash(
          "rm -rf out/prof && node --cpu-prof --cpu-prof-dir=out/prof src/cli.js reconcile out/big.csv out/big-payments.csv && node out/top.mjs",
          "Profile again",
        ),
      ],
    },
    {
      calls: [
        exits(1, bash("npm run -s reconcile", "Check the March sample")),
        bash(
          'for f in text csv html; do node src/cli.js report data/orders-2026-03.csv --format $f | cmp - out/before/report.$f && echo "$f: same"; done',
          "Compare the reports with those from before",
        ),
      ],
    },
    {
      say: "What is left is reading characters and counting lines, as it should be. Cleaning up, then the diff.",
      calls: [
        bash(
          "rm -rf out && git status --short && git add src test && git diff --cached --stat && git diff --cached",
          "Clean up and show the change",
        ),
      ],
    },
    {
      calls: [
        bash(
          "git commit -q -m 'csv, reconcile: linear time on big files' && git log --oneline -8 && git status --short",
          "Commit",
        ),
        todo(
          "x Measure report and reconcile at several sizes",
          "x Profile the 40,000 rows",
          "x Fix what costs time, tests first where behaviour could change",
          "x Measure again",
          "x Clean up out/, diff --stat, commit",
        ),
      ],
    },
    {
      say: `Done:
- Cause 1: \`parseCsv\` copied the list of rows for every row (\`concat\`). Now \`push\`.
- Cause 2: \`reconcile\` searched all payments for every invoice and all invoices for every payment. Now one \`Map\` and one \`Set\`.
- 40,000 rows: a small part of the time it took before; the two measurements are above.
- Results are the same: reports of March byte for byte, the same three differences.
- A new test holds the order of the differences; it passed on the old code too.
- No dependency, no cache, no threads. \`out/\` is gone.
- One commit, \`git diff --stat\` shown before.`,
    },
  ],
};
