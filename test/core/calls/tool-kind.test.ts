import { describe, expect, it } from "vitest";
import { toolKind } from "../../../src/core/calls/index.ts";
import type { ToolKind } from "../../../src/core/calls/index.ts";

const KNOWN: Record<ToolKind, string[]> = {
  read: [
    "Read",
    "read",
    "read_file",
    "read_many_files",
    "readFile",
    "view_image",
    "open",
    "read_files",
  ],
  write: ["Write", "write", "write_file", "create", "create_file"],
  edit: [
    "Edit",
    "MultiEdit",
    "NotebookEdit",
    "apply_patch",
    "patch",
    "replace",
    "str_replace_editor",
    "editor",
  ],
  delete: ["delete_file", "deleteFile"],
  command: [
    "Bash",
    "bash",
    "exec_command",
    "shell",
    "local_shell",
    "run_shell_command",
    "run_commands",
    "execute_bash",
    "run_ipython",
    "write_stdin",
    "PowerShell",
    "execute_command",
  ],
  search: [
    "Grep",
    "Glob",
    "grep",
    "find",
    "glob",
    "search_file_content",
    "grep_search",
    "find_file",
    "search_dir",
    "multi_grep",
  ],
  list: ["LS", "ls", "list", "list_directory"],
  todo: ["TodoWrite", "todowrite", "update_plan", "write_todos", "TaskCreate", "TaskUpdate"],
  skill: ["Skill", "skill"],
  task: ["Task", "Agent", "task"],
  web: ["WebFetch", "WebSearch", "webfetch", "google_web_search", "web_fetch"],
  memory: ["memory", "save_memory"],
  other: [
    "submit",
    "think",
    "finish",
    "calculate",
    "AskUserQuestion",
    "get_user_details",
    "search_direct_flight",
    "update_reservation_flights",
    "list_all_airports",
    "mcp__Claude_Browser__navigate",
  ],
};

describe("toolKind", () => {
  it.each(Object.entries(KNOWN))("knows tools of kind %s", (kind, names) => {
    expect(names.map((name) => [name, toolKind(name)])).toEqual(names.map((name) => [name, kind]));
  });

  it("looks behind the server's name of an MCP tool", () => {
    expect(toolKind("mcp__fs__read_file")).toBe("read");
    expect(toolKind("mcp__my_server__write_file")).toBe("write");
    expect(toolKind("filesystem_edit_file")).toBe("edit");
    expect(toolKind("fs.read_text_file")).toBe("read");
  });

  it("does not take one common word behind a name for a tool", () => {
    expect(toolKind("calendar_find")).toBe("other");
    expect(toolKind("tabs_create")).toBe("other");
  });

  it("lets the caller decide by exact name", () => {
    const kinds = { lookup: "read", Read: "other" } as const;
    expect(toolKind("lookup", kinds)).toBe("read");
    expect(toolKind("Read", kinds)).toBe("other");
    expect(toolKind("read", kinds)).toBe("read");
    expect(toolKind("toString", kinds)).toBe("other");
  });
});
