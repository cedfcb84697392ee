import { lineNet, sumMoney } from "./money.js";
import { lineTax, taxRate } from "./tax.js";

/**
 * @typedef {object} InvoiceLine
 * @property {string} sku
 * @property {string} title
 * @property {number} quantity
 * @property {number} rate in percent
 * @property {number} net in euro
 * @property {number} tax in euro
 * @property {number} gross in euro
 */

/**
 * @typedef {object} Invoice
 * @property {string} orderId
 * @property {string} date
 * @property {string} customer
 * @property {string} country
 * @property {InvoiceLine[]} lines
 * @property {number} net in euro
 * @property {number} tax in euro
 * @property {number} total in euro
 */

/**
 * The invoice of an order.
 *
 * @param {import("./orders.js").Order} order
 * @returns {Invoice}
 */
export function buildInvoice(order) {
  const lines = order.lines.map((line) => buildLine(line, order.country));
  const net = sumMoney(lines.map((line) => line.net));
  const tax = sumMoney(lines.map((line) => line.tax));
  return {
    orderId: order.id,
    date: order.orderedAt.slice(0, 10),
    customer: order.customer,
    country: order.country,
    lines,
    net,
    tax,
    total: sumMoney([net, tax]),
  };
}

/**
 * The invoices of many orders, in the order of their numbers.
 *
 * @param {import("./orders.js").Order[]} orders
 * @returns {Invoice[]}
 */
export function buildInvoices(orders) {
  return [...orders].sort((a, b) => (a.id < b.id ? -1 : 1)).map((order) => buildInvoice(order));
}

function buildLine(line, country) {
  const net = lineNet(line.quantity, line.unitPrice, line.discount);
  const tax = lineTax(net, country, line.taxClass);
  return {
    sku: line.sku,
    title: line.title,
    quantity: line.quantity,
    rate: taxRate(country, line.taxClass),
    net,
    tax,
    gross: sumMoney([net, tax]),
  };
}
