import { parseCsv } from "./csv.js";
import { isIsoTime } from "./dates.js";
import { parseMoney, sumMoney } from "./money.js";

/**
 * @typedef {object} Payment
 * @property {string} orderId
 * @property {string} paidAt
 * @property {number} amount gross, in euro
 * @property {string} method
 */

/**
 * @typedef {object} Difference
 * @property {string} orderId
 * @property {"missing" | "amount" | "unknown-order"} kind
 * @property {number} invoiced in euro
 * @property {number} paid in euro
 * @property {number} difference paid less invoiced, in euro
 */

/**
 * Reads a payment file.
 *
 * @param {string} text
 * @returns {{ payments: Payment[], problems: { line: number, message: string }[] }}
 */
export function readPayments(text) {
  const { rows, problems } = parseCsv(text);
  const payments = [];
  const allProblems = [...problems];
  rows.forEach((row, index) => {
    if (!isIsoTime(row.paid_at)) {
      allProblems.push({ line: index + 2, message: `paid_at is not a time: ${row.paid_at}` });
      return;
    }
    payments.push({
      orderId: row.order_id,
      paidAt: row.paid_at,
      amount: parseMoney(row.amount),
      method: row.method,
    });
  });
  return { payments, problems: allProblems };
}

/**
 * Compares invoices with payments. An order may be paid in several parts.
 *
 * @param {import("./invoice.js").Invoice[]} invoices
 * @param {Payment[]} payments
 * @returns {Difference[]} in the order of the invoices, then payments for unknown orders
 */
export function reconcile(invoices, payments) {
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

function createDifference(kind, orderId, invoiced, paid) {
  return { orderId, kind, invoiced, paid, difference: sumMoney([paid, -invoiced]) };
}
