/**
 * How many cases a test looks at: `small` in `npm test`, which a newcomer runs; `large` in
 * `npm run test:all`, which sets LONGHAUL_TEST to "all".
 */
export function runs(small: number, large: number): number {
  return process.env["LONGHAUL_TEST"] === "all" ? large : small;
}
