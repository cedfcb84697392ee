#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import {
  buildInvoices,
  formatMoney,
  importOrders,
  monthOf,
  monthlyReport,
  readPayments,
  reconcile,
  renderReport,
} from "./index.js";

const USAGE = `Usage:
  tillroll invoices  orders.csv
  tillroll report    orders.csv [--format text|csv|html] [--month 2026-03]
  tillroll reconcile orders.csv payments.csv
Options: --quiet leaves out the warnings about rows that could not be read.`;

const COMMANDS = { invoices: runInvoices, report: runReport, reconcile: runReconcile };

function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      format: { type: "string", default: "text" },
      month: { type: "string" },
      quiet: { type: "boolean", default: false },
    },
  });
  const [name, ...files] = positionals;
  const command = COMMANDS[name];
  if (command === undefined || files.length === 0) {
    console.error(USAGE);
    return 2;
  }
  return command(files, values);
}

function runInvoices([file], options) {
  for (const invoice of buildInvoices(loadOrders(file, options))) {
    const amounts = [invoice.net, invoice.tax, invoice.total].map((a) =>
      formatMoney(a).padStart(10),
    );
    console.log(
      `${invoice.date} ${invoice.orderId.padEnd(10)} ${amounts.join(" ")} ${invoice.customer}`,
    );
  }
  return 0;
}

function runReport([file], options) {
  const orders = loadOrders(file, options);
  const month = options.month ?? monthOf(orders[0].orderedAt);
  process.stdout.write(renderReport(monthlyReport(orders, month), options.format));
  return 0;
}

function runReconcile([ordersFile, paymentsFile], options) {
  const invoices = buildInvoices(loadOrders(ordersFile, options));
  const { payments } = readPayments(readFileSync(paymentsFile, "utf8"));
  const differences = reconcile(invoices, payments);
  for (const { orderId, kind, invoiced, paid, difference } of differences) {
    const amounts = [invoiced, paid, difference].map((amount) => formatMoney(amount).padStart(10));
    console.log(`${orderId.padEnd(10)} ${kind.padEnd(14)} ${amounts.join(" ")}`);
  }
  console.log(`${differences.length} of ${invoices.length} orders differ`);
  return differences.length === 0 ? 0 : 1;
}

function loadOrders(file, options) {
  const { orders, problems } = importOrders(readFileSync(file, "utf8"));
  if (!options.quiet) {
    for (const { line, message } of problems) {
      console.error(`${file}:${line}: skipped, ${message}`);
    }
  }
  return orders;
}

process.exitCode = main();
