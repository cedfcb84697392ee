import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { rawRequest, rawUpstream } from "../gateway/raw-upstream.ts";
import { MAIN, runHere, temporaryFolder } from "./run-cli.ts";

interface Started {
  readonly child: ChildProcess;
  readonly line: string;
  readonly exit: Promise<number | null>;
  readonly talk: () => string;
}

/** The command in a process of its own, once it has said where it listens. */
async function start(args: readonly string[], more: object = {}): Promise<Started> {
  const env = { ...process.env, LONGHAUL_HOME: path.join(temporaryFolder(), "state"), ...more };
  const words = [MAIN, "gateway", "--port", "0", ...args];
  const child = spawn(process.execPath, words, { env, stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  child.stderr.on("data", (piece: Buffer) => (said += piece.toString()));
  const exit = new Promise<number | null>((resolve) => child.once("close", resolve));
  const line = await new Promise<string>((resolve) =>
    createInterface(child.stdout).once("line", resolve),
  );
  return { child, line, exit, talk: () => said };
}

describe("longhaul gateway", () => {
  it("says in one line where it listens, answers, and ends when it is asked to", async () => {
    const upstream = await rawUpstream((_, response) => response.end("{}"));
    const { child, line, exit } = await start(["--anthropic", upstream.url]);
    const [, url = ""] = /^longhaul gateway on (http:\/\/127\.0\.0\.1:\d+)$/.exec(line) ?? [];
    const answer = await rawRequest(`${url}/v1/messages`, { method: "POST", body: "{}" });
    expect(answer.status).toBe(200);
    child.kill("SIGTERM");
    expect(await exit).toBe(0);
  });

  it("takes its settings from flags, the environment and a file, in this order", async () => {
    const home = temporaryFolder();
    const [one, two, three] = await Promise.all(
      ["flag", "variable", "file"].map((name) => rawUpstream((_, answer) => answer.end(name))),
    );
    const gateway = { anthropic: three?.url, openai: three?.url, limits: { maxStreams: 3 } };
    writeFileSync(path.join(home, "longhaul.json"), JSON.stringify({ gateway }));
    const env = { LONGHAUL_HOME: home, LONGHAUL_GATEWAY_ANTHROPIC: two?.url };
    const urlOf = ({ line }: Started): string => line.replace(/^.* on /, "");
    const said = async (started: Started, target: string): Promise<string> =>
      (await rawRequest(urlOf(started) + target)).body.toString();
    const named = await start([], env);
    expect(await said(named, "/v1/messages/x")).toBe("variable");
    expect(await said(named, "/v1/models")).toBe("file");
    expect(await said(await start(["--anthropic", one?.url ?? ""], env), "/v1/messages/x")).toBe(
      "flag",
    );
  });

  it.each([
    [{ port: "4141" }, "gateway.port"],
    [{ limits: { idleMs: -1 } }, "gateway.limits.idleMs"],
    [{ hots: "x" }, "host"],
    [{ recall: "telepathy" }, "tool, file, none"],
    ["127.0.0.1", "an object"],
  ])("says what is wrong in a file: %j", async (gateway, words) => {
    const home = temporaryFolder();
    writeFileSync(path.join(home, "longhaul.json"), JSON.stringify({ gateway }));
    const { code, stderr } = await runHere(["gateway"], { env: { LONGHAUL_HOME: home } });
    expect(code).not.toBe(0);
    expect(stderr).toContain(words);
  });

  it("says it and its log as JSON, and nothing of what was in a request", async () => {
    const upstream = await rawUpstream((_, response) => response.end("{}"));
    const { child, line, exit, talk } = await start([
      "--json",
      "--verbose",
      "--anthropic",
      upstream.url,
    ]);
    const { url, pid } = JSON.parse(line) as { url: string; pid: number };
    expect(pid).toBe(child.pid);
    const body = '{"model":"m","messages":[{"role":"user","content":"my content"}]}';
    const headers = { "x-api-key": "sk-very-secret" };
    await rawRequest(`${url}/v1/messages`, { method: "POST", body, headers });
    child.kill("SIGINT");
    expect(await exit).toBe(0);
    const entries = talk().trim().split("\n");
    const request = entries.map((entry) => JSON.parse(entry) as object)[0];
    expect(request).toMatchObject({ event: "request", model: "m", status: 200 });
    expect(talk()).not.toMatch(/my content|very-secret/);
  });

  it("says in a sentence why it cannot begin", async () => {
    const { url } = await rawUpstream((_, response) => response.end("{}"));
    const port = url.slice(url.lastIndexOf(":") + 1);
    const taken = await runHere(["gateway", "--port", port]);
    expect(taken).toMatchObject({ code: 2, stdout: "" });
    expect(taken.stderr).toContain("something listens there already");
    const open = await runHere(["gateway", "--host", "0.0.0.0"]);
    expect(open).toMatchObject({ code: 2 });
    expect(open.stderr).toContain("LONGHAUL_GATEWAY_TOKEN");
  });
});
