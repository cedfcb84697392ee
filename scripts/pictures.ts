// Makes the pictures of docs/page.md and of the README from our own recorded session, in a Chromium:
// npx tsx scripts/pictures.ts
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { launchChromium, type Screen, watchedPage } from "../test/page/browser.ts";
import { buildPage } from "./build-page.mjs";

const SESSION = "examples/recorded-session/session.json.gz";
const PICTURES: readonly (readonly [name: string, screen: Screen])[] = [
  ["page-light", { width: 1280, height: 900, colorScheme: "light" }],
  ["page-dark", { width: 1280, height: 900, colorScheme: "dark" }],
  ["page-phone", { width: 390, height: 844, colorScheme: "light" }],
];

await buildPage("dist/page");
const folder = mkdtempSync(path.join(os.tmpdir(), "longhaul-pictures-"));
const html = path.join(folder, "session.html");
const command = ["--import", "tsx", "src/cli/main.ts", "inspect", SESSION, "--html", html];
execFileSync(process.execPath, command, { env: { ...process.env, TZ: "UTC" } });
const browser = await launchChromium();
for (const [name, screen] of PICTURES) {
  const { page } = await watchedPage(browser, screen);
  await page.goto(pathToFileURL(html).href);
  await page.getByRole("tab", { name: "With Longhaul" }).click();
  await page.getByRole("table", { name: "The bill of both" }).waitFor();
  await page.screenshot({ path: `docs/pictures/${name}.png` });
  await page.close();
}
await browser.close();
rmSync(folder, { recursive: true });
