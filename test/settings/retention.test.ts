import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { directoryArchive } from "../../src/archive/directory.ts";
import { hookAnswer } from "../../src/plugins/hooks.ts";
import { homeArchive } from "../../src/settings/home-archive.ts";
import { retentionSetting } from "../../src/settings/retention.ts";
import { ownRetention, readSettings } from "../../src/settings/settings.ts";
import { keptWords } from "../../src/cli/kept.ts";
import { rawUpstream } from "../gateway/raw-upstream.ts";
import { runCli, runHere, temporaryFolder } from "../cli/run-cli.ts";

const DAY = 24 * 60 * 60 * 1_000;

describe("the setting retention", () => {
  it("is limits with units, in ms and bytes", () => {
    const unit = fc.constantFrom(["h", DAY / 24], ["d", DAY], ["w", 7 * DAY]) as fc.Arbitrary<
      [string, number]
    >;
    fc.assert(
      fc.property(fc.nat(10_000), unit, fc.nat(10_000), (age, [name, ms], size) => {
        const setting = { maxAge: `${age}${name}`, maxSize: `${size} MB` };
        expect(retentionSetting(setting)).toEqual({ maxAgeMs: age * ms, maxBytes: size * 1e6 });
      }),
    );
    expect(retentionSetting({ maxSize: "1.5GB" })).toEqual({ maxBytes: 1.5e9 });
    expect(retentionSetting(false)).toBe(false);
  });

  it.each<{ retention: unknown }>([
    { retention: true },
    { retention: null },
    { retention: "20GB" },
    { retention: [3] },
    { retention: { maxSize: 20 } },
    { retention: { maxSize: "much" } },
    { retention: { maxAge: "20GB" } },
    { retention: { maxAgeMs: 5 } },
    { retention: { toString: "1d" } },
  ])("is refused where it makes no sense: %j", async (settings) => {
    const env = stateWith(settings);
    const cwd = temporaryFolder();
    for (const read of [() => readSettings({ env, cwd }), () => ownRetention(env)]) {
      await expect(read()).rejects.toMatchObject({
        code: "invalid-options",
        message: expect.stringMatching(/longhaul\.json.*retention is .*give false, or limits/),
      });
    }
  });

  it("of a project removes nothing of anybody's", async () => {
    const cwd = temporaryFolder();
    writeFileSync(path.join(cwd, "longhaul.json"), '{ "retention": { "maxAge": "1d" } }');
    const read = readSettings({ env: { LONGHAUL_HOME: temporaryFolder() }, cwd });
    await expect(read).rejects.toThrow(/nor what is removed: retention stands in/);
  });
});

function stateWith(settings: unknown): { LONGHAUL_HOME: string } {
  const LONGHAUL_HOME = path.join(temporaryFolder(), "state");
  mkdirSync(LONGHAUL_HOME);
  const text = typeof settings === "string" ? settings : JSON.stringify(settings);
  writeFileSync(path.join(LONGHAUL_HOME, "longhaul.json"), text);
  return { LONGHAUL_HOME };
}

/** A conversation that something names, and one that nothing does, both used ten days ago. */
async function withOld(env: { LONGHAUL_HOME: string }): Promise<(name: string) => boolean> {
  const folder = path.join(env.LONGHAUL_HOME, "archive");
  for (const [conversation, namedBy] of [["named", true], ["unnamed"]] as const) {
    const archive = directoryArchive(folder, { conversation, namedBy, retention: false });
    await archive.put("out", "an old output ".repeat(100));
    const then = new Date(Date.now() - 10 * DAY);
    utimesSync(path.join(folder, conversation, ".used"), then, then);
  }
  return (name) => existsSync(path.join(folder, name));
}

const LOG = "a line of some log\n".repeat(6_000);

/** A client with a tool's long output. */
const REQUEST = `
const content = [{ type: "tool_result", tool_use_id: "t1", content: "a line\\n".repeat(20_000) }];
const call = { type: "tool_use", id: "t1", name: "Bash", input: { command: "cat log" } };
const messages = [
  { role: "user", content: "look" },
  { role: "assistant", content: [call] },
  { role: "user", content },
];
const body = JSON.stringify({ model: "claude-sonnet-4-5", max_tokens: 99, messages });
const headers = { "content-type": "application/json" };
await fetch(process.env.ANTHROPIC_BASE_URL + "/v1/messages", { method: "POST", headers, body });
`;

