import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { allCommands, runProgram } from "../../src/cli/program.ts";
import { capturedIo } from "./captured-io.ts";
import { temporaryFolder } from "./run-cli.ts";

async function script(shell: string): Promise<string> {
  const io = capturedIo();
  expect(await runProgram(io, ["completion", shell], "0.0.0")).toBe(0);
  return io.raw();
}

describe("longhaul completion", () => {
  it.each(["bash", "zsh", "fish"])("names every command and option in %s", async (shell) => {
    const text = await script(shell);
    for (const command of await allCommands(capturedIo())) {
      expect(text).toContain(command.name());
      for (const { long } of command.options) expect(text).toContain(long!.replace(/^--/, ""));
    }
  });

  it.each(["bash", "zsh", "fish"])("is a script that %s reads", async (shell) => {
    const file = path.join(temporaryFolder(), "script");
    writeFileSync(file, await script(shell));
    const { error, status, stderr } = spawnSync(shell, ["-n", file], { encoding: "utf8" });
    if (error !== undefined) return;
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  it.skipIf(process.platform === "win32").each([
    [
      ["longhaul", "se"],
      ["sessions", "search"],
    ],
    [["longhaul", "search", "--reg"], ["--regex"]],
    [["longhaul", "cost", "--by", "pro"], ["project"]],
    [
      ["longhaul", "sessions", "--agent", "c"],
      ["claude-code", "codex", "copilot-cli"],
    ],
  ])("completes %j in bash", async (words, expected) => {
    const typed = words.map((word) => `"${word}"`).join(" ");
    const line = `COMP_WORDS=(${typed}); COMP_CWORD=${words.length - 1}; _longhaul; echo "\${COMPREPLY[@]}"`;
    const { stdout } = spawnSync("bash", ["-c", `${await script("bash")}\n${line}`], {
      encoding: "utf8",
    });
    expect(stdout.trim().split(" ")).toEqual(expected);
  });
});
