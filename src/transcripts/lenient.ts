import { z } from "zod";

/**
 * Pieces of schemas for files that other programs wrote. They never reject: a field that is missing
 * or of the wrong type reads as absent, and unknown fields are left alone.
 */
export type Lenient<Type extends z.ZodType> = z.ZodCatch<z.ZodOptional<Type>>;

export const text: Lenient<z.ZodString> = z.string().optional().catch(undefined);
export const number: Lenient<z.ZodNumber> = z.number().optional().catch(undefined);
export const flag: Lenient<z.ZodBoolean> = z.boolean().optional().catch(undefined);
export const anything: z.ZodOptional<z.ZodUnknown> = z.unknown().optional();

/** A list of anything; what is no list reads as an empty one. */
export const list: z.ZodCatch<z.ZodDefault<z.ZodArray<z.ZodUnknown>>> = z
  .array(z.unknown())
  .default(() => [])
  .catch(() => []);

/** A record with at least these fields; what is no record reads as absent. */
export function fields<Shape extends z.ZodRawShape>(
  shape: Shape,
): Lenient<z.ZodObject<Shape, z.core.$loose>> {
  return z.looseObject(shape).optional().catch(undefined);
}

/** A point in time in ms since the epoch, from a number of ms or an ISO date. */
export function instant(value: unknown): number | undefined {
  const time = typeof value === "string" ? Date.parse(value) : value;
  return typeof time === "number" && Number.isFinite(time) ? time : undefined;
}
