import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
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
    // Nothing ran, so there is nothing to tell of it.
    expect(none.stderr).not.toContain("0 requests");
    const provider = await runCli([
      "wrap",
      "--provider",
      "none",
      "--openai",
      "http://x/v1",
      "qwen",
    ]);
    expect(provider).toMatchObject({ code: 2 });
    expect(provider.stderr).toContain("There is no provider or model none in");
    const gateway = await runCli(["wrap", "--gateway", "http://127.0.0.1:1", "claude"]);
    expect(gateway).toMatchObject({ code: 2 });
    expect(gateway.stderr).toContain("start one with longhaul gateway");
  });
});

/** Where a client looks for its settings: a home with these files. */
function world(
  env: Readonly<Record<string, string>> = {},
  files: Readonly<Record<string, unknown>> = {},
): { readonly env: Readonly<Record<string, string>>; readonly cwd: string } {
  const home = temporaryFolder();
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(home, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  }
  const system = path.join(home, "none.json");
  return { env: { HOME: home, QWEN_CODE_SYSTEM_SETTINGS_PATH: system, ...env }, cwd: home };
}

describe("how a client is told", () => {
  const url = "http://127.0.0.1:5";

  it("is by arguments for Codex", () => {
    const { args } = settingsOf("codex", { url, isAnthropic: false }, world());
    expect(args).toEqual(["-c", `openai_base_url="${url}/v1"`]);
    const own = settingsOf("codex", { url, provider: "work", isAnthropic: false }, world());
    expect(own.args).toEqual(["-c", `model_providers.work.base_url="${url}/v1"`]);
  });

  it("is beside the settings that the environment has already for opencode", () => {
    const before = { OPENCODE_CONFIG_CONTENT: '{"model":"a/b","provider":{"other":{}}}' };
    const { env } = settingsOf(
      "opencode",
      { url, provider: "mine", isAnthropic: true },
      world(before),
    );
    expect(JSON.parse(env["OPENCODE_CONFIG_CONTENT"] ?? "")).toEqual({
      model: "a/b",
      provider: { other: {}, mine: { options: { baseURL: `${url}/v1` } } },
    });
  });

  it("is by an extension for pi, which goes with it", () => {
    const { args, cleanUp } = settingsOf("pi", { url, isAnthropic: false }, world());
    expect(existsSync(args[1] ?? "")).toBe(true);
    cleanUp();
    expect(existsSync(args[1] ?? "")).toBe(false);
  });

  it("is by settings of the system for Qwen Code", () => {
    const models = {
      openai: [
        { id: "own", baseUrl: "https://llm.example.com/v1", envKey: "K" },
        { id: "gpt-5", envKey: "O" },
      ],
      anthropic: [{ id: "claude", baseUrl: "https://api.anthropic.com" }],
    };
    const text = `// mine\n${JSON.stringify({ theme: "x", modelProviders: models })}`;
    const at = world({}, { ".qwen/settings.json": text, "none.json": { tools: { sandbox: "s" } } });
    const read = (file = ""): unknown => JSON.parse(readFileSync(file, "utf8"));
    const { env, cleanUp } = settingsOf("qwen", { url, isAnthropic: false }, at);
    const file = env["QWEN_CODE_SYSTEM_SETTINGS_PATH"] ?? "";
    const [own, gpt] = models.openai;
    expect(read(file)).toEqual({
      tools: { sandbox: "s" },
      modelProviders: {
        openai: [own, { ...gpt, baseUrl: `${url}/v1` }],
        anthropic: [{ id: "claude", baseUrl: url }],
      },
    });
    cleanUp();
    expect(existsSync(file)).toBe(false);
    const named = settingsOf("qwen-code", { url, provider: "own", isAnthropic: false }, at);
    expect(read(named.env["QWEN_CODE_SYSTEM_SETTINGS_PATH"])).toMatchObject({
      modelProviders: { openai: [{ ...own, baseUrl: `${url}/v1` }, gpt] },
    });
    named.cleanUp();
  });

  it("is by a copy of its providers for Cline, with no login that is not needed", () => {
    const entry = (provider: string, more: object = {}): object => ({
      settings: { provider, ...more },
      tokenSource: "manual",
    });
    const providers = {
      cline: entry("cline", { auth: { refreshToken: "r" } }),
      anthropic: entry("anthropic", { apiKey: "a" }),
      "openai-compatible": entry("openai-compatible", { baseUrl: "http://x/v1" }),
    };
    const files = {
      ".cline/data/settings/providers.json": { version: 1, lastUsedProvider: "cline", providers },
    };
    const told = (provider?: string): unknown => {
      const address = { url, isAnthropic: false, ...(provider !== undefined && { provider }) };
      const { env, cleanUp } = settingsOf("cline", address, world({}, files));
      const file = env["CLINE_PROVIDER_SETTINGS_PATH"] ?? "";
      expect(statSync(file).mode & 0o077).toBe(0);
      const made: unknown = JSON.parse(readFileSync(file, "utf8"));
      cleanUp();
      return made;
    };
    expect(told()).toEqual({
      version: 1,
      lastUsedProvider: "anthropic",
      providers: { anthropic: entry("anthropic", { apiKey: "a", baseUrl: `${url}/v1` }) },
    });
    expect(told("openai-compatible")).toMatchObject({
      lastUsedProvider: "openai-compatible",
      providers: { "openai-compatible": { settings: { baseUrl: `${url}/v1` } } },
    });
  });

  it("is by a copy of its configuration for Continue, of which all else stays", () => {
    const yaml = `name: mine # is it
models:
  - name: "Own one"
    provider: openai
    apiBase: https://llm.example.com/v1 # at work
    roles:
      - chat
    requestOptions:
      headers: { a: b }
  - provider: anthropic
    # a comment
    model: claude

    capabilities: [tool_use]
  - uses: someone/else
rules:
  - name: x
`;
    const told = (provider?: string): string => {
      const address = { url, isAnthropic: false, ...(provider !== undefined && { provider }) };
      const at = world({}, { ".continue/config.yaml": yaml });
      const { args, cleanUp } = settingsOf("continue", address, at);
      expect(args[0]).toBe("--config");
      const made = readFileSync(args[1] ?? "", "utf8");
      cleanUp();
      return made;
    };
    const base = `    apiBase: "${url}/v1"`;
    expect(told()).toBe(
      yaml.replace("  - provider: anthropic\n", `  - provider: anthropic\n${base}\n`),
    );
    const own = "    apiBase: https://llm.example.com/v1 # at work";
    expect(told("Own one")).toBe(yaml.replace(own, base));
  });
});
