import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { chooseSession, holdSession } from "../../examples/coding-agent/session.ts";
import { changeTools, lookTools } from "../../examples/coding-agent/tools.ts";
import { createView } from "../../examples/coding-agent/view.ts";
import { memoryArchive } from "../../src/index.ts";

function folderForTest(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "longhaul-agent-parts-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A project beside a folder that is not part of it, with links into that. */
function project() {
  const root = folderForTest();
  const folder = path.join(root, "a project");
  const outside = path.join(root, "outside");
  for (const each of [folder, outside]) mkdirSync(each);
  writeFileSync(path.join(outside, "secret.txt"), "secret");
  symlinkSync(outside, path.join(folder, "link"));
  symlinkSync(path.join(outside, "gone.txt"), path.join(folder, "dangling"));
  const options = { folder, archive: memoryArchive(), maxBytes: 1_000, onCut: () => {} };
  return { folder, outside, tools: { ...lookTools(options), ...changeTools(options) } };
}

const CALL = { toolCallId: "1", messages: [] };

describe("the tools of the coding agent", () => {
  it.each(["../up.txt", "link/new.txt", "link/new/deep.txt", "link/secret.txt", "/etc/hosts"])(
    "stay in the project's folder: %s",
    async (name) => {
      const { outside, tools } = project();
      const says = "is not in the project's folder";
      const written = tools.edit.execute?.({ path: name, old: "", new: "x" }, CALL);
      await expect(written).rejects.toThrow(says);
      await expect(tools.read.execute?.({ path: name }, CALL)).rejects.toThrow(says);
      await expect(tools.grep.execute?.({ path: name, pattern: "." }, CALL)).rejects.toThrow(says);
      expect(readdirSync(outside)).toEqual(["secret.txt"]);
    },
  );

  it("write through no link that leads nowhere", async () => {
    const { outside, tools } = project();
    const written = tools.edit.execute?.({ path: "dangling", old: "", new: "x" }, CALL);
    await expect(written).rejects.toThrow("EEXIST");
    expect(readdirSync(outside)).toEqual(["secret.txt"]);
  });

  it("make the folders of a new file, whatever it is called", async () => {
    const { tools } = project();
    await tools.edit.execute?.({ path: "..a b/c/new.txt", old: "", new: "one" }, CALL);
    await expect(tools.read.execute?.({ path: "..a b/c/new.txt" }, CALL)).resolves.toBe("one");
    const found = await tools.grep.execute?.({ path: ".", pattern: "o.e" }, CALL);
    expect(found).toContain("new.txt:1:one");
  });
});

describe("the sessions of the coding agent", () => {
  it("a real model does not go on with the scripted task, nor the other way round", () => {
    const home = folderForTest();
    for (const name of ["live", "scripted"]) {
      const { folder, history } = chooseSession(home, { session: name });
      mkdirSync(folder, { recursive: true });
      writeFileSync(history, "");
    }
    mkdirSync(path.join(home, "agent/scripted/project"));
    mkdirSync(path.join(home, "agent/never-begun"));
    expect(chooseSession(home, { resume: true }).name).toBe("live");
    expect(chooseSession(home, { resume: true, offline: true }).name).toBe("scripted");
    expect(() => chooseSession(home, { session: "scripted" })).toThrow("begun with --offline");
    expect(() => chooseSession(home, { session: "live", offline: true })).toThrow("without");
  });
});

describe("a session that is held", () => {
  it("is for one process at a time, also after one was killed in it", () => {
    const files = chooseSession(folderForTest(), { session: "mine" });
    const file = path.join(files.folder, "process");
    const release = holdSession(files);
    expect(readFileSync(file, "utf8")).toBe(String(process.pid));
    writeFileSync(file, String(process.ppid));
    expect(() => holdSession(files)).toThrow(`Process ${process.ppid} works in session mine`);
    const { pid } = spawnSync(process.execPath, ["--version"]);
    for (const left of [String(pid), "", "nonsense"]) {
      writeFileSync(file, left);
      holdSession(files);
    }
    release();
    expect(existsSync(file)).toBe(false);
  });
});

describe("the view of the coding agent", () => {
  it("leaves nothing out of what it has to say on a narrow terminal", () => {
    const failure = {
      code: "stopped",
      message: `${"a word or two ".repeat(12)}head_0123456789abcdef`,
    };
    const shown = (terminal: { isTTY?: boolean; columns?: number }): string[] => {
      let text = "";
      const write = (more: string): void => void (text += more);
      createView({ ...terminal, write }, { NO_COLOR: "1" }, 1)
        .subAgent()
        .failed(failure);
      return text.trimEnd().split("\n");
    };
    const narrow = shown({ isTTY: true, columns: 60 });
    expect(Math.max(...narrow.map((line) => line.length))).toBeLessThanOrEqual(60);
    expect(narrow.length).toBeGreaterThan(2);
    expect(narrow.map((line) => line.slice(12)).join(" ")).toBe(`stopped: ${failure.message}`);
    expect(shown({})).toHaveLength(1);
  });

  it.each([40, 50, 60, 71, 72, 80])("keeps every row within %i columns", (columns) => {
    let text = "";
    const write = (more: string): void => void (text += more);
    const step = { usable: 12_000, prune: [], warnings: [], action: "none" } as const;
    const call = { type: "tool-call", toolCallId: "1", toolName: "bash" } as const;
    const view = createView({ isTTY: true, columns, write }, { NO_COLOR: "1" }, 1);
    for (const each of [view, view.subAgent()]) {
      each.step({ ...step, tokens: { before: 11_000, after: 11_000 } } as never);
      const input = JSON.stringify({ command: "node src/cli.js reconcile ".repeat(5) });
      each.answer([
        { type: "text", text: "I look round. ".repeat(9) },
        { ...call, input },
      ]);
    }
    const rows = text.trimEnd().split("\n");
    expect(rows).toHaveLength(4);
    expect(Math.max(...rows.map((row) => row.length))).toBeLessThanOrEqual(columns);
    expect(rows.filter((row) => row.includes(" 92%"))).toHaveLength(2);
  });

  it("shows a call whose input is no object as it is", () => {
    let text = "";
    const view = createView({ write: (more: string) => (text += more) }, {}, 1);
    for (const input of ["", "null", '{"path":', '{"path":"a.ts","old":"x","count":3}']) {
      view.answer([{ type: "tool-call", toolCallId: "1", toolName: "read", input }]);
    }
    expect(text.split("\n").map((line) => line.trim())).toEqual([
      "read",
      "read null",
      'read {"path":',
      "read a.ts",
      "",
    ]);
  });
});
