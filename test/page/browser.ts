import { existsSync } from "node:fs";
import axe from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";

/** A Chromium of the system: `CHROMIUM`, or where Debian puts it. */
const CHROMIUM: string = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

/** Whether there is one; where `CHROMIUM` names one, there has to be. */
export const hasChromium: boolean = process.env["CHROMIUM"] !== undefined || existsSync(CHROMIUM);

export function launchChromium(): Promise<Browser> {
  // Root has no sandbox in most containers.
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return chromium.launch({ executablePath: CHROMIUM, args });
}

/** A page that remembers what went wrong in it, and what it asked for. */
export interface Watched {
  readonly page: Page;
  readonly problems: string[];
  readonly requests: string[];
}

export interface Screen {
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: "light" | "dark";
}

export async function watchedPage(
  browser: Browser,
  { width = 1440, height = 1000, colorScheme = "light" }: Screen = {},
): Promise<Watched> {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme });
  const problems: string[] = [];
  const requests: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("dialog", (dialog) => {
    problems.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => requests.push(request.url()));
  return { page, problems, requests };
}

/** What axe finds against WCAG 2.2 AA: rules and the places that break them. */
export async function violations(page: Page): Promise<string[]> {
  // The page's own policy lets no other script in; the browser itself may.
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    type Found = {
      violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
    };
    const { axe } = globalThis as unknown as { axe: { run: (options: object) => Promise<Found> } };
    const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
    const found = await axe.run({ runOnly: { type: "tag", values: tags } });
    return found.violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
    );
  });
}
