import path from "node:path";
import { PLUGIN_AGENTS } from "../../src/plugins/agents.ts";
import { type Outcome, runOnce, SMALL_WINDOWS, table, type Variant } from "./side-by-side.ts";

/*
 * Prints the tables of docs/plugins.md: `npm run bench:plugins [AGENT…]`. The package must be built, and the
 * agents installed (test/clients/install.sh).
 */

const VARIANTS: readonly Variant[] = [
  { name: "without" },
  { name: "with", plugin: [] },
  { name: "with `--max-bytes 8000`", plugin: ["--max-bytes", "8000"] },
];

const wanted = process.argv.slice(2);
for (const agent of PLUGIN_AGENTS) {
  if (SMALL_WINDOWS[agent] === undefined || (wanted.length > 0 && !wanted.includes(agent)))
    continue;
  const outcomes = new Map<string, Outcome>();
  for (const variant of VARIANTS) {
    process.stderr.write(`${agent} ${variant.name} …\n`);
    outcomes.set(
      variant.name,
      await runOnce(agent, variant, { main: path.resolve("dist/cli/main.js") }),
    );
  }
  process.stdout.write(`${agent}\n\n${table(outcomes)}\n\n`);
}
