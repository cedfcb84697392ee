/**
 * Amounts: rounding, percentages, printing. Euro numbers come in and go out; inside, everything is whole
 * cents and whole basis points, so that a half cent is exactly a half cent.
 */

const HUNDRED_PERCENT = 10_000;

/**
 * The price of a line: quantity times unit price, less the discount, rounded once.
 *
 * @param {number} quantity
 * @param {number} unitPrice net, in euro
 * @param {number} discount in percent
 * @returns {number} net, in euro
 */
export function lineNet(quantity, unitPrice, discount) {
  const kept = HUNDRED_PERCENT - toBasisPoints(discount);
  return toEuro(divideHalfUp(quantity * toCents(unitPrice) * kept, HUNDRED_PERCENT));
}

/**
 * A percentage of an amount, rounded once.
 *
 * @param {number} amount in euro
 * @param {number} rate in percent
 * @returns {number} in euro
 */
export function percentOf(amount, rate) {
  return toEuro(divideHalfUp(toCents(amount) * toBasisPoints(rate), HUNDRED_PERCENT));
}

/**
 * Adds amounts. A sum of whole cents needs no rounding.
 *
 * @param {number[]} amounts in euro
 * @returns {number} in euro
 */
export function sumMoney(amounts) {
  return toEuro(amounts.reduce((total, amount) => total + toCents(amount), 0));
}

/**
 * An amount as printed on paper: two decimals, a point, the sign in front, no negative zero.
 *
 * @param {number} amount in euro
 * @returns {string}
 */
export function formatMoney(amount) {
  return toEuro(toCents(amount)).toFixed(2);
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

/** Euro numbers have at most two decimals here: this only removes the float tail. */
function toCents(euro) {
  return Math.round(euro * 100);
}

/** Adding zero turns a negative zero into zero. */
function toEuro(cents) {
  return cents / 100 + 0;
}

function toBasisPoints(percent) {
  return Math.round(percent * 100);
}

/** Divides whole numbers; a half goes away from zero. */
function divideHalfUp(dividend, divisor) {
  const sign = dividend < 0 ? -1 : 1;
  return sign * Math.floor((2 * Math.abs(dividend) + divisor) / (2 * divisor));
}
