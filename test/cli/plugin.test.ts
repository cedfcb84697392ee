import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { PLUGIN_AGENTS } from "../../src/plugins/agents.ts";
import { MAIN, runHere, temporaryFolder } from "./run-cli.ts";

const HOOK = path.join(path.dirname(MAIN), "hook.js");

function tree(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = files.map((entry) => path.join(entry.parentPath, entry.name));
  return Object.fromEntries(
    files.map((entry, at) => [paths[at]!, entry.isFile() ? readFileSync(paths[at]!, "utf8") : ""]),
  );
}

describe.each(PLUGIN_AGENTS)("longhaul plugin %s", (agent) => {
  const start = () => {
    const home = temporaryFolder();
    const env = { HOME: home, LONGHAUL_HOME: temporaryFolder() };
    return { home, run: (...args: string[]) => runHere(["plugin", agent, ...args], { env }) };
  };

  it("is written, again in another form, and taken out to the last folder", async () => {
    const { home, run } = start();
    const before = tree(home);
    const first = await run();
    expect(first).toMatchObject({ code: 0, stderr: "" });
    const written = tree(home);
    expect(Object.keys(written).length).toBeGreaterThan(0);
    expect((await run("--max-bytes", "9000")).code).toBe(0);
    expect(Object.keys(tree(home))).toEqual(Object.keys(written));
    expect(JSON.stringify(tree(home))).toContain("9000");
    expect((await run("--remove")).code).toBe(0);
    expect(tree(home)).toEqual(before);
    const again = await run("--remove");
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining("nothing to remove") });
  });

  it("shows with --dry-run what it would write, and writes nothing", async () => {
    const { home, run } = start();
    const shown = await run("--dry-run");
    expect(tree(home)).toEqual({});
    expect((await run()).code).toBe(0);
    for (const file of Object.keys(tree(home)).filter((one) => tree(home)[one] !== "")) {
      expect(shown.stdout).toContain(`--- ${file}`);
    }
  });

  it("tells what it did as JSON", async () => {
    const { run } = start();
    const { stdout } = await run("--json");
    expect(JSON.parse(stdout)).toMatchObject({ version: 1, agent, action: "installed" });
    const removed = JSON.parse((await run("--remove", "--json")).stdout);
    expect(removed).toMatchObject({ action: "removed", next: [] });
    for (const { outcome } of removed.files) expect(outcome).toMatch(/removed|restored/);
  });
});

describe("the plugin of Claude Code", () => {
  it("takes a folder of its own, and leaves what a person put beside its files", async () => {
    const [folder, cwd] = [temporaryFolder(), temporaryFolder()];
    const env = { LONGHAUL_HOME: temporaryFolder() };
    mkdirSync(path.join(folder, "hooks"));
    writeFileSync(path.join(folder, "hooks", "mine.json"), "{}");
    writeFileSync(path.join(folder, "hooks", "hooks.json"), "old");
    const run = (...args: string[]) =>
      runHere(["plugin", "claude-code", "--dir", folder, ...args], { env, cwd });
    expect((await run()).stdout).toContain(`claude --plugin-dir ${folder}`);
    expect((await run("--remove")).code).toBe(0);
    expect(tree(path.join(folder, "hooks"))).toEqual({
      [path.join(folder, "hooks", "mine.json")]: "{}",
      [path.join(folder, "hooks", "hooks.json")]: "old",
    });
  });

  it("leaves a file of its own that somebody changed", async () => {
    const folder = temporaryFolder();
    const env = { LONGHAUL_HOME: temporaryFolder() };
    const run = (...args: string[]) =>
      runHere(["plugin", "claude-code", "--dir", folder, ...args], { env });
    await run();
    const file = path.join(folder, "hooks", "hooks.json");
    writeFileSync(file, "{}");
    expect((await run("--remove")).stdout).toMatch(/left +.*hooks\.json/);
    expect(readFileSync(file, "utf8")).toBe("{}");
  });
});

