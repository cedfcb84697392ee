import { type Fields, isRecord } from "../core/text/json.ts";

/**
 * Files that other programs wrote are read leniently: a value that is missing or of another type
 * reads as absent.
 */
export function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function number(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

export function flag(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}

/** A list of anything; what is no list reads as an empty one. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function records(value: unknown): Fields[] {
  return list(value).filter(isRecord);
}

/** A record; what is none reads as absent. */
export function record(value: unknown): Fields | undefined {
  return isRecord(value) ? value : undefined;
}

/** A point in time in ms since the epoch, from a number of ms or an ISO date. */
export function instant(value: unknown): number | undefined {
  return number(typeof value === "string" ? Date.parse(value) : value);
}
