// The agent client: installs opencode from npm into a folder of its own and runs it turn by turn.
import { execFile, spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

export const CLIENT_VERSION = "1.18.33";
export const RIPGREP_VERSION = "1.18.0";
export const MODEL = "scripted-model";

const HUGE_WINDOW = 2_000_000;

/**
 * Installs the client, and ripgrep for its search tools (it would download one itself otherwise).
 *
 * @param {string} folder
 * @returns {Promise<{ opencode: string, tools: string }>} the program, and a folder for PATH
 */
export async function installClient(folder) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  const packages = [`opencode-ai@${CLIENT_VERSION}`, `@vscode/ripgrep@${RIPGREP_VERSION}`];
  const options = ["--no-audit", "--no-fund", "--no-package-lock"];
  await promisify(execFile)("npm", ["install", ...options, ...packages], { cwd: folder });
  return {
    opencode: join(folder, "node_modules/.bin/opencode"),
    tools: join(folder, `node_modules/@vscode/ripgrep-${process.platform}-${process.arch}/bin`),
  };
}

/**
 * Writes the client's configuration: one provider, on loopback, with a window that is never full, so
 * that the client's own compaction does not fire.
 *
 * @param {string} home
 * @param {string} modelUrl
 * @returns {string} the path of the configuration
 */
export function writeClientConfig(home, modelUrl) {
  const model = {
    name: "Scripted model",
    tool_call: true,
    reasoning: true,
    limit: { context: HUGE_WINDOW, output: 32_000 },
  };
  const provider = {
    npm: "@ai-sdk/openai-compatible",
    name: "Scripted",
    options: { baseURL: modelUrl, apiKey: "none" },
    models: { [MODEL]: model },
  };
  const config = {
    autoupdate: false,
    share: "disabled",
    permission: "allow",
    enabled_providers: ["scripted"],
    model: `scripted/${MODEL}`,
    compaction: { auto: false, prune: false },
    provider: { scripted: provider },
  };
  const path = join(home, "opencode.json");
  writeFileSync(path, `${JSON.stringify(config, null, 2)}\n`);
  return path;
}

/**
 * Creates a runner for the client.
 *
 * @param {{ opencode: string, project: string, env: NodeJS.ProcessEnv, scratch: string }} place
 */
export function createClient({ opencode, project, env, scratch }) {
  const run = (args, input) => runToFile({ opencode, args, input, cwd: project, env, scratch });
  return {
    /** One user turn; the text goes in through stdin, so that the client does not put it in quotes. */
    async say(text, { first }) {
      return run(["run", ...(first ? [] : ["--continue"]), "--format", "json"], text);
    },
    async findSession() {
      const { output } = await run(["session", "list"], "");
      return /ses_\w+/.exec(output)?.[0];
    },
    async exportSession(id) {
      const { output } = await run(["export", id], "");
      return output.slice(output.indexOf("{"));
    },
  };
}

/** Output goes to a file, not to a pipe: a client that exits early can cut a pipe short. */
async function runToFile({ opencode, args, input, cwd, env, scratch }) {
  mkdirSync(dirname(scratch), { recursive: true });
  const out = openSync(scratch, "w");
  const child = spawn(opencode, args, { cwd, env, stdio: ["pipe", out, "pipe"] });
  let errors = "";
  child.stderr.on("data", (data) => {
    errors += data;
  });
  child.stdin.end(input);
  const code = await new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  closeSync(out);
  if (code !== 0) {
    throw new Error(`opencode ${args.join(" ")} ended with code ${code}: ${errors.slice(-2000)}`);
  }
  return { code, output: readFileSync(scratch, "utf8") };
}
