import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import {
  DEFAULT_LIMITS,
  type Direction,
  NOTICE_LIMITS,
  type NoticeTarget,
  truncateText,
  truncationNotice,
} from "../../src/core/truncate/index.ts";

const page = readFileSync("docs/truncation.md", "utf8");
const handle = "out_0123456789abcdef";
const path = `/home/me/.local/share/longhaul/ab/${handle}.txt`;

const lines = Array.from({ length: 5_000 }, (_, index) => `line ${index + 1}\n`).join("");
const broken = lines.replace("line 2500\n", "app.ts(3,1): error TS2304: no name\n");

test.each<[string, string, Direction, NoticeTarget]>([
  ["the end of 5,000 lines", lines, "tail", { path, handle }],
  ["both ends of a build log", broken, "both", { handle }],
  ["one huge line", "x".repeat(300_000), "tail", { notKept: "The disk is full" }],
])("the page shows the notice as it is printed: %s", (_name, output, direction, target) => {
  const notice = truncationNotice(truncateText(output, { direction }), target);
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
