import { describe, expect, it } from "vitest";
import { coversRead, describeCall } from "../../../src/core/calls/index.ts";
import type { CallFacts } from "../../../src/core/calls/index.ts";
import { call } from "../../build-messages.ts";

function facts(toolName: string, input: unknown): CallFacts {
  return describeCall(call("1", toolName, input));
}

function files(toolName: string, input: unknown): string[] {
  return facts(toolName, input).files.map(({ op, path }) => `${op} ${path}`);
}

describe("describeCall: files", () => {
  it.each([
    ["Read", { file_path: "/a.ts" }, ["read /a.ts"]],
    ["read", { filePath: "./a.ts", offset: 1 }, ["read a.ts"]],
    ["read_files", { files: [{ path: "/a.ts", start_line: 2, end_line: 9 }] }, ["read /a.ts"]],
    ["read_many_files", { paths: ["a.ts", "src/**/*.ts"] }, ["read a.ts"]],
    ["view_image", { path: "/a.png" }, ["read /a.png"]],
    ["Write", { file_path: "/a.ts", content: "x" }, ["write /a.ts"]],
    ["MultiEdit", { file_path: "/a.ts", edits: [] }, ["edit /a.ts"]],
    ["NotebookEdit", { notebook_path: "/a.ipynb", new_source: "" }, ["edit /a.ipynb"]],
    ["replace", { file_path: "a.ts", old_string: "x", new_string: "y" }, ["edit a.ts"]],
    ["str_replace_editor", { command: "view", path: "/a.ts" }, ["read /a.ts"]],
    ["str_replace_editor", { command: "create", path: "/a.ts" }, ["write /a.ts"]],
    ["str_replace_editor", { command: "insert", path: "/a.ts" }, ["edit /a.ts"]],
    ["editor", { path: "/a.ts", new_text: "x" }, ["write /a.ts"]],
    ["editor", { path: "/a.ts", old_text: "y", new_text: "x" }, ["edit /a.ts"]],
    ["create", { filename: "a.py" }, ["write a.py"]],
    ["delete_file", { target_file: "a.ts" }, ["delete a.ts"]],
    [
      "mcp__fs__move_file",
      { source: "a.ts", destination: "./b.ts" },
      ["delete a.ts", "write b.ts"],
    ],
    ["Read", { file_path: "D:\\repo\\a.ts" }, ["read D:\\repo\\a.ts"]],
    ["Grep", { pattern: "x", path: "/a.ts" }, []],
    ["edit", { search: "x", replace: "y" }, []],
    ["Read", "not json", []],
    ["Read", null, []],
  ])("%s %j", (toolName, input, expected) => {
    expect(files(toolName, input)).toEqual(expected);
  });

  it("reads the headers of a patch, given whole or in a field, and never its content", () => {
    const patch = [
      "*** Begin Patch",
      "*** Add File: new.ts",
      "+*** Delete File: trap.ts",
      "*** Update File: old.ts",
      "*** Move to: moved.ts",
      "@@",
      " *** Update File: trap.ts",
      "*** Update File: src/same.ts",
      "*** Delete File: gone.ts",
      "*** End Patch",
    ].join("\n");
    const expected = [
      "write new.ts",
      "delete old.ts",
      "write moved.ts",
      "edit src/same.ts",
      "delete gone.ts",
    ];
    expect(files("apply_patch", patch)).toEqual(expected);
    expect(files("apply_patch", { patchText: patch })).toEqual(expected);
    expect(files("shell", { command: ["apply_patch", patch] })).toEqual(expected);
  });

  it("reads command lines, from the folder where they run", () => {
    expect(files("bash", { command: "cat a.ts", workdir: "/repo" })).toEqual(["read /repo/a.ts"]);
    expect(files("PowerShell", { command: "cat a.ts > b.ts" })).toEqual([]);
    expect(files("run_ipython", { code: "x > y" })).toEqual([]);
  });
});

describe("describeCall: commands", () => {
  it.each([
    ["Bash", { command: "ls -la" }, ["ls -la"]],
    ["exec_command", { cmd: "ls" }, ["ls"]],
    ["shell", { command: ["bash", "-lc", "ls && pwd"] }, ["ls && pwd"]],
    ["shell", { command: ["git", "commit", "-m", "it's"] }, ["git commit -m 'it'\\''s'"]],
    [
      "local_shell",
      { action: { command: ["bash", "-lc", "ls"], working_directory: "/x" } },
      ["ls"],
    ],
    ["run_commands", { commands: ["ls", { command: "pwd" }] }, ["ls", "pwd"]],
    ["bash", { command: "bash -lc 'ls -la'" }, ["ls -la"]],
    ["bash", { command: "bash -c 'a' && b" }, ["bash -c 'a' && b"]],
    ["bash", { restart: true }, []],
    ["write_stdin", { session_id: 1, chars: "y" }, []],
    ["Read", { command: "ls" }, []],
  ])("%s %j", (toolName, input, commands) => {
    expect(facts(toolName, input).commands).toEqual(commands);
  });
});

