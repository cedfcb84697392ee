// Builds the page of `longhaul inspect --web` into the package: one script and one style sheet, which
// every page has in itself. What they are made of is needed for the build alone.
import { readFileSync, mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { rolldown } from "rolldown";

const PACKAGES = ["preact", "uplot"];

/** Writes `page.js`, `page.css` and the licences of what is in them into a folder. */
export async function buildPage(folder) {
  const bundle = await rolldown({
    input: "src/page/web/main.tsx",
    platform: "browser",
    tsconfig: "src/page/web/tsconfig.json",
  });
  const { output } = await bundle.generate({ format: "iife", minify: true });
  const resolve = (file) => createRequire(import.meta.url).resolve(file);
  const style = [resolve("uplot/dist/uPlot.min.css"), "src/page/web/style.css"]
    .map((file) => readFileSync(file, "utf8"))
    .join("\n")
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/\s*\n\s*/g, "\n");
  mkdirSync(folder, { recursive: true });
  // Nothing in it may end the element that it stands in.
  writeFileSync(
    path.join(folder, "page.js"),
    output[0].code.trim().replaceAll("</script", String.raw`<\/script`),
  );
  writeFileSync(path.join(folder, "page.css"), style);
  const licences = PACKAGES.map((name) => {
    const home = path.join("node_modules", name);
    const { version, license } = JSON.parse(readFileSync(path.join(home, "package.json"), "utf8"));
    const text = readFileSync(path.join(home, "LICENSE"), "utf8").trim();
    return `${name} ${version} (${license})\n\n${text}\n`;
  });
  writeFileSync(path.join(folder, "LICENSES.txt"), licences.join(`\n${"-".repeat(80)}\n\n`));
}

if (process.argv[1] === import.meta.filename) await buildPage("dist/page");
