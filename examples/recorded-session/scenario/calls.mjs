// Short forms for the tool calls of the scripted model. A call may carry what we expect of it:
// `expect: "error"` for a call that the client must refuse, `exit` for the exit code of a command.
import { readFileSync } from "node:fs";

/** Where the agent works. The path is in the recording, so it is the same on every machine. */
export const PROJECT = "/tmp/longhaul-demo/tillroll";

const at = (path) => `${PROJECT}/${path}`;

/** The text of a file that the agent writes, kept under scenario/written/. */
export function written(path) {
  return readFileSync(new URL(`./written/${path}`, import.meta.url), "utf8");
}

export function read(path, range = {}) {
  return { tool: "read", input: { filePath: at(path), ...range } };
}

export function write(path, content) {
  return { tool: "write", input: { filePath: at(path), content } };
}

export function edit(path, oldString, newString) {
  return { tool: "edit", input: { filePath: at(path), oldString, newString } };
}

export function bash(command, description, extra = {}) {
  return { tool: "bash", input: { command, description, ...extra } };
}

export function grep(pattern, path, extra = {}) {
  return { tool: "grep", input: { pattern, path: at(path), ...extra } };
}

export function glob(pattern) {
  return { tool: "glob", input: { pattern, path: PROJECT } };
}

export function skill(name) {
  return { tool: "skill", input: { name } };
}

/** One line per item: "x" done, ">" being worked on, " " waiting; then the text. */
export function todo(...lines) {
  const states = { x: "completed", ">": "in_progress", " ": "pending" };
  const todos = lines.map((line) => ({
    content: line.slice(2),
    status: states[line[0]],
    priority: "medium",
  }));
  return { tool: "todowrite", input: { todos } };
}

export function fails(call) {
  return { ...call, expect: "error" };
}

export function exits(code, call) {
  return { ...call, exit: code };
}