describe("the plugin of Codex", () => {
  const start = () => {
    const home = temporaryFolder();
    const folder = path.join(home, ".codex");
    mkdirSync(folder);
    const config = path.join(folder, "config.toml");
    const hooks = path.join(folder, "hooks.json");
    writeFileSync(config, '# mine\nmodel = "gpt-5"');
    writeFileSync(
      hooks,
      '{"hooks":{"PostToolUse":[{"hooks":[{"type":"command","command":"mine"}]}]}}',
    );
    const env = { HOME: home, LONGHAUL_HOME: temporaryFolder() };
    const run = (...args: string[]) => runHere(["plugin", "codex", ...args], { env });
    return { home, config, hooks, run };
  };

  it("adds to what is there, says how to trust it, and is taken out to the byte", async () => {
    const { home, config, hooks, run } = start();
    const before = tree(home);
    const { stdout } = await run();
    expect(stdout).toContain("/hooks");
    expect(readFileSync(config, "utf8")).toMatch(
      /^# mine\nmodel = "gpt-5"\n# longhaul: begin[^]*\[mcp_servers\.longhaul\]/,
    );
    const { PostToolUse } = JSON.parse(readFileSync(hooks, "utf8")).hooks;
    expect(PostToolUse).toHaveLength(2);
    expect((await run("--remove")).code).toBe(0);
    expect(tree(home)).toEqual(before);
  });

  it("leaves what was changed in the meantime, and takes out its own", async () => {
    const { config, hooks, run } = start();
    await run();
    writeFileSync(config, `${readFileSync(config, "utf8")}[tui]\ntheme = "dark"\n`);
    writeFileSync(hooks, readFileSync(hooks, "utf8").replace('"mine"', '"yours"'));
    expect((await run("--remove")).code).toBe(0);
    expect(readFileSync(config, "utf8")).toBe('# mine\nmodel = "gpt-5"\n[tui]\ntheme = "dark"\n');
    expect(readFileSync(hooks, "utf8")).toContain('"yours"');
    expect(readFileSync(hooks, "utf8")).not.toContain("hook.js");
  });

  it("writes nothing where a server of this name stands already", async () => {
    const { home, config, run } = start();
    writeFileSync(config, '[mcp_servers.longhaul]\ncommand = "other"\n');
    const before = tree(home);
    const refused = await run();
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(config) });
    expect(tree(home)).toEqual(before);
  });
});

describe("the program that hooks start", () => {
  const start = (args: readonly string[], input: string) => {
    const home = temporaryFolder();
    const env = { PATH: process.env["PATH"] ?? "", LONGHAUL_HOME: home };
    const { status, stdout } = spawnSync(process.execPath, [HOOK, ...args], {
      input,
      env,
      encoding: "utf8",
    });
    const log = path.join(home, "plugins.log");
    return { status, stdout, home, log: existsSync(log) ? readFileSync(log, "utf8") : "" };
  };
  const event = (tool: string, response: unknown): string =>
    JSON.stringify({
      hook_event_name: "PostToolUse",
      session_id: "s1",
      tool_name: tool,
      tool_response: response,
    });

  it("cuts what is too large, and keeps the whole of it for the session", () => {
    const stdout = "a line of it\n".repeat(9_000);
    const ran = start(["claude-code", "--max-bytes=3000"], event("Bash", { stdout, stderr: "" }));
    expect(ran).toMatchObject({ status: 0, log: "" });
    const { updatedToolOutput } = JSON.parse(ran.stdout).hookSpecificOutput;
    expect(updatedToolOutput).toMatchObject({ stderr: "" });
    const [handle = ""] = /out_[0-9a-f]{16}/.exec(updatedToolOutput.stdout) ?? [];
    const kept = path.join(ran.home, "archive", "s1", `${handle}.txt`);
    expect(readFileSync(kept, "utf8")).toBe(stdout);
  });

  it.each([
    ["an output that fits", ["claude-code"], event("Bash", { stdout: "small", stderr: "" }), false],
    ["an event of no use", ["claude-code"], '{"hook_event_name":"Stop"}', false],
    ["what is no JSON", ["claude-code"], "{ no", true],
    ["nothing at all", ["claude-code"], "", true],
    ["an agent that nobody knows", ["nobody"], "{}", true],
    [
      "a file that is gone",
      ["claude-code"],
      event("Bash", { stdout: "x".repeat(3_000), persistedOutputPath: "/nowhere" }),
      true,
    ],
  ])("says nothing about %s", (_, args, input, isFailure) => {
    const ran = start(args, input);
    expect(ran).toMatchObject({ status: 0, stdout: "" });
    expect(ran.log === "").toBe(!isFailure);
  });
});
