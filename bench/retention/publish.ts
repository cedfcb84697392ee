/** A whole run becomes data, a page and its pictures. */
import { readFileSync, writeFileSync } from "node:fs";
import { benchmarksPage } from "./page.ts";
import { picturesOf } from "./pictures.ts";
import type { Results } from "./results.ts";

function at(path: string): URL {
  return new URL(`../../${path}`, import.meta.url);
}

/** What the last whole run found. */
export function publishedResults(): Results {
  return JSON.parse(readFileSync(at("bench/retention/results.json"), "utf8")) as Results;
}

export function publishResults(results: Results): void {
  writeFileSync(at("bench/retention/results.json"), `${JSON.stringify(results)}\n`);
  writeFileSync(at("docs/benchmarks.md"), `${benchmarksPage(results)}\n`);
  for (const [name, svg] of picturesOf(results)) writeFileSync(at(`docs/${name}`), svg);
}
