/**
 * How many cases a test looks at: `small` in `npm test`, which a newcomer runs; `large` in
 * `npm run test:all`, which sets LONGHAUL_TEST to "all".
 */
export function runs(small: number, large: number): number {
  return process.env["LONGHAUL_TEST"] === "all" ? large : small;
}

/** All cases in `npm run test:all`; else so many of them, spread from the first to the last. */
export function sample<T>(cases: readonly T[], count: number): T[] {
  const few = Math.min(runs(count, cases.length), cases.length);
  const stride = few > 1 ? (cases.length - 1) / (few - 1) : 0;
  return Array.from({ length: few }, (_, at) => cases[Math.round(at * stride)] as T);
}
