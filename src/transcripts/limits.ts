import { checkNames, withDefaults } from "../core/options.ts";
import { checkValues, whole } from "../core/rules.ts";

/** The most that a reader takes in before it says no. */
export interface TranscriptLimits {
  /** Longest line of a line format, in bytes; a longer one is left out with a warning. */
  readonly lineBytes: number;
  /** Longest JSON document, in bytes; a longer one is a `limit-exceeded` error. */
  readonly documentBytes: number;
  /** The most that a packed file may unpack to, in bytes; more is a `limit-exceeded` error. */
  readonly unpackedBytes: number;
  /** Deepest nesting of a JSON value. Deeper lines are left out, deeper documents are an error. */
  readonly depth: number;
  /** Warnings that are kept; one more line says how many there were beyond. */
  readonly warnings: number;
}

const MIB = 1024 * 1024;

/**
 * A string in V8 holds at most 2^29 - 24 characters, and a document is in memory as bytes, as
 * text and as values at once, hence 256 MiB. The longest real line that is known has 4 MB.
 * `JSON.stringify` runs out of stack between 1,000 and 5,000 levels (measured on Node 20).
 */
export const DEFAULT_TRANSCRIPT_LIMITS: TranscriptLimits = {
  lineBytes: 64 * MIB,
  documentBytes: 256 * MIB,
  unpackedBytes: 1024 * MIB,
  depth: 1000,
  warnings: 100,
};

/**
 * The default limits with the given ones over them.
 * Throws `ContextError` code `invalid-options` for a limit that is not a positive whole number.
 */
export function transcriptLimits(given: Partial<TranscriptLimits> = {}): TranscriptLimits {
  checkNames(given, DEFAULT_TRANSCRIPT_LIMITS);
  const limits = withDefaults(DEFAULT_TRANSCRIPT_LIMITS, given);
  const rules = Object.keys(limits).map((name) => [name, whole(1)] as const);
  checkValues(limits, Object.fromEntries(rules));
  return limits;
}

/** The way to raise a limit, as a sentence, from a program and on the command line. */
export function raising(limit: keyof TranscriptLimits, to: string): string {
  return `Raise the limit with --limit ${limit}=${to}, or limits: { ${limit} } of readTranscript.`;
}

/** Whether a parsed JSON value is nested more than `levels` deep. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((item) => isDeeperThan(item, levels - 1));
  for (const key in value) {
    if (isDeeperThan((value as Record<string, unknown>)[key], levels - 1)) return true;
  }
  return false;
}
