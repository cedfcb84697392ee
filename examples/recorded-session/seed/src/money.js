/**
 * Amounts: rounding, percentages, printing.
 */

/**
 * Rounds an amount in euro to whole cents.
 *
 * @param {number} amount
 * @returns {number}
 */
export function roundMoney(amount) {
  return Number(amount.toFixed(2));
}

/**
 * The price of a line: quantity times unit price, less the discount.
 *
 * @param {number} quantity
 * @param {number} unitPrice net, in euro
 * @param {number} discount in percent
 * @returns {number} net, in euro
 */
export function lineNet(quantity, unitPrice, discount) {
  return roundMoney(quantity * unitPrice * (1 - discount / 100));
}

/**
 * A percentage of an amount.
 *
 * @param {number} amount in euro
 * @param {number} rate in percent
 * @returns {number} in euro
 */
export function percentOf(amount, rate) {
  return roundMoney((amount * rate) / 100);
}

/**
 * Adds amounts.
 *
 * @param {number[]} amounts in euro
 * @returns {number} in euro
 */
export function sumMoney(amounts) {
  return roundMoney(amounts.reduce((total, amount) => total + amount, 0));
}

/**
 * An amount as printed on paper: two decimals, a point, the sign in front.
 *
 * @param {number} amount in euro
 * @returns {string}
 */
export function formatMoney(amount) {
  return amount.toFixed(2);
}

/**
 * Reads an amount from a file.
 *
 * @param {string} text for example "12.50"
 * @returns {number} in euro
 */
export function parseMoney(text) {
  const trimmed = text.trim();
  if (!/^-?\d+(\.\d{1,2})?$/.test(trimmed)) {
    throw new RangeError(`not an amount: ${JSON.stringify(text)}`);
  }
  return Number(trimmed);
}
