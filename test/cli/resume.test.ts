import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { SessionContent } from "../../src/resume/session.ts";
import { type SessionAgent, writeSession } from "../../src/resume/write-session.ts";
import { readTranscript } from "../../src/transcripts/index.ts";
import { assistant, step, user, words } from "../build-messages.ts";
import { runProgram } from "../../src/cli/program.ts";
import { capturedIo } from "./captured-io.ts";
import { temporaryFolder } from "./run-cli.ts";

/** A person's home with one session of an agent, of ten long steps. */
async function homeWith(
  agent: SessionAgent,
): Promise<{ home: string; cwd: string; file: string; id: string }> {
  const home = temporaryFolder();
  const cwd = path.join(home, "project");
  mkdirSync(cwd);
  const steps = Array.from({ length: 10 }, (_, n) =>
    step(`c${n}`, "Bash", { command: `cat ${n}.txt` }, words(2_000, `output ${n}`)),
  );
  const messages = [user("Never touch secret.txt."), ...steps.flat(), assistant("All is read.")];
  const content: SessionContent = { messages, cwd, model: "claude-sonnet-4-5", now: Date.now() };
  const { path: file, id } = await writeSession(agent, content, { folder: home, env: {} });
  const earlier = new Date(Date.now() - 60_000);
  utimesSync(file, earlier, earlier);
  return { home, cwd, file, id };
}

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The command line in this process: it starts no other program but agents. */
async function run(
  args: readonly string[],
  {
    cwd = temporaryFolder(),
    env = {},
  }: { cwd?: string; env?: Readonly<Record<string, string>> } = {},
): Promise<Ran> {
  const home = temporaryFolder();
  const io = capturedIo({
    cwd,
    env: { HOME: home, LONGHAUL_HOME: path.join(home, "state"), ...env },
  });
  const code = await runProgram(io, args, "0.0.0");
  return { code, stdout: io.text(), stderr: io.talk() };
}

const SMALL = ["--window", "18k", "--json"];

