import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { rawRequest, rawUpstream } from "../gateway/raw-upstream.ts";
import { MAIN, runCli, temporaryFolder } from "./run-cli.ts";

interface Started {
  readonly child: ChildProcess;
  readonly line: string;
  readonly exit: Promise<number | null>;
  readonly talk: () => string;
}

/** The command in a process of its own, once it has said where it listens. */
async function start(args: readonly string[]): Promise<Started> {
  const env = { ...process.env, LONGHAUL_HOME: path.join(temporaryFolder(), "state") };
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
    const { line } = await start([]);
    const port = line.slice(line.lastIndexOf(":") + 1);
    const taken = await runCli(["gateway", "--port", port]);
    expect(taken).toMatchObject({ code: 2, stdout: "" });
    expect(taken.stderr).toContain("something listens there already");
    const open = await runCli(["gateway", "--host", "0.0.0.0"]);
    expect(open).toMatchObject({ code: 2 });
    expect(open.stderr).toContain("LONGHAUL_GATEWAY_TOKEN");
  });
});
