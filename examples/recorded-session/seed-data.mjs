// The sample files of the demo project: an order export, a payment file and a nightly log.
// Everything is invented and comes from a fixed seed, so that each recording works on the same data.
import { importOrders } from "./seed/src/orders.js";
import { buildInvoices } from "./seed/src/invoice.js";
import { readPayments, reconcile } from "./seed/src/payments.js";
import { taxRate } from "./seed/src/tax.js";
import { writeCsv } from "./seed/src/csv.js";

const ORDER_COUNT = 420;
const WITHOUT_PAYMENT = new Set([58, 211, 377]);
const WITH_LINE_BREAK = new Set([23, 140, 266, 391]);

const ORDER_COLUMNS = [
  "order_id",
  "ordered_at",
  "customer",
  "address",
  "country",
  "sku",
  "title",
  "quantity",
  "unit_price",
  "discount",
  "tax_class",
];

const GIVEN_NAMES = "Ada Ben Cleo Dan Eve Finn Gwen Hugo Iris Jon Kim Lea Max Nora Otis Pia".split(
  " ",
);
const FAMILY_NAMES = "Stone Reed Marsh Field Brook Hill Wood Lake Ford Vale Moor Glen".split(" ");
const STREETS = ["Mill Lane", "High Street", "Harbour Road", "Station Way", "Orchard Row"];
const TOWNS = ["Northby", "Eastwick", "Southam", "Westerly", "Midfield", "Overton"];
const COUNTRIES = ["FR", "FR", "FR", "DE", "DE", "AT", "BE", "IT", "CH"];

const ARTICLES = [
  ["MUG-01", "Mug, white", "4.35", "standard"],
  ["MUG-02", "Mug, blue", "4.85", "standard"],
  ["TEA-10", "Green tea 100 g", "3.15", "reduced"],
  ["TEA-11", "Black tea 100 g", "2.95", "reduced"],
  ["TEA-12", "Herbal tea 20 bags", "2.05", "reduced"],
  ["POT-03", "Tea pot 1 l", "24.90", "standard"],
  ["POT-04", "Tea pot 0.5 l", "18.45", "standard"],
  ["BOK-21", "The little tea book", "9.95", "reduced"],
  ["STR-05", "Strainer", "2.01", "standard"],
  ["CAN-06", 'Tin 4", round', "5.55", "standard"],
  ["HON-30", "Honey 250 g", "6.35", "reduced"],
  ["GFT-99", "Gift card", "25.00", "zero"],
];

/**
 * Makes the sample files.
 *
 * @returns {Record<string, string>} text by path inside the project
 */
export function createSampleFiles() {
  const orders = createOrders(createRandom(20260301));
  const orderText = writeCsv(ORDER_COLUMNS, orders.flatMap(toRows));
  const paid = orders.filter((order) => !WITHOUT_PAYMENT.has(order.number));
  const paymentRows = paid.map(toPaymentRow);
  const paymentText = writeCsv(["order_id", "paid_at", "amount", "method"], paymentRows);
  return {
    "data/orders-2026-03.csv": orderText,
    "data/payments-2026-03.csv": paymentText,
    "logs/nightly-2026-03.log": createLog(orderText, paymentText),
  };
}

function createOrders(random) {
  return Array.from({ length: ORDER_COUNT }, (_, number) => {
    const lineCount = 1 + Math.floor(random() * 3);
    return {
      number,
      id: `A-${100_000 + number}`,
      time: orderTime(number, random),
      customer: `${pick(GIVEN_NAMES, random)} ${pick(FAMILY_NAMES, random)}`,
      address: createAddress(number, random),
      country: pick(COUNTRIES, random),
      method: pick(["card", "card", "transfer", "wallet"], random),
      lines: Array.from({ length: lineCount }, () => createLine(random)),
    };
  });
}

function createLine(random) {
  const [sku, title, price, taxClass] = pick(ARTICLES, random);
  const size = 1 + Math.floor(random() * 4);
  const quantity = random() < 0.04 ? -size : size;
  const discount = pick(["0", "0", "0", "0", "10", "12.5", "50"], random);
  return { sku, title, price, taxClass, quantity, discount };
}

