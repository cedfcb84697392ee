/**
 * Dates in exports are ISO strings in UTC. They are compared and grouped as strings wherever possible.
 */

const ISO_TIME =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?Z$/;

/**
 * Checks a time stamp.
 *
 * @param {string} text
 * @returns {boolean}
 */
export function isIsoTime(text) {
  return ISO_TIME.test(text) && !Number.isNaN(Date.parse(text));
}

/**
 * The month of a time stamp, for example "2026-03".
 *
 * @param {string} time
 * @returns {string}
 */
export function monthOf(time) {
  if (!isIsoTime(time)) {
    throw new RangeError(`not an ISO time in UTC: ${JSON.stringify(time)}`);
  }
  return time.slice(0, 7);
}

/**
 * The day of a time stamp, for example "2026-03-17".
 *
 * @param {string} time
 * @returns {string}
 */
export function dayOf(time) {
  return `${monthOf(time)}${time.slice(7, 10)}`;
}

/**
 * The month before a month.
 *
 * @param {string} month for example "2026-01"
 * @returns {string} for example "2025-12"
 */
export function previousMonth(month) {
  const [year, number] = month.split("-").map(Number);
  const previous = number === 1 ? [year - 1, 12] : [year, number - 1];
  return `${previous[0]}-${String(previous[1]).padStart(2, "0")}`;
}

/**
 * Whole days between two time stamps.
 *
 * @param {string} from
 * @param {string} to
 * @returns {number}
 */
export function daysBetween(from, to) {
  const day = 24 * 60 * 60 * 1000;
  return Math.floor((Date.parse(to) - Date.parse(from)) / day);
}
