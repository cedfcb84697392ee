import { percentOf } from "./money.js";

/**
 * Tax rates in percent, by country and tax class. A country that is not listed is an export: no tax.
 */
const RATES = {
  FR: { standard: 20, reduced: 5.5, zero: 0 },
  DE: { standard: 19, reduced: 7, zero: 0 },
  AT: { standard: 20, reduced: 10, zero: 0 },
  BE: { standard: 21, reduced: 6, zero: 0 },
  IT: { standard: 22, reduced: 10, zero: 0 },
};

/**
 * The tax rate of a line.
 *
 * @param {string} country ISO code
 * @param {"standard" | "reduced" | "zero"} taxClass
 * @returns {number} in percent
 */
export function taxRate(country, taxClass) {
  const rates = RATES[country];
  if (rates === undefined) {
    return 0;
  }
  const rate = rates[taxClass];
  if (rate === undefined) {
    throw new RangeError(`unknown tax class: ${JSON.stringify(taxClass)}`);
  }
  return rate;
}

/**
 * The tax of a line, from its rounded net amount.
 *
 * @param {number} net in euro
 * @param {string} country
 * @param {"standard" | "reduced" | "zero"} taxClass
 * @returns {number} in euro
 */
export function lineTax(net, country, taxClass) {
  return percentOf(net, taxRate(country, taxClass));
}

/**
 * Countries that we charge tax for.
 *
 * @returns {string[]}
 */
export function taxedCountries() {
  return Object.keys(RATES).sort();
}
