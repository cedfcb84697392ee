/**
 * The public API of tillroll. Other programs import these names: they do not change without a major
 * version.
 */
export { importOrders } from "./orders.js";
export { buildInvoice, buildInvoices } from "./invoice.js";
export { monthlyReport, renderReport } from "./report.js";
export { readPayments, reconcile } from "./payments.js";
export { formatMoney } from "./money.js";
export { monthOf } from "./dates.js";
