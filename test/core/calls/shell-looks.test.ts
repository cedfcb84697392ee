import { describe, expect, it } from "vitest";
import { onlyLooks } from "../../../src/core/calls/shell-text.ts";

describe("a command line that only looks", () => {
  it.each([
    "ls -la",
    "cd app && grep -rn 'a\\|b' src | head -20",
    "sed -n '1,200p' src/a.ts; git -C /app log --oneline -5",
    "cat a.txt 2>/dev/null || echo none",
    "find . -name '*.ts' 2>&1 | sort | uniq -c",
    "/usr/bin/wc -l a",
  ])("is %j", (line) => {
    expect(onlyLooks(line)).toBe(true);
  });

  it.each([
    "",
    "npm test",
    "npm test | tail -5",
    "echo x > a.txt",
    "cat <<EOF\nx\nEOF",
    "sed -i s/a/b/ a.ts",
    "find . -name x -delete",
    "git commit -m 'log'",
    "git branch new",
    "ls && rm -r build",
    "cat $(make file)",
    "echo `rm x`",
    "sort -o a a",
    "lsof",
    "Get-Content a",
  ])("is not %j", (line) => {
    expect(onlyLooks(line)).toBe(false);
  });
});
