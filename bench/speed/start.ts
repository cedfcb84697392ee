/**
 * How long programs take to start: `npm run build && npx tsx bench/speed/start.ts [RUNS]`. An agent
 * whose bash tool is `longhaul run` waits for this with every command.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { quantile } from "./measure.ts";
import { markdownTable, publish } from "./table.ts";

const runs = Number(process.argv[2] ?? 25);
const home = mkdtempSync(path.join(tmpdir(), "longhaul-start-"));
const longhaul = [process.execPath, "dist/cli/main.js"];
const rows: readonly (readonly [string, readonly string[]])[] = [
  ["`node -e 0`", [process.execPath, "-e", "0"]],
  ["`longhaul --version`", [...longhaul, "--version"]],
  ["`longhaul run -- true`", [...longhaul, "run", "--", "true"]],
  ["`longhaul formats`", [...longhaul, "formats"]],
  ["`longhaul recall --search TEXT`", [...longhaul, "recall", "--search", "text"]],
  ['`import "longhaul"`', [process.execPath, "dist/index.js"]],
];

const times = rows.map((): number[] => []);
for (let run = 0; run <= runs; run++) {
  for (const [at, [, words]] of rows.entries()) {
    const time = timeOf(words);
    // The first of each only fills the caches.
    if (run > 0) times[at]?.push(time);
  }
}
rmSync(home, { recursive: true, force: true });

const row = ([name]: (typeof rows)[number], at: number): readonly string[] => {
  const own = times[at] ?? [];
  return [name, quantile(own, 0.5).toFixed(0), quantile(own, 0.95).toFixed(0)];
};
publish("start", markdownTable(["", "median ms", "p95"], rows.map(row)));

function timeOf([file = "", ...args]: readonly string[]): number {
  const start = performance.now();
  const env = { ...process.env, LONGHAUL_HOME: home };
  const { status, stderr } = spawnSync(file, args, { env, encoding: "utf8" });
  if (status !== 0) throw new Error(`${args.join(" ")}: ${stderr}`);
  return performance.now() - start;
}
