import { bash, exits, grep, read, skill, todo } from "./calls.mjs";

const COMPARE_ROUNDINGS = `node --input-type=module -e '
import { readFileSync } from "node:fs";
import { importOrders } from "./src/orders.js";
import { taxRate } from "./src/tax.js";
const byToFixed = (x) => Number(x.toFixed(2));
const byEpsilon = (x) => Math.round((x + Number.EPSILON) * 100) / 100;
const { orders } = importOrders(readFileSync("data/orders-2026-03.csv", "utf8"));
let shown = 0;
let differing = 0;
for (const order of orders) {
  for (const line of order.lines) {
    const raw = line.quantity * line.unitPrice * (1 - line.discount / 100);
    const rate = taxRate(order.country, line.taxClass);
    const a = byToFixed(raw), b = byEpsilon(raw);
    const ta = byToFixed((a * rate) / 100), tb = byEpsilon((b * rate) / 100);
    if (a !== b || ta !== tb) {
      differing += 1;
      if (shown++ < 40) console.log(order.id, line.quantity, "x", line.unitPrice, "-" + line.discount + "%", rate + "%", "raw", raw, "net", a, b, "tax", ta, tb);
    }
  }
}
console.log(differing, "lines differ between the two roundings");
'`;

export const findTheCents = {
  user: `pnpm is not installed there, right, my mistake. Forget what I said about pnpm: use npm from now on.

Now the real problem. Accounting says that some of the March invoices are off by a cent or two against the payment provider. The sample files are in data/, the nightly log in logs/. Find out why, and since when. Keep a todo list. Don't fix anything yet, I want to understand it first.`,
  steps: [
    {
      say: "npm from now on. I'll set up the list and look at how big the damage is.",
      calls: [
        todo(
          "> Reproduce the differences with the sample files",
          "  Find the pattern in the differing orders",
          "  Work one order out by hand",
          "  Find the commit that brought it in",
          "  Report the cause, change nothing",
        ),
        exits(1, bash("npm run -s reconcile", "Compare invoices and payments")),
        bash("wc data/*.csv logs/*.log", "Show the size of the samples"),
      ],
    },
    {
      say: "Reproduced: most differences are one or two cents, nearly all in the same direction. Now the log and the raw files.",
      calls: [
        read("logs/nightly-2026-03.log", { offset: 1, limit: 150 }),
        grep("WARN", "logs"),
        read("data/orders-2026-03.csv", { offset: 1, limit: 110 }),
        read("data/payments-2026-03.csv", { offset: 1, limit: 60 }),
      ],
    },
    {
      say: "There are three kinds of warnings. I count them, and I look at the distribution of the differences.",
      calls: [
        bash(
          'npm run -s reconcile 2>/dev/null | awk \'$2 == "amount" { n[$5]++ } END { for (d in n) print n[d], "times", d }\' | sort -rn',
          "Count the differences by size",
        ),
        bash(
          "npm run -s reconcile 2>/dev/null | awk '/^A-/ { n[$2]++ } END { for (k in n) print n[k], k }' | sort -rn",
          "Count the differences by kind",
        ),
        bash(
          "grep -E '^A-1000(04|13|16|19|21|22),' data/orders-2026-03.csv; grep -E '^A-1000(04|13|16|19|21|22),' data/payments-2026-03.csv",
          "Show some differing orders",
        ),
      ],
    },
    {
      calls: [
        todo(
          "x Reproduce the differences with the sample files",
          "x Find the pattern in the differing orders",
          "> Work one order out by hand",
          "  Find the commit that brought it in",
          "  Report the cause, change nothing",
        ),
        bash(
          "node -e 'for (const x of [1.005, 1.115, 0.115, 2.675, 1.045, 0.315, -1.005]) console.log(x, x.toFixed(2), x.toFixed(20), Math.round((x + Number.EPSILON) * 100) / 100)'",
          "See how toFixed rounds half cents",
        ),
        read("src/money.js"),
      ],
    },
    {
      think:
        "toFixed rounds the binary value, which lies just below the half cent for 1.005, 1.115 and so on. So half cents go down about every second time. Next: since when. git log -S on toFixed finds the commit.",
      say: "`toFixed` rounds the binary value: 1.005 is stored as a bit less, so it goes down. Since when?",
      calls: [
        bash(
          "git log --oneline -S'amount.toFixed(2))' -- src/money.js",
          "Find when toFixed came in",
        ),
        bash(
          "git log -p --format='%h %ad %s' --date=short -- src/money.js",
          "Show the history of money.js",
        ),
        bash(
          "git log -p --format='%n=== %h %ad %s' --date=short -- src test scripts",
          "Show the whole history",
        ),
      ],
    },
    {
      say: "It came with the commit of 26 February. One open question: was the older rounding right? I compare the two on the sample, and I read the money rules before I judge.",
      calls: [
        bash(COMPARE_ROUNDINGS, "Compare the old and the new rounding"),
        skill("money-rules"),
      ],
    },
    {
      say: "The rules want whole cents. So I check the payment file against them, line by line, for the orders that differ.",
      calls: [
        bash(
          `node --input-type=module -e '
import { readFileSync } from "node:fs";
import { importOrders } from "./src/orders.js";
import { readPayments } from "./src/payments.js";
import { taxRate } from "./src/tax.js";
const half = (a, b) => Math.sign(a) * Math.floor((2 * Math.abs(a) + b) / (2 * b));
const { orders } = importOrders(readFileSync("data/orders-2026-03.csv", "utf8"));
const { payments } = readPayments(readFileSync("data/payments-2026-03.csv", "utf8"));
const paid = new Map(payments.map((p) => [p.orderId, Math.round(p.amount * 100)]));
let equal = 0, other = [];
for (const o of orders) {
  let sum = 0;
  for (const l of o.lines) {
    const net = half(l.quantity * Math.round(l.unitPrice * 100) * (10000 - Math.round(l.discount * 100)), 10000);
    sum += net + half(net * Math.round(taxRate(o.country, l.taxClass) * 100), 10000);
  }
  if (paid.get(o.id) === sum) equal += 1; else other.push([o.id, sum, paid.get(o.id)]);
}
console.log(equal, "orders agree with the payment file to the cent");
console.log("others", other);
'`,
          "Apply the money rules to the sample",
        ),
        read("logs/nightly-2026-03.log", { offset: 540, limit: 60 }),
        todo(
          "x Reproduce the differences with the sample files",
          "x Find the pattern in the differing orders",
          "x Work one order out by hand",
          "x Find the commit that brought it in",
          "> Report the cause, change nothing",
        ),
      ],
    },
    {
      calls: [
        todo(
          "x Reproduce the differences with the sample files",
          "x Find the pattern in the differing orders",
          "x Work one order out by hand",
          "x Find the commit that brought it in",
          "x Report the cause, change nothing",
        ),
      ],
    },
    {
      say: `Cause:
- \`roundMoney\` uses \`toFixed\`, which rounds the binary number. 1.005 is stored as 1.00499…, so a half cent often goes down.
- It hits the discount (12.5 %, 50 %) and the tax (5.5 %, 10 %, 19 %) of a line; an order with several lines can be off by more than one cent.

Since when:
- Since the commit of 26 February 2026, "money: round with toFixed, it is shorter".
- The rounding before it was better but not right either: it rounds negative half cents towards zero, so refunds do not mirror sales.

Proof:
- With whole cents, by the rules in the money-rules skill, all orders agree with the payment file, apart from three without a payment.

Also seen:
- 3 orders \`missing\`: really not paid yet (A-100058, A-100211, A-100377).
- 4 orders \`unknown-order\`: their rows were skipped at import (A-100023, A-100140, A-100266, A-100391). That is another bug, in the CSV reader.

Nothing changed.`,
    },
  ],
};
