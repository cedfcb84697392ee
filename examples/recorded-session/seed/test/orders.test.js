import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { importOrders } from "../src/orders.js";

const HEADER =
  "order_id,ordered_at,customer,address,country,sku,title,quantity,unit_price,discount,tax_class";

function importRows(...rows) {
  return importOrders([HEADER, ...rows, ""].join("\n"));
}

describe("importOrders", () => {
  it("puts the lines of an order together", () => {
    const { orders } = importRows(
      "A-1,2026-03-01T10:00:00Z,Ada Stone,1 High St,FR,S1,Mug,2,4.50,0,standard",
      "A-2,2026-03-01T11:00:00Z,Ben Reed,2 High St,DE,S1,Mug,1,4.50,0,standard",
      "A-1,2026-03-01T10:00:00Z,Ada Stone,1 High St,FR,S2,Tea,1,3.20,10,reduced",
    );
    assert.equal(orders.length, 2);
    assert.deepEqual(
      orders[0].lines.map((line) => line.sku),
      ["S1", "S2"],
    );
    assert.equal(orders[0].lines[1].discount, 10);
  });

  it("takes refunds", () => {
    const { orders } = importRows(
      "A-1,2026-03-01T10:00:00Z,Ada Stone,1 High St,FR,S1,Mug,-1,4.50,0,standard",
    );
    assert.equal(orders[0].lines[0].quantity, -1);
  });

  it("reports bad rows and goes on", () => {
    const { orders, problems } = importRows(
      "A-1,yesterday,Ada Stone,1 High St,FR,S1,Mug,2,4.50,0,standard",
      "A-2,2026-03-01T11:00:00Z,Ben Reed,2 High St,DE,S1,Mug,none,4.50,0,standard",
      "A-3,2026-03-01T11:00:00Z,Cleo Marsh,3 High St,DE,S1,Mug,1,4.505,0,standard",
      "A-4,2026-03-01T11:00:00Z,Dan Field,4 High St,DE,S1,Mug,1,4.50,140,standard",
      "A-5,2026-03-01T11:00:00Z,Eve Brook,5 High St,DE,S1,Mug,1,4.50,0,standard",
    );
    assert.deepEqual(
      orders.map((order) => order.id),
      ["A-5"],
    );
    assert.deepEqual(
      problems.map((problem) => problem.line),
      [2, 3, 4, 5],
    );
  });

  it("refuses a file without the right columns", () => {
    assert.throws(() => importOrders("order_id,customer\nA-1,Ada\n"), /no column ordered_at/);
  });
});
