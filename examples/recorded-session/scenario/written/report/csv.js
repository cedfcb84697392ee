import { writeCsv } from "../csv.js";
import { formatMoney } from "../money.js";

/**
 * A report as CSV: one row per tax rate and per country.
 *
 * @param {import("../report.js").Report} report
 * @returns {string}
 */
export function renderCsv(report) {
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
