// Records a session of opencode with a scripted model. Run: node examples/recorded-session/record.mjs
// Needs Node 20 or newer, npm with a registry, and git. Everything happens under /tmp/longhaul-demo.
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { hostname, homedir, userInfo } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { checkCounts, findSurprises } from "./checks.mjs";
import { createClient, installClient, MODEL, writeClientConfig } from "./client.mjs";
import { countSession } from "./count.mjs";
import { startModelServer } from "./model-server.mjs";
import { TITLE, TURNS } from "./scenario/index.mjs";
import { PROJECT } from "./scenario/calls.mjs";
import { scrub } from "./scrub.mjs";
import { createProject } from "./seed.mjs";

const BASE = dirname(PROJECT);
const HOME = join(BASE, "home");
const TARGET = new URL("./session.json.gz", import.meta.url);

async function main() {
  rmSync(BASE, { recursive: true, force: true });
  mkdirSync(HOME, { recursive: true });
  log("installing the client");
  const { opencode, tools } = await installClient(join(BASE, "client"));
  log("creating the project");
  prepareHome();
  const env = createEnvironment(tools);
  createProject(PROJECT, env);
  execFileSync("npm", ["install", "--no-audit", "--no-fund"], { cwd: PROJECT, stdio: "pipe" });
  const text = await recordSession(opencode, env);
  const session = scrub(JSON.parse(text), secretsOfThisMachine());
  const failures = verify(session);
  if (failures.length > 0) {
    throw new Error(`the recording is not as it should be:\n${failures.join("\n")}`);
  }
  writeFileSync(TARGET, gzipSync(`${JSON.stringify(session, null, 2)}\n`, { level: 9 }));
  console.log(JSON.stringify(countSession(session), null, 2));
}

async function recordSession(opencode, env) {
  const steps = TURNS.flatMap((turn) => turn.steps);
  const server = await startModelServer({ steps, title: TITLE, model: MODEL });
  const config = writeClientConfig(HOME, server.url);
  const client = createClient({
    opencode,
    project: PROJECT,
    env: { ...env, OPENCODE_CONFIG: config },
    scratch: join(BASE, "scratch/output"),
  });
  for (const [index, turn] of TURNS.entries()) {
    log(`turn ${index + 1} of ${TURNS.length}, ${turn.steps.length} steps`);
    await client.say(turn.user, { first: index === 0 });
  }
  const text = await client.exportSession(await client.findSession());
  await server.close();
  if (server.failures.length > 0) {
    throw new Error(`the model server met something unexpected:\n${server.failures.join("\n")}`);
  }
  return text;
}

/** The session must be as scripted, and the project must be healthy at its end. */
function verify(session) {
  const steps = TURNS.flatMap((turn) => turn.steps);
  const expected = { turns: TURNS.length, steps: steps.length };
  return [
    ...findSurprises(session, steps),
    ...checkCounts(countSession(session), expected),
    ...checkProject(),
  ];
}

function checkProject() {
  /** @type {[string, string[]][]} */
  const commands = [
    ["npm", ["test"]],
    ["npm", ["run", "lint"]],
    ["git", ["diff", "--exit-code", "HEAD"]],
  ];
  return commands.flatMap(([program, args]) => {
    try {
      execFileSync(program, args, { cwd: PROJECT, stdio: "pipe" });
      return [];
    } catch (error) {
      return [`${program} ${args.join(" ")} failed: ${error.stdout}`];
    }
  });
}

function prepareHome() {
  writeFileSync(
    join(HOME, ".gitconfig"),
    "[user]\n\tname = Mira Vale\n\temail = mira@tillroll.example\n[advice]\n\tdetachedHead = false\n",
  );
}

/** A clean environment: nothing of the machine's own settings gets into the session. */
function createEnvironment(tools) {
  const programs = [tools, dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"];
  return {
    PATH: programs.join(delimiter),
    HOME,
    LANG: "C.UTF-8",
    TZ: "UTC",
    TERM: "dumb",
    NO_COLOR: "1",
    GIT_PAGER: "cat",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    npm_config_fetch_retries: "0",
    npm_config_update_notifier: "false",
  };
}

function secretsOfThisMachine() {
  return { host: hostname(), home: homedir(), user: userInfo().username };
}

function log(text) {
  console.error(`[record] ${text}`);
}

await main();
