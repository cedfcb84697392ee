import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { MAIN, temporaryFolder } from "./run-cli.ts";

/** `script` of util-linux gives a program a terminal; what it is sent is typed there. */
const hasTerminal = String(spawnSync("script", ["--version"]).stdout).includes("util-linux");

const ID = "0f6f1a1c-2c1e-4a53-9f0e-3f1f4f7a9b01";

/** A home with two sessions of Claude Code, one about a shop. */
function homeWithSessions(): string {
  const home = temporaryFolder();
  const put = (id: string, cwd: string, prompt: string): void => {
    const base = { sessionId: id, cwd, version: "2.1.330", timestamp: "2026-11-20T12:00:00.000Z" };
    const user = { role: "user", content: prompt };
    const usage = { input_tokens: 90_000, output_tokens: 100 };
    const content = [{ type: "text", text: "Done." }];
    const reply = { id: "msg_1", role: "assistant", model: "claude-opus-5", content, usage };
    const lines = [
      { ...base, uuid: "u1", parentUuid: null, type: "user", message: user },
      { ...base, uuid: "u2", parentUuid: "u1", type: "assistant", message: reply },
    ];
    const file = path.join(home, ".claude", "projects", path.basename(cwd), `${id}.jsonl`);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  };
  put(ID, "/home/ada/shop", "Mend the till.");
  put("1a2b3c4d-2c1e-4a53-9f0e-3f1f4f7a9b02", "/home/ada/garden", "Water the roses.");
  return home;
}

/** Types each text when the one before it stands on the terminal; settles with all that was shown. */
function atTerminal(
  home: string,
  dialogue: readonly (readonly [shown: RegExp, typed: string])[],
): Promise<{ readonly code: number | null; readonly text: string }> {
  const env = {
    ...process.env,
    HOME: home,
    LONGHAUL_HOME: path.join(home, "state"),
    COLUMNS: "100",
    TERM: "xterm",
  };
  const command = `stty cols 100 rows 40; '${process.execPath}' '${MAIN}'`;
  const child = spawn("script", ["-qefc", command, "/dev/null"], { env });
  let text = "";
  let from = 0;
  const waiting = [...dialogue];
  child.stdout.setEncoding("utf8").on("data", (piece: string) => {
    text += stripVTControlCharacters(piece);
    const [next] = waiting;
    if (next === undefined || !next[0].test(text.slice(from))) return;
    waiting.shift();
    from = text.length;
    child.stdin.write(next[1]);
  });
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, text })));
}

const ENTER = "\r";
const LEAVE = "\u0003";

describe.skipIf(!hasTerminal)("longhaul alone, at a terminal", () => {
  it("lists the sessions, narrows them by what is typed, and does what is picked", async () => {
    const { code, text } = await atTerminal(homeWithSessions(), [
      [
        /Sessions on this computer[^]*shop[^]*garden|Sessions on this computer[^]*garden[^]*shop/,
        "till",
      ],
      [/till/, ENTER],
      [/Inspect[^]*Resume[^]*Copy the command/, ENTER],
    ]);
    expect(code).toBe(0);
    expect(text).toContain(`longhaul inspect ${ID}`);
    expect(text).toMatch(/Window +[\d,]+ tokens/);
    expect(text).toContain("in /home/ada/shop");
  }, 60_000);

  it("is left without a trace by Ctrl-C", async () => {
    const { code, text } = await atTerminal(homeWithSessions(), [
      [/Sessions on this computer[^]*shop/, LEAVE],
    ]);
    expect(code).toBe(0);
    expect(text).not.toContain("Window");
  }, 60_000);

  it("says where it looked when there is nothing", async () => {
    const { code, text } = await atTerminal(temporaryFolder(), []);
    expect(code).toBe(0);
    expect(text).toContain("No agent sessions were found on this computer");
  }, 60_000);
});
