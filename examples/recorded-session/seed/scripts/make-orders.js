/**
 * Writes a big order export for speed tests: node scripts/make-orders.js 20000 > out/big.csv
 */
import { writeCsv } from "../src/csv.js";

const COUNTRIES = ["FR", "DE", "AT", "BE", "IT", "CH"];
const CLASSES = ["standard", "reduced", "zero"];
const HEADER =
  "order_id,ordered_at,customer,address,country,sku,title,quantity,unit_price,discount,tax_class";

const count = Number(process.argv[2] ?? 1000);
const rows = Array.from({ length: count }, (_, index) => makeRow(index));
process.stdout.write(writeCsv(HEADER.split(","), rows));

function makeRow(index) {
  const day = String((index % 28) + 1).padStart(2, "0");
  const price = ((index * 37) % 9000) + 5;
  return [
    `B-${String(Math.floor(index / 2)).padStart(6, "0")}`,
    `2026-03-${day}T12:00:00Z`,
    `Customer ${index % 500}`,
    `${index % 90} Mill Lane, Town ${index % 40}`,
    COUNTRIES[index % COUNTRIES.length],
    `SKU-${index % 120}`,
    `Article ${index % 120}`,
    (index % 4) + 1,
    (price / 100).toFixed(2),
    index % 10 === 0 ? "12.5" : "0",
    CLASSES[index % CLASSES.length],
  ];
}