/** Each way in that stores something in the person's archive. */
const DOORS: Readonly<Record<string, (env: { LONGHAUL_HOME: string }) => Promise<unknown>>> = {
  "the archive": (env) => homeArchive(env).put("out", "new"),
  "longhaul truncate": (env) => runCli(["truncate"], { env, input: LOG }),
  "longhaul run": (env) => runHere(["run", "--", `printf '${"x\n".repeat(5_000)}'`], { env }),
  "a hook of Claude Code": (env) =>
    hookAnswer("claude-code", {
      event: {
        hook_event_name: "PostToolUse",
        tool_name: "Bash",
        session_id: "s1",
        tool_response: { stdout: LOG, stderr: "", interrupted: false, isImage: false },
      },
      options: [],
      env,
    }),
  "the gateway of longhaul wrap": async (env) => {
    const upstream = await rawUpstream((_, response) => response.end("{}"));
    const program = ["--", process.execPath, "--input-type=module", "-e", REQUEST];
    const run = await runCli(["wrap", "--anthropic", upstream.url, ...program], { env });
    expect(run).toMatchObject({ code: 0 });
    expect(upstream.requests[0]?.body.toString()).toContain("tool-output-truncated");
  },
};

describe.each(Object.entries(DOORS))("what %s stores in", (_, store) => {
  it("goes by the person's limits, also what is named", async () => {
    const env = stateWith({ retention: { maxSize: "1KB" } });
    const isThere = await withOld(env);
    await store(env);
    await vi.waitFor(() => expect([isThere("named"), isThere("unnamed")]).toEqual([false, false]), {
      timeout: 5_000,
    });
  });
});

describe("an archive of the person", () => {
  it.each([
    ["by a longer age", { retention: { maxAge: "30d" } }, [true, true]],
    ["by an age", { retention: { maxAge: "9d" } }, [false, false]],
    ["without a setting", {}, [true, false]],
    ["by nothing at all", { retention: false }, [true, true]],
    ["while the settings cannot be read", "{ torn", [true, true]],
  ])("is collected %s", async (_, settings, left) => {
    const env = stateWith(settings);
    const isThere = await withOld(env);
    await homeArchive(env).put("out", "new");
    // What goes is awaited; what all stays gets a while in which it could have gone.
    if (left.every(Boolean)) await new Promise((resolve) => setTimeout(resolve, 300));
    const look = (): void => expect([isThere("named"), isThere("unnamed")]).toEqual(left);
    await vi.waitFor(look, { timeout: 5_000 });
  });

  it("is collected by hand with the same limits, unless others are given", async () => {
    const env = stateWith({ retention: { maxAge: "9d" } });
    const isThere = await withOld(env);
    const dry = await runHere(["gc", "--dry-run", "--older-than", "2w"], { env });
    expect(dry.stdout).toContain("Would remove 0 conversations");
    expect((await runHere(["gc"], { env })).stdout).toContain("Removed 2 conversations");
    expect(isThere("named")).toBe(false);
  });
});

it("no command and no plugin opens that archive past the settings", () => {
  const opened = ["cli", "plugins"].flatMap((room) =>
    readdirSync(path.join("src", room), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .flatMap((file) => readFileSync(path.join("src", room, file), "utf8").split("\n"))
      .filter((line) => line.includes("directoryArchive(")),
  );
  expect(opened.filter((line) => !line.includes("observe: true"))).toEqual([]);
});

it.each([
  ["file", undefined, /as long as this file is there and you set no limit/],
  ["session", {}, /as long as the session is there/],
  ["session", false, /as long as the session is there/],
  [undefined, undefined, /until you remove them/],
  ["file", { maxBytes: 5 }, /within your limits .*gc --dry-run/],
  [undefined, { maxAgeMs: 5 }, /within your limits/],
] as const)(
  "a result that is named by a %s, with %j, says how long it is kept",
  (named, limits, words) => {
    expect(keptWords(named, limits)).toMatch(words);
  },
);
