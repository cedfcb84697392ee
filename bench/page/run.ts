// How long the page takes in a Chromium: the first view of sessions of a size, and scrolling through
// 100,000 messages. npx tsx bench/page/run.ts
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { readAssets } from "../../src/page/assets.ts";
import { pageOf } from "../../src/page/page-data.ts";
import { exportedPage } from "../../src/page/write.ts";
import { buildPage } from "../../scripts/build-page.mjs";
import { assistant, step, user } from "../../test/build-messages.ts";
import { launchChromium, watchedPage } from "../../test/page/browser.ts";

const ABOUT = {
  title: "a session",
  agent: "generated",
  window: 1_000_000,
  usable: 900_000,
  isAssumed: false,
  tokens: 800_000,
  isOver: false,
  source: "estimated",
  warnings: [],
};

/** So many steps with outputs of so many bytes, of words that differ. */
function session(steps: number, bytes: number) {
  const line = (at: number): string =>
    `src/file-${at}.ts:${at % 97}: export const name_${at} = ${at};\n`;
  return Array.from({ length: steps }, (_, at) => {
    const output = Array.from({ length: Math.ceil(bytes / 50) }, (_, row) => line(at * 31 + row));
    return step(
      `call-${at}`,
      at % 3 === 0 ? "read" : "bash",
      { command: `cat ${at}` },
      output.join(""),
    );
  }).flat();
}

/** Scrolls a screen and a half each frame, two hundred times, and says how long the frames took. */
const SCROLL = `new Promise((resolve) => {
  const list = document.querySelector(".list");
  const times = [];
  let last = performance.now();
  const next = (now) => {
    times.push(now - last);
    last = now;
    list.scrollTop += list.clientHeight * 1.5;
    if (times.length < 200) requestAnimationFrame(next);
    else {
      times.sort((one, other) => one - other);
      resolve("median frame " + times[100].toFixed(1) + " ms, 99th " + times[197].toFixed(1) + " ms");
    }
  };
  requestAnimationFrame(next);
})`;

await buildPage("dist/page");
const folder = mkdtempSync(path.join(os.tmpdir(), "longhaul-page-bench-"));
const browser = await launchChromium();
for (const [name, steps, bytes] of [
  ["5 MB", 1_000, 5_000],
  ["100,000 messages", 50_000, 200],
] as const) {
  const messages = [user("Begin."), ...session(steps, bytes), assistant("Done.")];
  const made = performance.now();
  const page = pageOf({
    about: ABOUT,
    windows: [{ messages }],
    size: { tokens: 800_000, outside: 0 },
  });
  const file = path.join(folder, `${steps}.html`);
  writeFileSync(file, [...exportedPage(page, readAssets())].join(""));
  const seconds = ((performance.now() - made) / 1_000).toFixed(2);
  const views = [];
  let frames = "";
  for (let run = 0; run < 5; run += 1) {
    const { page: tab } = await watchedPage(browser);
    await tab.goto(pathToFileURL(file).href);
    await tab.getByRole("option").first().waitFor();
    // From the beginning of the navigation to the first frame with the list in it.
    views.push(await tab.evaluate<number>("performance.now()"));
    if (run === 0) frames = await tab.evaluate(SCROLL);
    await tab.close();
  }
  const median = views.toSorted((one, other) => one - other)[2] ?? 0;
  const size = (statSync(file).size / 1e6).toFixed(1);
  console.log(
    `${name}: ${size} MB of HTML, made in ${seconds} s; first view ${median.toFixed(0)} ms; scrolling ${frames}`,
  );
}
await browser.close();
rmSync(folder, { recursive: true });
