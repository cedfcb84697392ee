import { formatMoney } from "./money.js";

/**
 * A report as plain text for the terminal.
 *
 * @param {import("../report.js").Report} report
 * @returns {string}
 */
export function renderText(report) {
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
