export function reconcile(invoices, payments) {
  const byOrder = groupByOrder(payments);
  const known = new Set(invoices.map((invoice) => invoice.orderId));
  const differences = [];
  for (const { orderId, total } of invoices) {
    const own = byOrder.get(orderId) ?? [];
    const paid = sumMoney(own.map((payment) => payment.amount));
    if (own.length === 0) {
      differences.push(createDifference("missing", orderId, total, 0));
    } else if (paid !== total) {
      differences.push(createDifference("amount", orderId, total, paid));
    }
  }
  for (const { orderId, amount } of payments) {
    if (!known.has(orderId)) {
      differences.push(createDifference("unknown-order", orderId, 0, amount));
    }
  }
  return differences;
}

function groupByOrder(payments) {
  const groups = new Map();
  for (const payment of payments) {
    const group = groups.get(payment.orderId) ?? [];
    group.push(payment);
    groups.set(payment.orderId, group);
  }
  return groups;
}
