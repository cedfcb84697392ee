/** A whole run becomes data, a page and its pictures. */
import { writeFileSync } from "node:fs";
import { benchmarksPage } from "./page.ts";
import { picturesOf } from "./pictures.ts";
import type { Results } from "./results.ts";

export function publishResults(results: Results): void {
  const at = (path: string): URL => new URL(`../../${path}`, import.meta.url);
  writeFileSync(at("bench/retention/results.json"), `${JSON.stringify(results)}\n`);
  writeFileSync(at("docs/benchmarks.md"), `${benchmarksPage(results)}\n`);
  for (const [name, svg] of picturesOf(results)) writeFileSync(at(`docs/${name}`), svg);
}
