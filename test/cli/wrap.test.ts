import { chmodSync, existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { settingsOf } from "../../src/cli/wrap-clients.ts";
import { gatewayForTest, rawUpstream } from "../gateway/raw-upstream.ts";
import { runCli, temporaryFolder } from "./run-cli.ts";

/** A client that asks once and says how it was started. */
function clientProgram(): string {
  const folder = temporaryFolder();
  const file = path.join(folder, "some-client");
  const code = `#!${process.execPath}
const base = process.env.ANTHROPIC_BASE_URL;
fetch(base + "/v1/messages", { method: "POST", body: '{"model":"m","messages":[]}' }).then(async (answer) => {
  const { ANTHROPIC_BASE_URL, OPENAI_BASE_URL } = process.env;
  const said = { args: process.argv.slice(2), ANTHROPIC_BASE_URL, OPENAI_BASE_URL, answer: await answer.text() };
  process.stdout.write(JSON.stringify(said));
  process.exitCode = 7;
});
`;
  writeFileSync(file, code);
  chmodSync(file, 0o755);
  return file;
}

describe("longhaul wrap", () => {
  it("runs any program behind a gateway of its own, and ends with its code", async () => {
    const upstream = await rawUpstream((_, response) => response.end("from upstream"));
    const args = ["wrap", "--anthropic", upstream.url, clientProgram(), "--", "-p", "--json"];
    const { code, stdout, stderr } = await runCli(args);
    expect(stderr).toContain("longhaul: 1 request, 0 edits");
    expect(code).toBe(7);
    const said = JSON.parse(stdout) as Record<string, string>;
    expect(said).toMatchObject({ args: ["-p", "--json"], answer: "from upstream" });
    expect(said["OPENAI_BASE_URL"]).toBe(`${said["ANTHROPIC_BASE_URL"]}/v1`);
    expect(upstream.requests).toHaveLength(1);
    await expect(fetch(said["ANTHROPIC_BASE_URL"] ?? "")).rejects.toThrow("fetch failed");
  });

  it("takes the person's own address as where requests go, and a gateway that runs", async () => {
    const upstream = await rawUpstream((_, response) => response.end("from upstream"));
    const env = { ANTHROPIC_BASE_URL: upstream.url };
    expect((await runCli(["wrap", clientProgram()], { env })).code).toBe(7);
    const { url } = await gatewayForTest(upstream);
    const ran = await runCli(["wrap", "--gateway", url, clientProgram()]);
    expect(JSON.parse(ran.stdout)).toMatchObject({ ANTHROPIC_BASE_URL: url });
    expect(upstream.requests).toHaveLength(2);
  });

  it("says in a sentence what is not there", async () => {
    const none = await runCli(["wrap", "no-such-program-here"]);
    expect(none).toMatchObject({ code: 127 });
    expect(none.stderr).toContain("there is no such program on the path");
    const gateway = await runCli(["wrap", "--gateway", "http://127.0.0.1:1", "claude"]);
    expect(gateway).toMatchObject({ code: 2 });
    expect(gateway.stderr).toContain("start one with longhaul gateway");
  });
});

describe("how a client is told", () => {
  const url = "http://127.0.0.1:5";

  it("is by arguments for Codex", () => {
    const { args } = settingsOf("codex", { url, isAnthropic: false }, {});
    expect(args).toEqual(["-c", `openai_base_url="${url}/v1"`]);
    const own = settingsOf("codex", { url, provider: "work", isAnthropic: false }, {});
    expect(own.args).toEqual(["-c", `model_providers.work.base_url="${url}/v1"`]);
  });

  it("is beside the settings that the environment has already for opencode", () => {
    const before = { OPENCODE_CONFIG_CONTENT: '{"model":"a/b","provider":{"other":{}}}' };
    const { env } = settingsOf("opencode", { url, provider: "mine", isAnthropic: true }, before);
    expect(JSON.parse(env["OPENCODE_CONFIG_CONTENT"] ?? "")).toEqual({
      model: "a/b",
      provider: { other: {}, mine: { options: { baseURL: `${url}/v1` } } },
    });
  });

  it("is by an extension for pi, which goes with it", () => {
    const { args, cleanUp } = settingsOf("pi", { url, isAnthropic: false }, {});
    expect(existsSync(args[1] ?? "")).toBe(true);
    cleanUp();
    expect(existsSync(args[1] ?? "")).toBe(false);
  });
});
