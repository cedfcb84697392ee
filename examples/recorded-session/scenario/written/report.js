import { monthOf } from "./dates.js";
import { buildInvoices } from "./invoice.js";
import { sumMoney } from "./money.js";
import { renderCsv } from "./report/csv.js";
import { renderHtml } from "./report/html.js";
import { renderText } from "./report/text.js";

const RENDERERS = { text: renderText, csv: renderCsv, html: renderHtml };

/**
 * @typedef {object} Group
 * @property {string} name
 * @property {number} count
 * @property {number} net in euro
 * @property {number} tax in euro
 * @property {number} total in euro
 */

/**
 * @typedef {object} Report
 * @property {string} month
 * @property {number} invoices
 * @property {number} net in euro
 * @property {number} tax in euro
 * @property {number} total in euro
 * @property {Group[]} byRate
 * @property {Group[]} byCountry
 * @property {{ title: string, quantity: number, net: number }[]} bestSellers
 */

/**
 * The totals of one month.
 *
 * @param {import("./orders.js").Order[]} orders
 * @param {string} month for example "2026-03"
 * @returns {Report}
 */
export function monthlyReport(orders, month) {
  const invoices = buildInvoices(orders.filter((order) => monthOf(order.orderedAt) === month));
  const lines = invoices.flatMap((invoice) =>
    invoice.lines.map((line) => ({ ...line, country: invoice.country })),
  );
  return {
    month,
    invoices: invoices.length,
    net: sumMoney(invoices.map((invoice) => invoice.net)),
    tax: sumMoney(invoices.map((invoice) => invoice.tax)),
    total: sumMoney(invoices.map((invoice) => invoice.total)),
    byRate: groupLines(lines, (line) => `${line.rate} %`),
    byCountry: groupLines(lines, (line) => line.country),
    bestSellers: findBestSellers(lines, 10),
  };
}

function groupLines(lines, nameOf) {
  const groups = new Map();
  for (const line of lines) {
    const name = nameOf(line);
    const group = groups.get(name) ?? [];
    group.push(line);
    groups.set(name, group);
  }
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, group]) => ({
      name,
      count: group.length,
      net: sumMoney(group.map((line) => line.net)),
      tax: sumMoney(group.map((line) => line.tax)),
      total: sumMoney(group.map((line) => line.gross)),
    }));
}

function findBestSellers(lines, limit) {
  const sellers = new Map();
  for (const line of lines) {
    const seller = sellers.get(line.sku) ?? { title: line.title, quantity: 0, net: 0 };
    seller.quantity += line.quantity;
    seller.net = sumMoney([seller.net, line.net]);
    sellers.set(line.sku, seller);
  }
  return [...sellers.values()].sort((a, b) => b.quantity - a.quantity).slice(0, limit);
}

/**
 * Prints a report.
 *
 * @param {Report} report
 * @param {"text" | "csv" | "html"} format
 * @returns {string}
 */
export function renderReport(report, format = "text") {
  if (!Object.hasOwn(RENDERERS, format)) {
    throw new RangeError(`unknown format: ${JSON.stringify(format)}`);
  }
  return RENDERERS[format](report);
}
