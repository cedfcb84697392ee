import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { memoryArchive } from "../../src/archive/index.ts";
import { createContext } from "../../src/context/index.ts";
import type { Message } from "../../src/core/message/index.ts";
import { readAssets } from "../../src/page/assets.ts";
import { createLive } from "../../src/page/live.ts";
import { servePage } from "../../src/page/serve.ts";
import { assistant, step, user } from "../build-messages.ts";
import { hasChromium, launchChromium, violations, watchedPage } from "./browser.ts";

const NEEDLE = "the needle in the middle";

describe.skipIf(!hasChromium)("conversations that go on", () => {
  let browser: Browser;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "longhaul-live-"));
    browser = await launchChromium();
  });

  afterAll(async () => {
    await browser?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Two conversations; an output of the second was cut, and its archive alone has the needle. */
  async function twoConversations() {
    const archive = memoryArchive();
    const live = createLive(archive);
    const lines = "a line of output\n".repeat(3_000);
    const context = createContext({ archive });
    const { text } = await context.truncate(`${lines}${NEEDLE}\n${lines}`, { toolName: "bash" });
    expect(text).not.toContain(NEEDLE);
    const cut = step("call-0001", "bash", { command: "make" }, text);
    const note = (id: string, messages: readonly Message[]): void =>
      live.note({ id, messages, window: 64_000 });
    note("two", [user("Run it."), ...cut, assistant("It ran.")]);
    note("one", [user("Say hello."), assistant("Hello.")]);
    return { note, server: await servePage(live.source, readAssets()) };
  }

  it("are searched together with their originals, and go into a file with them", async () => {
    const { server } = await twoConversations();
    const { page, problems } = await watchedPage(browser);
    await page.goto(server.url);
    await page.getByRole("heading", { name: "Say hello." }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("needle in the");
    const other = page.getByRole("button", { name: /Run it.*1 message found/ });
    await other.waitFor();
    expect(await page.getByText("Nothing holds “needle in the”.").count()).toBe(1);
    expect(await violations(page)).toEqual([]);
    await other.click();
    await page.getByRole("heading", { name: "Run it." }).waitFor();
    await page.getByRole("option").first().click();
    await page.getByRole("button", { name: "Show it" }).click();
    await page.locator("mark", { hasText: "needle in the" }).waitFor();
    const saving = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save as a file" }).click();
    const file = path.join(folder, "saved.html");
    await (await saving).saveAs(file);
    expect(problems).toEqual([]);
    server.close();
    const saved = await watchedPage(browser);
    await saved.page.goto(pathToFileURL(file).href);
    await saved.page.getByRole("heading", { name: "Run it." }).waitFor();
    await saved.page.keyboard.press("/");
    await saved.page.keyboard.type("needle in the");
    await saved.page.getByText("1 message found").waitFor();
    expect(await saved.page.getByRole("button", { name: "Save as a file" }).count()).toBe(0);
    expect(saved.problems).toEqual([]);
    await Promise.all([page.close(), saved.page.close()]);
  });

  it("show what was cut on arrival beside the whole of it", async () => {
    const { server } = await twoConversations();
    const { page, problems } = await watchedPage(browser);
    await page.goto(server.url);
    await page.getByRole("button", { name: /Run it/ }).click();
    await page.getByRole("heading", { name: "Run it." }).waitFor();
    await page.getByRole("tab", { name: /^Edits/ }).click();
    await page.getByRole("button", { name: "1 output cut on arrival" }).click();
    const whole = page.getByRole("region", { name: "As it came" });
    await whole.getByRole("button", { name: /Show all/ }).click();
    await whole.getByText(NEEDLE).waitFor();
    expect(await violations(page)).toEqual([]);
    expect(problems).toEqual([]);
    server.close();
    await page.close();
  });

  it("wait for the first one, and are there on paper without what only a screen can do", async () => {
    const live = createLive();
    const server = await servePage(live.source, readAssets());
    const { page, problems } = await watchedPage(browser, { width: 360, height: 780 });
    await page.goto(server.url);
    await page.getByText("No conversation yet.").waitFor();
    expect(await violations(page)).toEqual([]);
    live.note({ id: "one", messages: [user("Say hello."), assistant("Hello.")], window: 64_000 });
    await page.getByRole("heading", { name: "Say hello." }).waitFor();
    await page.emulateMedia({ media: "print" });
    expect(await page.getByRole("tablist").isVisible()).toBe(false);
    expect(await page.getByRole("heading", { name: "Say hello." }).isVisible()).toBe(true);
    expect(problems).toEqual([]);
    server.close();
    await page.close();
  });

  it("are reached by keyboard alone", async () => {
    const { server } = await twoConversations();
    const { page, problems } = await watchedPage(browser);
    await page.goto(server.url);
    await page.getByRole("heading", { name: "Say hello." }).waitFor();
    const reached: string[] = [];
    for (let press = 0; press < 12; press += 1) {
      await page.keyboard.press("Tab");
      reached.push(
        await page.evaluate<string>(
          `(({ id, role, textContent, ariaLabel, tagName }) => role || id || ariaLabel || tagName + " " + textContent.slice(0, 20))(document.activeElement)`,
        ),
      );
      const look = "(({ outlineStyle, boxShadow }) => outlineStyle + boxShadow)";
      const focus = await page.evaluate(`${look}(getComputedStyle(document.activeElement))`);
      // Behind the last one, the browser goes to the document itself.
      if (reached.at(-1)?.startsWith("BODY")) break;
      expect([reached.at(-1), focus]).not.toEqual([reached.at(-1), "nonenone"]);
    }
    for (const name of [
      "BUTTON Say hello.",
      "BUTTON Run it.",
      "BUTTON Save",
      "step",
      "tab",
      "search",
      "listbox",
    ])
      expect([name, reached.some((one) => one.startsWith(name))]).toEqual([name, true]);
    expect(problems).toEqual([]);
    server.close();
    await page.close();
  });
});