describe("resume", () => {
  it.each(["claude-code", "codex", "pi"] as const)("writes a new session of %s", async (agent) => {
    const { home, cwd, file, id } = await homeWith(agent);
    const before = readFileSync(file);
    const { code, stdout, stderr } = await run(["resume", "--last", ...SMALL], {
      cwd,
      env: { HOME: home },
    });
    expect(stderr).toBe("");
    expect(code).toBe(0);
    const told = JSON.parse(stdout);
    expect(told).toMatchObject({
      version: 1,
      agent,
      from: agent,
      cwd,
      inPlace: false,
    });
    expect(["compact", "prune"]).toContain(told.action);
    expect(told.tokens.after).toBeLessThan(told.tokens.before / 2);
    expect(told.sessionId).not.toBe(id);
    expect(told.command.join(" ")).toContain(agent === "pi" ? told.written : told.sessionId);
    expect(readFileSync(file).equals(before)).toBe(true);
    const { conversations } = await readTranscript(readFileSync(told.written), { format: agent });
    expect(JSON.stringify(conversations[0]?.messages)).toContain("Never touch secret.txt.");
  });

  it("finds a session by the beginning of its id", async () => {
    const { home, id } = await homeWith("claude-code");
    const { code, stdout } = await run(["resume", id.slice(0, 8), ...SMALL], {
      env: { HOME: home },
    });
    expect(code).toBe(0);
    expect(JSON.parse(stdout).agent).toBe("claude-code");
  });

  it("reads and writes below another home", async () => {
    const { home } = await homeWith("pi");
    const { code, stdout } = await run(["resume", "--last", "--home", home, ...SMALL], {
      env: { CLAUDE_CONFIG_DIR: "/nowhere" },
    });
    expect(code).toBe(0);
    expect(JSON.parse(stdout).written.startsWith(home)).toBe(true);
  });

  it("hands a session of one agent to another", async () => {
    const { home, file } = await homeWith("pi");
    const { code, stdout } = await run(["resume", file, "--to", "claude-code", ...SMALL], {
      env: { HOME: home },
    });
    expect(code).toBe(0);
    const told = JSON.parse(stdout);
    expect(told).toMatchObject({ agent: "claude-code", from: "pi" });
    expect(told.written).toContain(`${path.sep}.claude${path.sep}projects${path.sep}`);
  });

  it("has in its data every warning that a person sees, and where it ends what did not travel", async () => {
    const { home, cwd, file } = await homeWith("pi");
    rmSync(cwd, { recursive: true });
    const args = ["resume", file, "--to", "codex", "--window", "18k", "--force"];
    const seen = await run(args, { env: { HOME: home } });
    const told = await run([...args, "--json"], { env: { HOME: home } });
    const { warnings, command, promptCommand } = JSON.parse(told.stdout);
    expect(told.stderr).toBe("");
    expect(seen.stderr.trimEnd().split("\n")).toEqual(warnings.map((one: string) => `! ${one}`));
    expect(warnings).toContain("did not travel to codex: the model claude-sonnet-4-5");
    expect(warnings.at(-1)).toBe(`its folder ${cwd} is gone; the agent starts where you are`);
    expect(command.slice(0, 2)).toEqual(["codex", "resume"]);
    expect(promptCommand.slice(0, 3)).toEqual(["codex", "exec", "resume"]);
    expect(seen.stdout).not.toContain("\n! ");
  });

  it("gives opencode's session to the program, and says what to run where it is not", async () => {
    const { home, file } = await homeWith("pi");
    const args = ["resume", file, "--to", "opencode", ...SMALL];
    const alone = await run(args, { env: { HOME: home, PATH: "" } });
    expect(JSON.parse(alone.stdout).importCommand.slice(0, 2)).toEqual(["opencode", "import"]);
    const bin = path.join(home, "bin");
    mkdirSync(bin);
    const program = path.join(bin, "opencode");
    writeFileSync(program, `#!/bin/sh\necho "$@" > ${home}/called\n`);
    chmodSync(program, 0o755);
    const { stdout } = await run(args, { env: { HOME: home, PATH: `${bin}:/bin:/usr/bin` } });
    const told = JSON.parse(stdout);
    expect(told.importCommand).toBeNull();
    expect(readFileSync(path.join(home, "called"), "utf8")).toBe(`import ${told.written}\n`);
  });

  it("appends in place and takes it back", async () => {
    const { home, cwd, file } = await homeWith("claude-code");
    const before = readFileSync(file);
    const env = { HOME: home, LONGHAUL_HOME: path.join(home, "state") };
    const done = await run(["resume", "--last", "--in-place", ...SMALL], { cwd, env });
    expect(JSON.parse(done.stdout)).toMatchObject({ inPlace: true, written: file });
    expect(readFileSync(file).length).toBeGreaterThan(before.length);
    const undone = await run(["resume", "--undo"], { cwd, env });
    expect(undone.stdout).toContain(file);
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it("keeps its journal whole and to the person alone", async () => {
    const { home, cwd } = await homeWith("claude-code");
    const state = path.join(home, "state");
    const env = { HOME: home, LONGHAUL_HOME: state };
    await run(["resume", "--last", "--in-place", ...SMALL], { cwd, env });
    const journal = path.join(state, "resumed.json");
    expect(JSON.parse(readFileSync(journal, "utf8"))).toHaveLength(1);
    expect(statSync(journal).mode & 0o777).toBe(0o600);
    expect(readdirSync(state).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  it("says before it compacts that nothing can be appended", async () => {
    const { home, file } = await homeWith("claude-code");
    const state = path.join(home, "state");
    const env = { HOME: home, LONGHAUL_HOME: state };
    const database = path.join(home, "session.json");
    renameSync(file, database);
    const { code, stderr } = await run(["resume", database, "--in-place", ...SMALL], { env });
    expect(code).toBe(2);
    expect(stderr).toContain("--in-place is not possible");
    expect(existsSync(path.join(state, "archive"))).toBe(false);
  });

  it("names no folder that is gone", async () => {
    const { home, cwd, file } = await homeWith("codex");
    rmSync(cwd, { recursive: true });
    const { stdout, stderr } = await run(["resume", file, "--window", "18k"], {
      env: { HOME: home },
    });
    expect(stderr).toContain(`! its folder ${cwd} is gone`);
    expect(stdout.trimEnd().split("\n").at(-1)).toMatch(/^Next: codex resume [0-9a-f-]{36}$/);
  });

  it("wants more of an id that several sessions begin with", async () => {
    const { home, id, file } = await homeWith("claude-code");
    const twin = `${id.slice(0, -4)}ffff`;
    copyFileSync(file, file.replace(id, twin));
    const { code, stderr } = await run(["inspect", id.slice(0, 12)], { env: { HOME: home } });
    expect(code).toBe(2);
    expect(stderr).toContain("2 sessions begin with");
    expect(stderr).toContain(twin);
  });

  it("starts the agent with --run, and ends as it ends", async () => {
    const { home, cwd } = await homeWith("pi");
    const program = path.join(home, "pi");
    writeFileSync(program, `#!/bin/sh\necho "$@" > ${home}/started\nexit 7\n`);
    chmodSync(program, 0o755);
    const env = { HOME: home, PATH: `${home}:/bin:/usr/bin` };
    const { code } = await run(["resume", "--last", "--run", ...SMALL], { cwd, env });
    expect(code).toBe(7);
    expect(readFileSync(path.join(home, "started"), "utf8")).toContain("--session");
  });

  it("ends with the command to type", async () => {
    const { home, file } = await homeWith("codex");
    const { stdout } = await run(["resume", file, "--window", "18k"], { env: { HOME: home } });
    expect(stdout.trimEnd().split("\n").at(-1)).toMatch(
      /^Next: cd .+ && codex resume [0-9a-f-]{36}$/,
    );
  });

  it.each(["codex", "opencode"])(
    "has for a script what works where the next line does: %s",
    async (to) => {
      const { home, file } = await homeWith("pi");
      const args = ["resume", file, "--to", to, "--window", "18k"];
      for (const cwd of [home, path.join(home, "project")]) {
        const { stdout } = await run(args, { cwd, env: { HOME: home, PATH: "" } });
        const next = /^Next: (.+ && |)(?:codex resume|opencode -s) (\S+)$/m.exec(stdout);
        const start = to === "codex" ? "codex exec resume" : "opencode run -s";
        expect(stdout).toContain(`Scripted  ${next?.[1]}${start} ${next?.[2]} PROMPT\n`);
        expect(next?.[1]?.startsWith("cd ")).toBe(cwd === home);
        expect(next?.[1]?.includes("opencode import")).toBe(to === "opencode");
      }
    },
  );

  it("does nothing where there is room", async () => {
    const { home, file } = await homeWith("pi");
    const { code, stdout } = await run(["resume", file, "--window", "200k", "--json"], {
      env: { HOME: home },
    });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ action: "none", written: null, command: null });
    const told = await run(["resume", file, "--window", "200k"], { env: { HOME: home } });
    expect(told.stdout).toMatch(/\nNext: go on working; --force makes it smaller anyway\n$/);
  });

  it.each([
    [["resume", "no-such-session"], /neither a file nor a session/],
    [["resume", "--last"], /No session of claude-code/],
    [["resume", "--undo"], /Nothing to undo/],
  ])("%j is told in a sentence", async (args, sentence) => {
    const { code, stderr } = await run(args);
    expect(code).toBe(2);
    expect(stderr).toMatch(sentence);
  });

  it("leaves nothing behind where a session cannot be written", async () => {
    const { home, file } = await homeWith("pi");
    const blocked = path.join(home, ".claude");
    writeFileSync(blocked, "");
    const { code, stderr } = await run(["resume", file, "--to", "claude-code", ...SMALL], {
      env: { HOME: home },
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/Cannot write/);
    expect(existsSync(path.join(home, ".claude", "projects"))).toBe(false);
    expect(readdirSync(path.dirname(file))).toHaveLength(1);
  });
});
