import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { startUpstream, type ViewResult } from "../provider/index.ts";
import { CLIENTS, clients, homeEnv, type Place, run, write } from "./clients.ts";

/*
 * Tools whose responses have a shape of their own. Claude Code passes over an answer of another shape
 * without a word: a truncated text inside its own frame shows that it took ours.
 */

const MAIN = path.resolve("test/.built/main.js");
const claude = clients["claude-code"];
const HANDLE = /\bout_[0-9a-f]{16}\b/;
/** Glob and Grep are there only where they are named. */
const TOOLS = "Bash,Glob,Grep,WebFetch,WebSearch";
const MAX_BYTES = 3_000;

/** Glob gives no more than 100. */
const files = Array.from({ length: 100 }, (_, at) => `file-with-a-rather-long-name-${at}.txt`);
const found = files.map((name, at) => `${name}:1:needle ${at} ${"x".repeat(40)}`);
const answers = Array.from({ length: 600 }, (_, at) => `line ${at} of what the web says`);

interface Case {
  readonly title: string;
  readonly tool: string;
  readonly input: (page: string) => unknown;
  /** How Claude Code shows the response to the model. */
  readonly frame: RegExp;
  /** The lines of the original, in any order. */
  readonly original: readonly string[];
}

const CASES: readonly Case[] = [
  {
    title: "Glob",
    tool: "Glob",
    input: () => ({ pattern: "**/*.txt" }),
    frame: /^file-with-a-rather-long-name-\d+\.txt\n/,
    original: files,
  },
  {
    title: "Grep for lines",
    tool: "Grep",
    input: () => ({ pattern: "needle", output_mode: "content", head_limit: 0 }),
    frame: /^file-with-a-rather-long-name-\d+\.txt:1:needle/,
    original: found,
  },
  {
    title: "Grep for files",
    tool: "Grep",
    input: () => ({ pattern: "needle", head_limit: 0 }),
    frame: /^Found 100 files/,
    original: files,
  },
  {
    title: "WebSearch",
    tool: "WebSearch",
    input: () => ({ query: "SAY MUCH" }),
    frame: /^Web search results for query: "SAY MUCH"/,
    original: answers,
  },
  {
    title: "WebFetch",
    tool: "WebFetch",
    input: (url) => ({ url, prompt: "SAY MUCH" }),
    frame: /^line 0 of what the web says/,
    original: answers,
  },
];

/** A page on this computer; Claude Code fetches nothing without TLS. */
async function startPage(folder: string) {
  const [key, cert] = [path.join(folder, "key.pem"), path.join(folder, "cert.pem")];
  const subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"];
  const made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1"];
  execFileSync("openssl", [...made, "-keyout", key, "-out", cert, ...subject], { stdio: "ignore" });
  const options = { key: readFileSync(key), cert: readFileSync(cert) };
  const server = createServer(options, (_, response) => response.end("A page."));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `https://127.0.0.1:${port}/page`, cert, close: () => server.close() };
}

/** One session that calls them all; what came back, and where the originals are. */
async function play() {
  const home = mkdtempSync(path.join(os.tmpdir(), "longhaul-claude-tools-"));
  const cwd = path.join(home, "work");
  mkdirSync(cwd);
  for (const [at, name] of files.entries()) {
    writeFileSync(path.join(cwd, name), `${found[at]!.slice(name.length + ":1:".length)}\n`);
  }
  const page = await startPage(home);
  let results: readonly ViewResult[] = [];
  const upstream = await startUpstream({
    window: 200_000,
    script: ({ tools, messages }) => {
      if (!tools.some(({ name }) => name === "Glob")) {
        return JSON.stringify(messages).includes("SAY MUCH") ? answers.join("\n") : "A title";
      }
      results = messages.flatMap((message) => message.results);
      const next = CASES[results.length];
      if (next === undefined) return "That is all.";
      return { parts: [{ type: "call", name: next.tool, input: next.input(page.url) }] };
    },
  });
  const place: Place = { home, cwd, upstream };
  const state = path.join(home, "state");
  try {
    claude.configure(place);
    // Without this its maker's servers are asked whether an address is safe.
    write(path.join(home, ".claude", "settings.json"), { skipWebFetchPreflight: true });
    const trust = { NODE_EXTRA_CA_CERTS: page.cert };
    const env = { ...homeEnv(home), LONGHAUL_HOME: state, ...trust, ...claude.env(place) };
    const plugin = [MAIN, "plugin", "claude-code", "--max-bytes", String(MAX_BYTES)];
    expect(await run(process.execPath, plugin, { cwd, env })).toMatchObject({ code: 0 });
    const args = ["--tools", TOOLS, ...claude.args("CALL THEM")];
    const ran = await run(path.join(CLIENTS, claude.folder), args, { cwd, env });
    expect(ran).toMatchObject({ code: 0 });
  } finally {
    await upstream.close();
    page.close();
  }
  return { results, refusals: upstream.refusals, archive: path.join(state, "archive") };
}

function originalOf(output: string, archive: string): readonly string[] {
  const handle = HANDLE.exec(output)?.[0] ?? "no handle";
  const names = readdirSync(archive, { recursive: true, encoding: "utf8" });
  const name = names.find((each) => path.basename(each) === `${handle}.txt`);
  if (name === undefined) return [];
  return readFileSync(path.join(archive, name), "utf8").trimEnd().split("\n");
}

describe("tools of Claude Code with Longhaul inside", () => {
  const isInstalled = existsSync(path.join(CLIENTS, claude.folder));

  it.skipIf(!isInstalled)("are truncated in their own shape, and lose nothing", async () => {
    const { results, refusals, archive } = await play();
    expect(refusals).toEqual([]);
    expect(results).toHaveLength(CASES.length);
    for (const [at, { title, frame, original }] of CASES.entries()) {
      const { output, isError } = results[at]!;
      // The notice says how to read the whole; its paths are of the home folder.
      const isShort = output.length < MAX_BYTES + 1_500;
      const whole = [...originalOf(output, archive)].sort();
      expect({ title, output, isError, isShort, whole }).toEqual({
        title,
        output: expect.stringMatching(frame),
        isError: false,
        isShort: true,
        whole: [...original].sort(),
      });
    }
  });
});
