import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { directoryArchive } from "../../src/archive/directory.ts";
import { archiveFolder } from "../../src/archive/home.ts";
import { memoryArchive } from "../../src/archive/index.ts";
import {
  DEFAULT_LIMITS,
  type Direction,
  NOTICE_LIMITS,
  type NoticeTarget,
  truncateText,
  truncationNotice,
} from "../../src/core/truncate/index.ts";

const page = readFileSync("docs/truncation.md", "utf8");
const HOME = "/home/me/.local/share/longhaul";

const lines = Array.from({ length: 5_000 }, (_, index) => `line ${index + 1}\n`).join("");
const broken = lines.replace("line 2500\n", "app.ts(3,1): error TS2304: no name\n");

/** Where the command line would archive an output, on somebody's computer. */
async function archived(output: string): Promise<NoticeTarget> {
  const home = mkdtempSync(join(tmpdir(), "longhaul-page-"));
  try {
    const archive = directoryArchive(archiveFolder({ LONGHAUL_HOME: home }), {
      conversation: "outputs-2026-03-01",
      retention: false,
    });
    const { handle, path = "" } = await archive.put("out", output);
    return { handle, path: path.replace(home, HOME).replaceAll("\\", "/") };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

test.each<[string, string, Direction, () => Promise<NoticeTarget>]>([
  ["the end of 5,000 lines", lines, "tail", () => archived(lines)],
  [
    "both ends of a build log",
    broken,
    "both",
    async () => ({ handle: (await memoryArchive().put("out", broken)).handle }),
  ],
  ["one huge line", "x".repeat(300_000), "tail", async () => ({ notKept: "The disk is full" })],
])("the page shows the notice as it is printed: %s", async (_name, output, direction, target) => {
  const notice = truncationNotice(truncateText(output, { direction }), await target());
  expect(page).toContain(`\`\`\`text\n${notice}\n\`\`\``);
});

test("the page names the limits that hold", () => {
  const number = (value: number): string => value.toLocaleString("en");
  expect(page).toContain(
    `**${number(DEFAULT_LIMITS.maxLines)} lines** and **${number(DEFAULT_LIMITS.maxBytes)} bytes**`,
  );
  expect(page).toContain(
    `${NOTICE_LIMITS.maxLines} lines and ${number(NOTICE_LIMITS.maxBytes)} bytes`,
  );
});
