import { readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { directoryArchive } from "../../src/archive/directory.ts";
import { hookAnswer } from "../../src/plugins/hooks.ts";
import type { SessionContent } from "../../src/resume/session.ts";
import { writeSession } from "../../src/resume/write-session.ts";
import { assistant, step, user, words } from "../build-messages.ts";
import { runHere, temporaryFolder } from "./run-cli.ts";

/** A session of Claude Code with ten long steps, in a home of its own. */
async function homeWithSession(): Promise<{
  home: string;
  file: string;
  id: string;
  env: Readonly<Record<string, string>>;
}> {
  const home = temporaryFolder();
  const steps = Array.from({ length: 10 }, (_, n) =>
    step(`c${n}`, "Bash", { command: `cat ${n}.txt` }, words(2_000, `output ${n}`)),
  );
  const messages = [user("Never touch secret.txt."), ...steps.flat(), assistant("All is read.")];
  const content: SessionContent = { messages, cwd: home, now: Date.now() };
  const { path: file, id } = await writeSession("claude-code", content, { folder: home, env: {} });
  return { home, file, id, env: { HOME: home, LONGHAUL_HOME: path.join(home, "state") } };
}

const HANDLES = /\b(?:out|parts|in|msg|head)_[0-9a-f]{16}\b/g;

function handlesIn(file: string): readonly string[] {
  const handles = new Set(readFileSync(file, "utf8").match(HANDLES));
  expect(handles.size).toBeGreaterThan(0);
  return [...handles];
}

/** A month goes by, and the archive is looked through. */
async function afterAMonth(env: Readonly<Record<string, string>>): Promise<string> {
  const archive = path.join(env["LONGHAUL_HOME"] ?? "", "archive");
  const then = new Date(Date.now() - 30 * 24 * 60 * 60 * 1000);
  for (const name of readdirSync(archive).filter((each) => !each.startsWith("."))) {
    utimesSync(path.join(archive, name, ".used"), then, then);
  }
  return (await runHere(["gc"], { env })).stdout;
}

async function isKept(
  handles: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<boolean[]> {
  const codes = handles.map(async (handle) => (await runHere(["recall", handle], { env })).code);
  return (await Promise.all(codes)).map((code) => code === 0);
}

const SMALL = ["--window", "18k", "--json"];

describe("what is kept", () => {
  it("is everything that a result names, until the person removes the result", async () => {
    const { home, file, env } = await homeWithSession();
    const cwd = temporaryFolder();
    const { code, stdout } = await runHere(["compact", file, ...SMALL], { cwd, env });
    expect(code).toBe(0);
    const { out } = JSON.parse(stdout);
    expect(path.dirname(out)).toBe(path.join(home, "state", "results"));
    expect(readdirSync(cwd)).toEqual([]);
    expect(statSync(out).mode & 0o777).toBe(0o600);
    expect(statSync(path.dirname(out)).mode & 0o777).toBe(0o700);
    const handles = handlesIn(out);
    await afterAMonth(env);
    expect(await isKept(handles, env)).not.toContain(false);
    rmSync(out);
    expect(await afterAMonth(env)).toMatch(/Removed 1 conversation/);
    expect(await isKept(handles, env)).not.toContain(true);
  });

  it("is everything that went to stdout, which nobody can look for", async () => {
    const { file, env } = await homeWithSession();
    const args = ["compact", file, "--window", "18k", "--out", "-"];
    const { stdout } = await runHere(args, { env });
    await afterAMonth(env);
    expect(await isKept([...new Set(stdout.match(HANDLES))], env)).not.toContain(false);
  });

  it("is what a written session names, whoever archived it, and its tools find it", async () => {
    const { file, id, env } = await homeWithSession();
    // What the plugin cut on arrival is named by the session that it cut it for.
    const event = {
      hook_event_name: "PostToolUse",
      session_id: id,
      transcript_path: file,
      tool_name: "Bash",
      tool_input: { command: "make" },
      tool_response: { stdout: words(30_000, "arrived"), stderr: "", interrupted: false },
    };
    const answer = (await hookAnswer("claude-code", { event, options: [], env })) ?? "";
    const [arrived = ""] = answer.match(HANDLES) ?? [];
    expect(arrived).not.toBe("");
    const { stdout: cut } = JSON.parse(answer).hookSpecificOutput.updatedToolOutput;
    const session = readFileSync(file, "utf8");
    const newest = JSON.stringify(words(2_000, "output 9"));
    expect(session).toContain(newest);
    writeFileSync(file, session.replaceAll(newest, JSON.stringify(cut)));
    await afterAMonth(env);
    expect(await isKept([arrived], env)).toEqual([true]);

    const { stdout } = await runHere(["resume", file, ...SMALL], { env });
    const { written, sessionId } = JSON.parse(stdout);
    rmSync(file);
    const handles = handlesIn(written);
    expect(handles).toContain(arrived);
    await afterAMonth(env);
    const own = directoryArchive(path.join(env["LONGHAUL_HOME"] ?? "", "archive"), {
      conversation: sessionId,
    });
    for (const handle of handles) expect(await own.has(handle)).toBe(true);
    rmSync(written);
    await afterAMonth(env);
    expect(await isKept(handles, env)).not.toContain(true);
  });
});
