import { jsonrepair } from "jsonrepair";
import { endOfValue, nextOpening, startOfLastValue } from "./json-scan.ts";

/** What a line or document that is no valid JSON still holds. */
export interface Recovered {
  readonly values: readonly unknown[];
  /** Whether something was lost. */
  readonly lossy: boolean;
}

/**
 * The whole records in a line that does not parse: two that share a line because a line end was
 * lost, or a whole one behind one that was cut short when a program died and another went on.
 */
export function recoverRecords(text: string): Recovered {
  const values: unknown[] = [];
  let lossy = false;
  let at = nextOpening(text, 0);
  while (at !== -1) {
    const end = endOfValue(text, at);
    const value = end === -1 ? undefined : parsed(text.slice(at, end));
    if (value === undefined) break;
    values.push(value);
    at = nextOpening(text, end);
  }
  if (at !== -1) {
    lossy = true;
    const start = startOfLastValue(text);
    const value = start > at ? parsed(text.slice(start)) : undefined;
    if (value !== undefined) values.push(value);
  }
  return { values, lossy: lossy || values.length === 0 };
}

/**
 * The value of a JSON document that does not parse, after `jsonrepair`; `undefined` when it is
 * beyond repair. Throws `RangeError` when it is nested too deep for the repair.
 */
export function repairDocument(text: string): unknown {
  try {
    return JSON.parse(jsonrepair(text));
  } catch (error) {
    if (error instanceof RangeError) throw error;
    return undefined;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