function createAddress(number, random) {
  const house = 1 + Math.floor(random() * 90);
  const separator = WITH_LINE_BREAK.has(number) ? "\n" : ", ";
  return `${house} ${pick(STREETS, random)}${separator}${pick(TOWNS, random)}`;
}

function orderTime(number, random) {
  const day = 1 + Math.floor((number * 31) / ORDER_COUNT);
  const minute = Math.floor(random() * 60);
  const hour = 8 + Math.floor(random() * 12);
  return `2026-03-${pad(day)}T${pad(hour)}:${pad(minute)}:00Z`;
}

function toRows(order) {
  const { id, time, customer, address, country } = order;
  return order.lines.map(({ sku, title, quantity, price, discount, taxClass }) => {
    const line = [sku, title, quantity, price, discount, taxClass];
    return [id, time, customer, address, country, ...line];
  });
}

function toPaymentRow(order) {
  const cents = order.lines.reduce((total, line) => total + grossCents(line, order.country), 0);
  return [order.id, order.time.replace(":00Z", ":41Z"), centsToText(cents), order.method];
}

/** What the payment provider computes: whole cents and basis points, each rounding half up. */
function grossCents(line, country) {
  const price = Math.round(Number(line.price) * 100);
  const kept = 10_000 - Math.round(Number(line.discount) * 100);
  const net = divideHalfUp(line.quantity * price * kept, 10_000);
  const rate = Math.round(taxRate(country, line.taxClass) * 100);
  return net + divideHalfUp(net * rate, 10_000);
}

function divideHalfUp(dividend, divisor) {
  const sign = dividend < 0 ? -1 : 1;
  return sign * Math.floor((2 * Math.abs(dividend) + divisor) / (2 * divisor));
}

function centsToText(cents) {
  return `${cents < 0 ? "-" : ""}${Math.floor(Math.abs(cents) / 100)}.${pad(Math.abs(cents) % 100)}`;
}

/** The log that the nightly run of the seed project (with its bugs) would have written. */
function createLog(orderText, paymentText) {
  const { orders, problems } = importOrders(orderText);
  const invoices = buildInvoices(orders);
  const { payments } = readPayments(paymentText);
  const differences = reconcile(invoices, payments);
  const nights = Array.from({ length: 31 }, (_, index) => `2026-03-${pad(index + 1)}`);
  const lines = nights.flatMap((day) => {
    const ofDay = invoices.filter((invoice) => invoice.date === day);
    return [
      `${day}T23:30:00Z INFO  nightly start day=${day} version=0.4.1`,
      ...ofDay.map((invoice, index) => invoiceLine(day, invoice, index)),
      ...differences.filter((item) => dayOfOrder(item.orderId) === day).map(differenceLine(day)),
      `${day}T23:31:10Z INFO  nightly done day=${day} invoices=${ofDay.length}`,
    ];
  });
  const skipped = problems.map(
    ({ line, message }) => `2026-04-01T00:10:00Z WARN  import line=${line} skipped, ${message}`,
  );
  const ending = `2026-04-01T00:10:02Z INFO  month=2026-03 invoices=${invoices.length} differences=${differences.length}`;
  return `${[...lines, ...skipped, ending].join("\n")}\n`;
}

function invoiceLine(day, invoice, index) {
  const seconds = pad(1 + (index % 59));
  const amounts = `net=${invoice.net.toFixed(2)} tax=${invoice.tax.toFixed(2)} total=${invoice.total.toFixed(2)}`;
  return `${day}T23:30:${seconds}Z INFO  invoice order=${invoice.orderId} lines=${invoice.lines.length} ${amounts}`;
}

function differenceLine(day) {
  return ({ orderId, kind, invoiced, paid, difference }) =>
    `${day}T23:31:05Z WARN  reconcile order=${orderId} kind=${kind} invoiced=${invoiced.toFixed(2)} paid=${paid.toFixed(2)} diff=${difference.toFixed(2)}`;
}

function dayOfOrder(orderId) {
  const number = Number(orderId.slice(2)) - 100_000;
  return `2026-03-${pad(1 + Math.floor((number * 31) / ORDER_COUNT))}`;
}

/** A small generator of repeatable pseudo-random numbers (a 32-bit linear congruence). */
function createRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function pick(items, random) {
  return items[Math.floor(random() * items.length)];
}

function pad(number) {
  return String(number).padStart(2, "0");
}
