import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, it, onTestFinished } from "vitest";
import { directoryArchive } from "../../src/archive/directory.ts";
import { type McpOptions, mcpTools } from "../../src/cli/mcp-tools.ts";
import { createMcpServer } from "../../src/mcp/server.ts";
import { sample } from "../property/runs.ts";
import { claudeCodeLines } from "../transcripts/claude-code-lines.ts";
import { capturedIo } from "./captured-io.ts";
import { MAIN, runCli, runHere, temporaryFolder } from "./run-cli.ts";

/** The environment of a server for a person's home. */
function environmentOf(home: string, env: object): Record<string, string> {
  return { HOME: home, LONGHAUL_HOME: path.join(home, "state"), ...env };
}

/** A server in this process, and what its tools say. */
async function serve(home: string, options: McpOptions = {}, env: object = {}) {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const io = capturedIo({ env: environmentOf(home, env) });
  await createMcpServer("1", mcpTools(io, options)).connect(far);
  return connected(near);
}

/** A server as an agent starts it. */
function serveApart(home: string, args: readonly string[]) {
  const words = [MAIN, "mcp", ...args];
  const env = environmentOf(home, {});
  return connected(new StdioClientTransport({ command: process.execPath, args: words, env }));
}

async function connected(transport: InMemoryTransport | StdioClientTransport) {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  onTestFinished(() => client.close());
  const call = async (name: string, input: Record<string, unknown> = {}, meta?: object) => {
    const { content } = await client.callTool({
      name,
      arguments: input,
      ...(meta && { _meta: { ...meta } }),
    });
    return content.map((piece) => (piece.type === "text" ? piece.text : piece.type)).join("\n");
  };
  return { client, call };
}

function archiveOf(home: string, conversation: string) {
  return directoryArchive(path.join(home, "state", "archive"), { conversation });
}

const ofS1 = { CLAUDE_CODE_SESSION_ID: "s1" };

describe("longhaul mcp", () => {
  it("has three tools that read only, which every model sees at once", async () => {
    const { client } = await serve(temporaryFolder(), { all: true });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["recall", "search", "window"]);
    for (const tool of tools) {
      expect(tool).toMatchObject({
        annotations: { readOnlyHint: true },
        _meta: { "anthropic/alwaysLoad": true },
      });
    }
    expect(client.getInstructions()).toContain("recall");
  });

  it("gives back a part of what its session archived, and nothing of another one", async () => {
    const home = temporaryFolder();
    const { handle } = await archiveOf(home, "s1").put("out", "one\ntwo\nthree\n");
    const other = await archiveOf(home, "s2").put("out", "a secret of another session\n");
    const { call } = await serve(home, {}, ofS1);
    expect(await call("recall", { handle, lines: [2, 2] })).toMatch(/^two\n<archive-result/);
    expect(await call("recall", { handle: other.handle })).toContain("nothing under");
    const named = await call("recall", { handle: other.handle, session: "s2" });
    expect(named).toContain("no property session");
    expect(await call("search", { pattern: "secret" })).toContain("Nothing that was archived");
    const { call: all } = await serve(home, { all: true }, ofS1);
    expect(await all("recall", { handle: other.handle })).toContain("a secret of another session");
  });

  it.each([
    ["Codex with the call", {}, {}, { sessionId: "s1" }, {}],
    ["a hook in the call", { sessionOfCall: true }, { session: "s1" }, {}, { ...ofS1, X: "s2" }],
    ["the person", { session: "s1" }, {}, {}, {}],
  ])("is told its session by %s", async (_, options, input, meta, env) => {
    const home = temporaryFolder();
    const { handle } = await archiveOf(home, "s1").put("out", "found\n");
    const { call } = await serve(home, options, env);
    expect(await call("recall", { handle, ...input }, meta)).toContain("found");
  });

  const starts: readonly [string, (args: readonly string[]) => readonly string[]][] = [
    ["as it is written", (args) => args],
    ["with --all instead", (args) => [...args.slice(0, -1), "--all"]],
    ["with --all as well", (args) => [...args, "--all"]],
  ];
  it.each(sample(starts, 2))(
    "serves Claude Code's plugin, whose hook names the session: %s",
    async (_, changed) => {
      const home = temporaryFolder();
      const dir = path.join(home, "plugin");
      const env = { HOME: home, LONGHAUL_HOME: path.join(home, "state") };
      expect(await runHere(["plugin", "claude-code", "--dir", dir], { env })).toMatchObject({
        code: 0,
      });
      const config = JSON.parse(readFileSync(path.join(dir, ".mcp.json"), "utf8"));
      const { command, args } = config.mcpServers.longhaul;
      expect([command, ...args]).toEqual([process.execPath, MAIN, "mcp", "--session-of-call"]);
      const { handle } = await archiveOf(home, "s1").put("out", "the port is 4711\n");
      const { call } = await serveApart(home, changed(args.slice(2)));
      const hooked = { session: "s1", transcript: path.join(home, "s1.jsonl") };
      expect(await call("recall", { handle, ...hooked })).toContain("the port is 4711");
      expect(await call("search", { pattern: "4711", ...hooked })).toContain(handle);
    },
  );

  it("says what to do where nobody tells it the session", async () => {
    const { call } = await serve(temporaryFolder());
    expect(await call("search", { pattern: "x" })).toContain("--session ID");
    expect(await call("window")).toContain("--session ID");
  });

  it("finds what Claude Code compacted away, and says how full the window is now", async () => {
    const home = temporaryFolder();
    const session = claudeCodeLines("s1");
    session.user("Remember that the port is 4711.");
    session.step({ tool: "Bash", input: { command: "ls" }, output: "a.ts b.ts" });
    session.compact("They talked about a port.");
    session.step({ tool: "Bash", input: { command: "date" }, output: "Monday ".repeat(900) });
    const folder = path.join(home, ".claude", "projects", "-repo");
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, "s1.jsonl"), session.text());
    const { call } = await serve(home, {}, ofS1);
    const found = await call("search", { pattern: "4711" });
    const [handle = ""] = /head_[0-9a-f]{16}/.exec(found) ?? [];
    expect(await call("recall", { handle })).toContain("Remember that the port is 4711.");
    const view = await call("window");
    expect(view).toMatch(/Window +200,000 tokens/);
    expect(view).toMatch(/tool results +1,\d\d\d/);
    expect(view).toContain("Bash");
  });

  it("refuses a question of a newer protocol by the book, and ends with whoever started it", async () => {
    const ask = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "server/discover", params: {} });
    const { code, stdout, stderr } = await runCli(["mcp", "--all"], { input: `${ask}\n` });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({ id: 1, error: { code: -32601 } });
  });
});
