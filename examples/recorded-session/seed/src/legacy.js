/**
 * The report as it was printed before version 0.2.0. Kept while the shop moved its scripts.
 *
 * @deprecated use `renderReport`
 */

const WIDTH = 44;

/**
 * @param {{ orderId: string, date: string, customer: string, total: number }[]} invoices
 * @returns {string}
 */
export function legacyList(invoices) {
  const lines = [center("INVOICES"), "=".repeat(WIDTH)];
  var total = 0;
  for (const invoice of invoices) {
    const name = invoice.customer.slice(0, 16).padEnd(16);
    lines.push(`${invoice.date} ${invoice.orderId.padEnd(8)} ${name} ${money(invoice.total)}`);
    total += invoice.total;
  }
  lines.push("=".repeat(WIDTH), `TOTAL ${money(total).padStart(WIDTH - 6)}`);
  return lines.join("\n");
}

function center(text) {
  const space = Math.floor((WIDTH - text.length) / 2);
  return " ".repeat(space) + text;
}

function money(amount) {
  const rounded = Math.round(amount * 100) / 100;
  const parts = String(rounded).split(".");
  const cents = (parts[1] ?? "0").padEnd(2, "0");
  return `${parts[0]},${cents}`.padStart(8);
}
