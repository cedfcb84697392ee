import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inspectPage, sessionPage } from "../../src/cli/inspect-page.ts";
import type { Message } from "../../src/core/message/index.ts";
import { readAssets } from "../../src/page/assets.ts";
import { pageOf } from "../../src/page/page-data.ts";
import { servePage } from "../../src/page/serve.ts";
import { exportedPage } from "../../src/page/write.ts";
import { assistant, call, calling, result, results, step, user } from "../build-messages.ts";
import { capturedIo } from "../cli/captured-io.ts";
import { hasChromium, launchChromium, violations, watchedPage } from "./browser.ts";

const RECORDED = "examples/recorded-session/session.json.gz";

function session(file: string) {
  return { name: file, path: path.resolve(file), load: () => Promise.resolve(file) };
}

const ABOUT = {
  title: "a session",
  agent: "an agent",
  window: 100_000,
  usable: 80_000,
  isAssumed: true,
  tokens: 1_000,
  isOver: false,
  source: "estimated",
  warnings: [],
};

const HOSTILE = `</script><script>alert(1)</script><img src=x onerror=alert(2)><b id=owned>x</b>`;
const hostileMessages: readonly Message[] = [
  user(HOSTILE),
  calling(call("call-0001", "bash", { command: HOSTILE })),
  results(result("call-0001", "bash", HOSTILE, true)),
  assistant(HOSTILE),
];

