import { failureLines, findErrorLines, toldLines } from "../../../src/core/text/errors.ts";
import { describe, expect, it } from "vitest";

describe("findErrorLines", () => {
  it.each([
    "src/a.ts(3,1): error TS2304: Cannot find name 'x'.",
    "ERROR [main] it broke",
    "FAIL test/a.test.ts",
    "--- FAIL: TestX (0.00s)",
    "thread 'main' panicked at src/main.rs:4",
    "Traceback (most recent call last):",
    "KeyError: 'a'",
    "java.lang.NullPointerException",
    "E   assert 1 == 2",
    "  ✗ adds numbers",
    "npm ERR! code ELIFECYCLE",
    "not ok 3 - parses",
    "Segmentation fault (core dumped)",
    "fatal: not a git repository",
  ])("sees %s", (line) => {
    expect(findErrorLines(`fine\n${line}\nfine\n`, 10)).toEqual({
      count: 1,
      first: [{ line: 11, text: line.trim() }],
      isPartial: false,
    });
  });

  it.each([
    "0 errors, 3 warnings",
    "Tests: 12 passed, 0 failed",
    '{"error": null, "ok": true}',
    "failed=0 ok=3",
    "terrorised the mirror",
    "GET /failures 200",
  ])("does not mean %s", (line) => expect(findErrorLines(line, 1).count).toBe(0));

  it("counts all and names the first five, once a line", () => {
    const text = Array.from({ length: 30 }, (_, n) =>
      n % 3 === 0 ? `error ${n}: error` : `ok ${n}`,
    ).join("\n");
    const { count, first } = findErrorLines(text, 1);
    expect(count).toBe(10);
    expect(first.map(({ line }) => line)).toEqual([1, 4, 7, 10, 13]);
  });

  it("shows long and coloured lines clean and short", () => {
    const [line] = findErrorLines(`\u001b[31merror\u001b[0m: ${"é".repeat(900)}`, 1).first;
    expect(line?.text).toMatch(/^error: é+…$/);
    expect(line?.text).toHaveLength(160);
  });

  it("shows an error that was overwritten, and not what came over it", () => {
    const text = "ok\nfetched 1/3\rerror: no such file\rfetched 3/3\r\nerror: two\r\n";
    expect(findErrorLines(text, 1).first).toEqual([
      { line: 2, text: "error: no such file" },
      { line: 3, text: "error: two" },
    ]);
  });

  it("searches a bounded part and says so", () => {
    const text = `error\n${"x\n".repeat(600_000)}error\n`;
    expect(findErrorLines(text)).toEqual({ count: 1, first: [{ text: "error" }], isPartial: true });
  });

  it.each([
    "X".repeat(3e6),
    " ".repeat(3e6),
    "\n".repeat(3e6),
    "Aa ".repeat(1e6),
    "error: 0 ".repeat(3e5),
  ])("ends with any text", (text) => {
    expect(findErrorLines(text, 1)).toBeDefined();
  });
});

describe("failureLines", () => {
  it("finds the lines that say what went wrong, each once, clean and clipped", () => {
    const output = [
      "Exit code: 1",
      "> build",
      "\u001b[31mcannot\u001b[0m open a.ts",
      "cannot open a.ts",
      "Permission denied",
      `x ${"error ".repeat(90)}`,
      `minified ${"error;".repeat(200)}`,
      "Process exited with code 1",
    ].join("\r\n");
    expect(failureLines(output, 4, 40)).toEqual(["cannot open a.ts", "Permission denied"]);
    expect(failureLines(output, 1, 10)).toEqual(["cannot op…"]);
  });

  it("finds nothing where no line says it, and the lines are there to choose from", () => {
    expect(failureLines("Exit code: 2\na\n\nb\nb\n", 4, 40)).toEqual([]);
    expect(toldLines("Exit code: 2\na\n\nb\nb\n")).toEqual(["a", "b"]);
  });

  it("looks at both ends of a long output", () => {
    const output = `error: one\n${"fine\n".repeat(50_000)}error: two\n`;
    expect(failureLines(output, 4, 40)).toEqual(["error: one", "error: two"]);
  });
});
