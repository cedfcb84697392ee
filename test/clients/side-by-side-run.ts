import path from "node:path";
import { PLUGIN_AGENTS } from "../../src/plugins/agents.ts";
import { type Outcome, runOnce, SMALL_WINDOWS, table, type Variant } from "./side-by-side.ts";

/*
 * Prints the table of docs/plugins.md: `npm run bench:plugins [AGENT…]`. The package must be built, and the
 * agents installed (test/clients/install.sh).
 */

const VARIANTS: readonly Variant[] = [{ name: "without" }, { name: "with", plugin: [] }];

const wanted = process.argv.slice(2);
const main = path.resolve("dist/cli/main.js");
const outcomes = new Map<string, Outcome>();
for (const agent of PLUGIN_AGENTS) {
  const small = SMALL_WINDOWS[agent];
  if (small === undefined || (wanted.length > 0 && !wanted.includes(agent))) continue;
  for (const variant of VARIANTS) {
    process.stderr.write(`${agent} ${variant.name} …\n`);
    outcomes.set(`${small.title} ${variant.name}`, await runOnce(agent, variant, { main }));
  }
}
process.stdout.write(`${table(outcomes)}\n`);
