import { formatMoney } from "../money.js";

/**
 * A report as one HTML page.
 *
 * @param {import("../report.js").Report} report
 * @returns {string}
 */
export function renderHtml(report) {
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