describe("describeCall: subject", () => {
  it.each([
    ["Read", { file_path: "/a.ts", offset: 10, limit: 5 }, "/a.ts:10-14"],
    ["Read", { file_path: "/a.ts" }, "/a.ts"],
    ["Bash", { command: "npm test\n  -- x" }, "npm test -- x"],
    ["Grep", { pattern: "x|y", path: "src" }, "x|y in src"],
    ["LS", { path: "/src" }, "/src"],
    ["WebFetch", { url: "https://example.com", prompt: "p" }, "https://example.com"],
    ["Task", { description: "look", prompt: "p" }, "look"],
    ["TodoWrite", { todos: [1, 2] }, "2 items"],
    ["book_flight", { from: "JFK", seats: 2, list: [] }, "from: JFK, seats: 2"],
    ["apply_patch", "*** Begin Patch\n*** Update File: a\n*** Update File: b\n", "a and 1 more"],
    ["submit", {}, ""],
  ])("%s %j", (toolName, input, subject) => {
    expect(facts(toolName, input).subject).toBe(subject);
  });

  it("is one line of at most 120 characters and never half a character", () => {
    const { subject } = facts("Bash", { command: `echo \u0007\n${"😀".repeat(200)}` });
    expect(subject.length).toBeLessThanOrEqual(120);
    expect(subject).toMatch(/^echo 😀+…$/u);
  });
});

describe("describeCall: ranges and large input", () => {
  it("knows which lines a read shows, in the words of each agent", () => {
    expect(facts("Read", { file_path: "a", offset: 5, limit: 10 }).range).toEqual({
      from: 5,
      to: 14,
    });
    expect(facts("read", { path: "a", limit: 10 }).range).toEqual({ from: 0, to: 10 });
    expect(facts("read", { path: "a", offset: 3 }).range).toEqual({ from: 3, to: Infinity });
    expect(facts("read_file", { path: "a", start_line: 2, end_line: 4 }).range).toEqual({
      from: 2,
      to: 4,
    });
    const view = { command: "view", path: "a", view_range: [650, -1] };
    expect(facts("str_replace_editor", view).range).toEqual({ from: 650, to: Infinity });
    expect(facts("Read", { file_path: "a" }).range).toBeUndefined();
  });

  it("says whether a later read shows all of an earlier one", () => {
    const read = (from?: number, to = 0) =>
      ({ path: "a", op: "read", ...(from !== undefined && { range: { from, to } }) }) as const;
    expect(coversRead(read(), read())).toBe(true);
    expect(coversRead(read(), read(1, 100))).toBe(true);
    expect(coversRead(read(), read(1_900, 3_800))).toBe(false);
    expect(coversRead(read(1, 100), read())).toBe(false);
    expect(coversRead(read(1, 100), read(10, 20))).toBe(true);
    expect(coversRead(read(15, 100), read(10, 20))).toBe(false);
  });

  it("names the fields of writing and editing calls that hold much", () => {
    const big = "x".repeat(600);
    expect(facts("Write", { file_path: "a", content: big }).largeInput).toEqual(["content"]);
    expect(facts("Edit", { file_path: "a", old_string: "x", new_string: big }).largeInput).toEqual([
      "new_string",
    ]);
    expect(facts("edit", { path: "a", edits: [{ oldText: big, newText: "" }] }).largeInput).toEqual(
      ["edits"],
    );
    expect(facts("Write", { file_path: "a", content: "small" }).largeInput).toEqual([]);
    expect(facts("Bash", { command: big }).largeInput).toEqual([]);
  });
});

it("a call is described anew where its input, or what is known of its tool, is another", () => {
  const call = { type: "tool-call" as const, toolCallId: "c", toolName: "show" };
  const changing = { ...call, input: { path: "a.ts" } as Record<string, unknown> };
  expect(describeCall(changing).kind).toBe("other");
  expect(describeCall(changing, { show: "read" }).files).toEqual([{ path: "a.ts", op: "read" }]);
  changing.input = { path: "b.ts" };
  expect(describeCall(changing, { show: "read" }).subject).toBe("b.ts");
});
