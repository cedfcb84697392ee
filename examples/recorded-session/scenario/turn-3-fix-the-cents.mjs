import { bash, edit, exits, fails, grep, read, todo, written, write } from "./calls.mjs";

const NEW_MONEY_TESTS = `  it("takes a negative quantity as a refund", () => {
    assert.equal(lineNet(-1, 9.99, 0), -9.99);
  });

  it("rounds half a cent up", () => {
    assert.equal(lineNet(1, 2.01, 50), 1.01);
    assert.equal(lineNet(7, 4.35, 12.5), 26.64);
    assert.equal(lineNet(3, 0.35, 0), 1.05);
  });

  it("rounds a refund as the mirror of the sale", () => {
    for (const [price, discount] of [[2.01, 50], [4.35, 12.5], [0.05, 50], [9.95, 10]]) {
      assert.equal(lineNet(-1, price, discount), -lineNet(1, price, discount));
    }
  });

  it("never gives a negative zero", () => {
    assert.equal(lineNet(-2, 10, 100), 0);
  });
});

describe("the examples of the money rules", () => {
  const examples = [
    [1, 1.15, 0, 10, 1.15, 0.12],
    [3, 0.35, 0, 10, 1.05, 0.11],
    [1, 2.01, 50, 20, 1.01, 0.2],
    [7, 4.35, 12.5, 5.5, 26.64, 1.47],
    [-1, 2.01, 50, 20, -1.01, -0.2],
  ];
  for (const [quantity, price, discount, rate, net, tax] of examples) {
    it(\`\${quantity} x \${price}, \${discount} % off, \${rate} % tax\`, () => {
      assert.equal(lineNet(quantity, price, discount), net);
      assert.equal(percentOf(net, rate), tax);
    });
  }
});
`;

const OLD_MONEY_TESTS = `  it("takes a negative quantity as a refund", () => {
    assert.equal(lineNet(-1, 9.99, 0), -9.99);
  });
});
`;

export const fixTheCents = {
  user: `Good, that is clear. Now fix the rounding by the accountant's rules. Test first: I want to see the new tests fail before you change the code. Euros stay euros at the edges, the other programs depend on that. One commit for it, message in our style. Leave the CSV thing for later.`,
  steps: [
    {
      say: "Tests first. I read both files again so that my edits fit.",
      calls: [
        todo(
          "> Tests for half cents, refunds and negative zero",
          "  See them fail",
          "  Whole cents in src/money.js",
          "  Reconcile the March sample",
          "  Commit",
        ),
        read("src/money.js"),
        read("test/money.test.js"),
      ],
    },
    {
      calls: [
        edit("test/money.test.js", OLD_MONEY_TESTS, NEW_MONEY_TESTS),
        edit(
          "test/money.test.js",
          `  it("prints the sign in front", () => {
    assert.equal(formatMoney(-3.5), "-3.50");
  });`,
          `  it("prints the sign in front", () => {
    assert.equal(formatMoney(-3.5), "-3.50");
  });

  it("prints no negative zero", () => {
    assert.equal(formatMoney(-0), "0.00");
    assert.equal(formatMoney(-0.001), "0.00");
  });`,
        ),
      ],
    },
    {
      say: "Now they should fail.",
      calls: [exits(1, bash("npm test", "Run the tests, expecting failures"))],
    },
    {
      think:
        "They fail as expected. The smallest change would be the old rounding. I doubt that it is enough: negative half cents. Trying it shows whether the tests see that.",
      say: "They fail, as they should. For completeness I try the smallest change, the rounding from before February, to see whether the tests catch that it is not enough.",
      calls: [
        edit(
          "src/money.js",
          "return Number(amount.toFixed(2));",
          "return Math.round((amount + Number.EPSILON) * 100) / 100;",
        ),
      ],
    },
    {
      calls: [
        exits(
          1,
          bash("node --test --test-reporter=spec test/money.test.js", "Run the money tests"),
        ),
      ],
    },
    {
      say: "As expected: still wrong for refunds and for some products of floats. So whole cents, as the rules say. I start with the percentage.",
      calls: [
        fails(
          edit(
            "src/money.js",
            `export function percentOf(euro, percent) {
  const cents = Math.round(euro * percent);
  return cents / 100;
}`,
            `export function percentOf(amount, rate) {
  return toEuro(divideHalfUp(toCents(amount) * toBasisPoints(rate), HUNDRED_PERCENT));
}`,
          ),
        ),
      ],
    },
    {
      say: "I remembered that function wrongly. I read the file as it is now, and since every function in it changes, I write it as a whole.",
      calls: [read("src/money.js"), grep("roundMoney|toFixed|Math\\.round", "src")],
    },
    {
      say: "`roundMoney` is used only inside `money.js`, so it can go.",
      calls: [write("src/money.js", written("money.js"))],
    },
    {
      calls: [
        bash("npm test", "Run all tests"),
        exits(1, bash("npm run -s reconcile", "Compare invoices and payments again")),
        exits(1, bash("npm run -s lint", "Run the linter")),
      ],
    },
    {
      say: "All tests pass, and only the seven orders are left that have other causes. I check the edges: the public names and their shapes, before and after.",
      calls: [
        bash(
          `node --input-type=module -e '
import * as api from "./src/index.js";
console.log(Object.keys(api).sort().join(" "));
const order = { id: "A-1", orderedAt: "2026-03-05T10:00:00Z", customer: "Ada", address: "x", country: "FR", lines: [{ sku: "S1", title: "Mug", quantity: 3, unitPrice: 4.35, discount: 12.5, taxClass: "standard" }] };
console.log(api.buildInvoice(order));
console.log(api.formatMoney(1234.5), api.formatMoney(-0.004));
'`,
          "Check the public API",
        ),
        bash("git status --short && git diff", "Show the whole change"),
        todo(
          "x Tests for half cents, refunds and negative zero",
          "x See them fail",
          "x Whole cents in src/money.js",
          "x Reconcile the March sample",
          "> Commit",
        ),
      ],
    },
    {
      calls: [
        bash(
          "git add src/money.js test/money.test.js && git commit -m 'money: count in whole cents, round half up' && git log --oneline -3",
          "Commit the fix",
        ),
      ],
    },
    {
      say: `Done:
- \`src/money.js\` counts in whole cents and basis points; one division, one rounding, half away from zero.
- New tests: the accountant's five examples, half cents, mirrored refunds, no negative zero. You can see them fail above, then pass.
- The old rounding was tried too: it fails on the same tests, so going back was no option.
- March sample: 95 differing orders before, 7 now: 3 unpaid, 4 skipped at import.
- Public API: same names, same shapes, euros in and out. \`src/index.js\` untouched.
- One commit: "money: count in whole cents, round half up".`,
    },
  ],
};
