import { parseCsv } from "./csv.js";
import { isIsoTime } from "./dates.js";
import { parseMoney } from "./money.js";

const COLUMNS = [
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

/**
 * @typedef {object} OrderLine
 * @property {string} sku
 * @property {string} title
 * @property {number} quantity
 * @property {number} unitPrice net, in euro
 * @property {number} discount in percent
 * @property {"standard" | "reduced" | "zero"} taxClass
 */

/**
 * @typedef {object} Order
 * @property {string} id
 * @property {string} orderedAt
 * @property {string} customer
 * @property {string} address
 * @property {string} country
 * @property {OrderLine[]} lines
 */

/**
 * Reads an order export. Rows that cannot be read are reported in `problems`, not thrown: one bad row
 * must not stop the nightly run.
 *
 * @param {string} text
 * @returns {{ orders: Order[], problems: { line: number, message: string }[] }}
 */
export function importOrders(text) {
  const { header, rows, problems } = parseCsv(text);
  checkHeader(header);
  const orders = new Map();
  const allProblems = [...problems];
  rows.forEach((row, index) => {
    const message = findProblem(row);
    if (message !== undefined) {
      allProblems.push({ line: index + 2, message });
      return;
    }
    addLine(orders, row);
  });
  return { orders: [...orders.values()], problems: allProblems };
}

function checkHeader(header) {
  const missing = COLUMNS.filter((column) => !header.includes(column));
  if (missing.length > 0) {
    throw new TypeError(`the order export has no column ${missing.join(", ")}`);
  }
}

function findProblem(row) {
  if (row.order_id === "") {
    return "no order_id";
  }
  if (!isIsoTime(row.ordered_at)) {
    return `ordered_at is not a time: ${row.ordered_at}`;
  }
  if (!/^-?[1-9]\d*$/.test(row.quantity)) {
    return `quantity is not a whole number: ${row.quantity}`;
  }
  if (!/^\d+(\.\d{1,2})?$/.test(row.unit_price)) {
    return `unit_price is not an amount: ${row.unit_price}`;
  }
  if (!isPercent(row.discount)) {
    return `discount is not a percentage: ${row.discount}`;
  }
  return undefined;
}

function isPercent(text) {
  return /^\d{1,3}(\.\d{1,2})?$/.test(text) && Number(text) <= 100;
}

function addLine(orders, row) {
  const order = orders.get(row.order_id) ?? createOrder(row);
  order.lines.push({
    sku: row.sku,
    title: row.title,
    quantity: Number(row.quantity),
    unitPrice: parseMoney(row.unit_price),
    discount: Number(row.discount),
    taxClass: row.tax_class,
  });
  orders.set(order.id, order);
}

function createOrder(row) {
  return {
    id: row.order_id,
    orderedAt: row.ordered_at,
    customer: row.customer,
    address: row.address,
    country: row.country,
    lines: [],
  };
}
