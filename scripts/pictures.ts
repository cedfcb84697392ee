// Makes the pictures of docs/page.md and of the README from our own recorded session, in a Chromium:
// npx tsx scripts/pictures.ts
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { launchChromium, watchedPage } from "../test/page/browser.ts";
import { buildPage } from "./build-page.mjs";

const SESSION = "examples/recorded-session/session.json.gz";
/** The sizes of a phone, a laptop and a large screen; the README has the dark one of the laptop. */
const SIZES: readonly (readonly [name: string, width: number, height: number])[] = [
  ["page-phone", 360, 780],
  ["page", 1280, 900],
  ["page-4k", 3840, 1400],
];
const THEMES = ["light", "dark"] as const;

await buildPage("dist/page");
const folder = mkdtempSync(path.join(os.tmpdir(), "longhaul-pictures-"));
const html = path.join(folder, "session.html");
const command = ["--import", "tsx", "src/cli/main.ts", "inspect", SESSION, "--html", html];
execFileSync(process.execPath, command, { env: { ...process.env, TZ: "UTC" } });
const browser = await launchChromium();
for (const [name, width, height] of SIZES) {
  for (const colorScheme of THEMES) {
    const { page } = await watchedPage(browser, { width, height, colorScheme });
    await page.goto(pathToFileURL(html).href);
    await page.getByRole("tab", { name: "With Longhaul" }).click();
    await page.getByRole("table", { name: "The bill of both" }).waitFor();
    await page.evaluate("scrollTo(0, 0)");
    await page.screenshot({ path: `docs/pictures/${name}-${colorScheme}.png` });
    await page.close();
  }
}
await browser.close();
rmSync(folder, { recursive: true });