describe.skipIf(!hasChromium)("the page in a browser", () => {
  let browser: Browser;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "longhaul-page-"));
    browser = await launchChromium();
  });

  afterAll(async () => {
    await browser?.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function exported(name: string, messages: readonly (readonly Message[])[]) {
    const page = pageOf({
      about: ABOUT,
      windows: messages.map((list) => ({ messages: list })),
      size: { tokens: 1_000, outside: 0 },
    });
    const file = path.join(folder, name);
    await writeFile(file, [...exportedPage(page, readAssets())].join(""));
    return pathToFileURL(file).href;
  }

  it("opens an export from the disk, and goes where a person goes", async () => {
    const html = path.join(folder, "own.html");
    await inspectPage(capturedIo(), session(RECORDED), { html });
    const { page, problems, requests } = await watchedPage(browser);
    await page.goto(pathToFileURL(html).href);
    await page.getByRole("heading", { name: /tillroll/ }).waitFor();
    // The chart: hover tells, a click goes there.
    const chart = page.locator(".u-over");
    const box = await chart.boundingBox();
    await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + 40);
    expect(await page.locator(".tip").innerText()).toMatch(/Request 4\d\s+[\d,]+ tokens/);
    await page.mouse.down();
    await page.mouse.up();
    expect(await page.getByRole("slider").getAttribute("aria-valuetext")).toMatch(
      /^Request 4\d of 86/,
    );
    // The slider, by keyboard.
    await page.getByRole("slider").focus();
    await page.keyboard.press("Home");
    expect(await page.getByRole("slider").getAttribute("aria-valuetext")).toMatch(
      /^Request 1 of 86/,
    );
    await page.getByRole("button", { name: "Seen at request 1" }).click();
    expect(await page.getByRole("option").count()).toBe(1);
    await page.getByRole("button", { name: "All that was said" }).click();
    // The list, by keyboard.
    await page.getByRole("listbox").focus();
    await page.keyboard.press("End");
    await page.getByRole("article", { name: "Message 171" }).waitFor();
    // Search, with hits in the timeline.
    await page.keyboard.press("/");
    await page.keyboard.type("pnpm");
    await page.getByText(/^\d+ messages found$/).waitFor();
    await page.getByRole("option").first().click();
    await page.locator("mark").first().waitFor();
    for (const name of ["Edits", "Largest", "Files", "Commands", "Instructions", "Requests"]) {
      await page.getByRole("tab", { name: new RegExp(`^${name}`) }).click();
      expect(await page.getByRole("row").count()).toBeGreaterThan(1);
    }
    await page.getByRole("tab", { name: "With Longhaul" }).click();
    await page.getByRole("table", { name: "The bill of both" }).waitFor();
    expect(problems).toEqual([]);
    expect(requests.filter((url) => !url.startsWith("file:"))).toEqual([]);
    await page.close();
  });

  it("shows the content of a session and runs none of it", async () => {
    const url = await exported("hostile.html", [hostileMessages]);
    const { page, problems } = await watchedPage(browser);
    await page.goto(url);
    await page.getByRole("option").nth(2).click();
    await page.locator("article pre").waitFor();
    expect(await page.getByRole("article").innerText()).toContain(HOSTILE);
    await page.fill("#search", "<b id=owned>");
    await page.locator("mark").first().waitFor();
    expect(await page.locator("#owned, article img").count()).toBe(0);
    expect(problems).toEqual([]);
    await page.close();
  });

  it("shows what was pruned beside what stands for it", async () => {
    const before = [user("Go."), ...step("call-0001", "bash", { command: "ls" }, "a long listing")];
    const after = [
      ...before.slice(0, 2),
      results({ ...result("call-0001", "bash", "(pruned)"), time: { compacted: 1 } }),
      assistant("Done."),
    ];
    const { page } = await watchedPage(browser);
    await page.goto(await exported("pruned.html", [before, after]));
    await page.getByRole("option", { name: /pruned 1 piece/ }).click();
    const pair = page.locator(".piece .pair");
    await pair.locator("pre").nth(1).waitFor();
    expect(await pair.innerText()).toMatch(
      /Before[\s\S]*a long listing[\s\S]*After[\s\S]*\(pruned\)/,
    );
    await page.close();
  });

  it.each([
    { width: 360, height: 740, colorScheme: "light" },
    { width: 1440, height: 1000, colorScheme: "light" },
    { width: 1440, height: 1000, colorScheme: "dark" },
    { width: 3840, height: 2160, colorScheme: "dark" },
  ] as const)("breaks no rule of WCAG 2.2 AA at $width pixels, $colorScheme", async (screen) => {
    const html = path.join(folder, `${screen.width}-${screen.colorScheme}.html`);
    await inspectPage(capturedIo(), session(RECORDED), { html });
    const { page } = await watchedPage(browser, screen);
    await page.goto(pathToFileURL(html).href);
    await page.getByRole("option").nth(3).click();
    await page.getByRole("article").waitFor();
    expect(await violations(page)).toEqual([]);
    const wide = await page.evaluate("document.documentElement.scrollWidth");
    expect(wide).toBeLessThanOrEqual(screen.width);
    for (const name of ["Largest", "Requests", "With Longhaul"]) {
      await page.getByRole("tab", { name: new RegExp(`^${name}`) }).click();
      expect(await violations(page)).toEqual([]);
    }
    await page.close();
  });

  it("has a page for nothing, and for a session without requests", async () => {
    const { page, problems } = await watchedPage(browser);
    await page.goto(await exported("nothing.html", [[]]));
    await page.getByText("There is nothing here.").waitFor();
    expect(problems).toEqual([]);
    await page.close();
  });

  it("gives no content without the token, and is new when the session is", async () => {
    let messages: readonly Message[] = [user("Fix it."), assistant("I look.")];
    const listeners = new Set<(id: string) => void>();
    const pageNow = () =>
      pageOf({ about: ABOUT, windows: [{ messages }], size: { tokens: 1_000, outside: 0 } });
    const row = {
      id: "one",
      title: "a session",
      tokens: 1,
      usable: 2,
      steps: 1,
      edits: 0,
      updatedAt: 0,
    };
    const server = await servePage(
      {
        conversations: () => [row],
        page: () => pageNow(),
        watch(heard) {
          listeners.add(heard);
          return () => void listeners.delete(heard);
        },
      },
      readAssets(),
    );
    const [address = ""] = server.url.split("#");
    const { status } = await fetch(`${address}page/data?id=one`);
    expect(status).toBe(401);
    const without = await watchedPage(browser);
    await without.page.goto(address);
    await without.page.getByRole("alert").waitFor();
    const { page, problems } = await watchedPage(browser);
    await page.goto(server.url);
    await expect.poll(() => page.getByRole("option").count()).toBe(2);
    messages = [...messages, user("And then?"), assistant("It works.")];
    await expect.poll(() => listeners.size).toBe(1);
    for (const heard of listeners) heard("one");
    await expect.poll(() => page.getByRole("option").count()).toBe(4);
    expect(problems).toEqual([]);
    server.close();
    await page.getByText("The program behind this page has ended").waitFor();
    await Promise.all([page.close(), without.page.close()]);
  });

  it("plays a served session again in another window", async () => {
    const whole = await sessionPage(capturedIo(), session(RECORDED), {});
    const { replayOf } = await import("../../src/page/replay.ts");
    const server = await servePage(
      {
        conversations: () => [
          { id: "s", title: "", tokens: 1, usable: 2, steps: 1, edits: 0, updatedAt: 0 },
        ],
        page: () => whole,
        replay: (_, window) => replayOf(whole, { window }),
      },
      readAssets(),
    );
    const { page, problems } = await watchedPage(browser);
    await page.goto(server.url);
    await page.getByRole("tab", { name: "With Longhaul" }).click();
    await page.getByRole("button", { name: "32k" }).click();
    await page.getByText(/usable in 32,000/).waitFor();
    expect(problems).toEqual([]);
    server.close();
    await page.close();
  });
});
