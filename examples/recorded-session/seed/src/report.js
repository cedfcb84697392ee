import { writeCsv } from "./csv.js";
import { monthOf } from "./dates.js";
import { buildInvoices } from "./invoice.js";
import { formatMoney, sumMoney } from "./money.js";

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
  if (format === "text") {
    return renderText(report);
  }
  if (format === "csv") {
    return renderCsv(report);
  }
  if (format === "html") {
    return renderHtml(report);
  }
  throw new RangeError(`unknown format: ${JSON.stringify(format)}`);
}

function renderText(report) {
  const lines = [
    `Report for ${report.month}`,
    "",
    `Invoices ${String(report.invoices).padStart(12)}`,
    `Net      ${formatMoney(report.net).padStart(12)}`,
    `Tax      ${formatMoney(report.tax).padStart(12)}`,
    `Total    ${formatMoney(report.total).padStart(12)}`,
    "",
    "By tax rate",
    ...report.byRate.map((group) => textRow(group)),
    "",
    "By country",
    ...report.byCountry.map((group) => textRow(group)),
    "",
    "Best sellers",
    ...report.bestSellers.map((seller, index) => {
      const place = String(index + 1).padStart(2);
      return `${place}. ${seller.title.padEnd(32)} ${String(seller.quantity).padStart(6)}`;
    }),
  ];
  return `${lines.join("\n")}\n`;
}

function textRow(group) {
  const cells = [group.net, group.tax, group.total].map((amount) =>
    formatMoney(amount).padStart(12),
  );
  return `${group.name.padEnd(8)} ${String(group.count).padStart(6)} ${cells.join(" ")}`;
}

function renderCsv(report) {
  const rows = [
    ...report.byRate.map((group) => csvRow("rate", group)),
    ...report.byCountry.map((group) => csvRow("country", group)),
  ];
  return writeCsv(["group", "name", "lines", "net", "tax", "total"], rows);
}

function csvRow(kind, group) {
  return [
    kind,
    group.name,
    group.count,
    formatMoney(group.net),
    formatMoney(group.tax),
    formatMoney(group.total),
  ];
}

function renderHtml(report) {
  const tables = [
    htmlTable("By tax rate", report.byRate),
    htmlTable("By country", report.byCountry),
  ];
  return [
    "<!doctype html>",
    '<html lang="en">',
    `<head><meta charset="utf-8"><title>Report for ${escapeHtml(report.month)}</title></head>`,
    "<body>",
    `<h1>Report for ${escapeHtml(report.month)}</h1>`,
    `<p>${report.invoices} invoices, total ${formatMoney(report.total)} EUR</p>`,
    ...tables,
    "</body>",
    "</html>",
    "",
  ].join("\n");
}

function htmlTable(title, groups) {
  const rows = groups.map((group) => {
    const cells = [
      group.name,
      group.count,
      ...[group.net, group.tax, group.total].map(formatMoney),
    ];
    return `<tr>${cells.map((cell) => `<td>${escapeHtml(String(cell))}</td>`).join("")}</tr>`;
  });
  return `<h2>${escapeHtml(title)}</h2>\n<table>\n${rows.join("\n")}\n</table>`;
}

function escapeHtml(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
