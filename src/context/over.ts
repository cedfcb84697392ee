import type { Gauge } from "./measure.ts";
import type { ContextOptions } from "./options.ts";
import type { View } from "./report.ts";

/** T7; bytes and images are only counted where somebody set a limit on them. */
export function isOver(
  { measured, messages }: View,
  gauge: Gauge,
  options: ContextOptions,
): boolean {
  if (gauge.isOver(measured)) return true;
  const { maxBytes = Infinity, maxImages = Infinity } = options.requestLimits ?? {};
  if (maxBytes === Infinity && maxImages === Infinity) return false;
  const size = gauge.tokens().meter.totalSize(messages);
  return size.bytes > maxBytes || size.images > maxImages;
}
