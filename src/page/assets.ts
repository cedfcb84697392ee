import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ContextError } from "../core/error.ts";

/** The front end: one script and one style sheet. */
export interface Assets {
  readonly script: string;
  readonly style: string;
}

/** Reads the front end from the built package. Throws `unreadable-file` where it was not built. */
export function readAssets(): Assets {
  const folder = builtFolder();
  if (folder === undefined) {
    throw new ContextError(
      "unreadable-file",
      "The page is not in this package; build it with npm run build.",
    );
  }
  const read = (name: string): string => readFileSync(join(folder, name), "utf8");
  return { script: read("page.js"), style: read("page.css") };
}

/** This file stands somewhere in the sources, or in what was built from them. */
function builtFolder(): string | undefined {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    const built = join(folder, "dist", "page");
    if (existsSync(join(built, "page.js"))) return built;
    const above = dirname(folder);
    if (above === folder) return undefined;
    folder = above;
  }
}
