import { execFile } from "node:child_process";
import { cpSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { upstreamForTest } from "../provider/for-test.ts";
import { sample } from "../property/runs.ts";
import { environmentOf, scriptedModel } from "./scripted-model.ts";

/** What each example must print; an example without a line here fails. */
const EXPECTED: Readonly<Record<string, RegExp>> = {
  "01-agent-loop.ts": /step \d+: (?:prune|compact), \d+ -> \d+ tokens/,
  "02-compact-a-session.ts": /172 messages became \d+[^]*the head is archived: \d+ messages/,
  "03-plan-and-apply.ts": /compact: 200 messages -> \d+[^]*the same objects: true/,
  "05-tool-outputs.ts": /lines="9000"[^]*4322:line 4321: error: disk on fire/,
  "06-events.ts": /"action":"compact"[^]*"msg":"prepared"/,
  "08-ai-sdk.ts": /prune: \d+ -> \d+ tokens[^]*All is well[^]*messages are saved, of 62/,
  "09-ai-sdk-chat.ts": /[1-9]\d* edits so far\nAll is well.\n[1-9]\d* edits so far\nAll is well./,
  "07-anthropic-sdk.ts": /prune: \d+ -> \d+ tokens[^]*All is well/,
  "10-openai-sdk.ts": /(?:prune|compact): \d+ -> \d+ tokens[^]*All is well/,
  "11-openai-agents.ts": /(?:prune|compact): \d+ -> \d+ tokens[^]*All is well/,
  "12-fetch-loop.ts": /^All is well. [2-9]\d*\n$/,
  "13-langchain.ts": /prune: \d+ -> \d+ tokens[^]*All is well[^]*the state has all 62 messages/,
  "14-mastra.ts": /prune: \d+ -> \d+ tokens[^]*All is well/,
  "15-deepagents.ts": /compact: \d+ -> \d+ tokens[^]*All is well/,
  "04-anthropic-request.ts": /101 messages -> \d+\nlegal for the provider: true\n.*: true/,
};

const examples = readdirSync("examples").filter((name) => name.endsWith(".ts"));

/** Each as one file, which starts in a third of the time of its sources. */
const built = path.resolve(`test/.built/examples-${process.pid}`);

beforeAll(async () => {
  await build({
    entryPoints: examples.map((name) => path.join("examples", name)),
    outdir: built,
    tsconfig: "tsconfig.json",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "external",
  });
  const session = path.join("recorded-session", "session.json.gz");
  cpSync(path.join("examples", session), path.join(built, session));
});
afterAll(() => rmSync(built, { recursive: true, force: true, maxRetries: 5 }));

function start(name: string, env: NodeJS.ProcessEnv): Promise<{ stdout: string; stderr: string }> {
  const file = path.join(built, name.replace(/ts$/, "js"));
  return promisify(execFile)(process.execPath, [file], { env });
}

describe("the examples", () => {
  it("are all listed here", () => {
    expect(examples.sort()).toEqual(Object.keys(EXPECTED).sort());
  });

  it.each(sample(examples, 5))("%s runs and prints what it promises", async (name) => {
    const model = await upstreamForTest({ script: scriptedModel(), window: 32_000 });
    const env = { ...process.env, ...environmentOf(model.url) };
    const { stdout, stderr } = await start(name, env);
    expect(model.refusals).toEqual([]);
    expect(stderr).toBe("");
    expect(stdout).toMatch(EXPECTED[name]!);
  });

  it.each(sample(examples, 2))("%s says in one sentence if it needs a key", async (name) => {
    const source = readFileSync(path.join("examples", name), "utf8");
    const [, key] = /process\.env\["(\w+_API_KEY)"\]/.exec(source) ?? [];
    expect(key !== undefined).toBe(/API_KEY/.test(source));
    if (key === undefined) return;
    const { [key]: _, ...env } = { ...process.env, ...environmentOf("http://localhost:1") };
    const run = start(name, env);
    const sentence = `This example asks a model: set ${key} and start it again.\n`;
    await expect(run).rejects.toMatchObject({ code: 1, stdout: "", stderr: sentence });
  });
});
