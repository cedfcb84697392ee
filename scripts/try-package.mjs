// Packs this package, installs the tarball into an empty project, and uses it there under each
// Node version named on the command line: the library as ESM, the command line on the bundled
// session. The npm package `node` brings the versions.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const versions = process.argv.slice(2);
const session = path.resolve("examples/recorded-session/session.json.gz");
const work = mkdtempSync(path.join(tmpdir(), "longhaul-package-"));

function run(command, args, options = {}) {
  return execFileSync(command, args, { encoding: "utf8", cwd: work, ...options });
}

function npm(args, cwd = work) {
  return run("npm", [...args, "--no-audit", "--no-fund", "--loglevel=error"], { cwd });
}

const PROGRAM = `
import { createContext, isContextError } from "longhaul";
import { directoryArchive } from "longhaul/archive/directory";
import { aiSdk, anthropic, openaiChat, openaiResponses } from "longhaul/dialects";
import { readTranscript } from "longhaul/transcripts";
const { conversations } = await readTranscript(process.argv[2]);
for (const dialect of [aiSdk, anthropic, openaiChat, openaiResponses]) {
  const context = createContext({ window: 64_000, traits: dialect.traits, archive: directoryArchive(process.argv[3]) });
  const { messages, report } = await context.prepare(conversations[0].messages, { force: true });
  const issues = dialect.check(dialect.encode(messages));
  if (report.action !== "compact" || issues.length > 0) throw new Error(JSON.stringify({ report, issues }));
  await context.recall(report.head.handle);
  const error = await context.recall("out_0000000000000000").catch((reason) => reason);
  if (!isContextError(error)) throw new Error("a missing handle must be a ContextError");
}
console.log("library ok");
`;

try {
  npm(["run", "build"], process.cwd());
  npm(["pack", "--pack-destination", work], process.cwd());
  const tarball = readdirSync(work).find((name) => name.endsWith(".tgz"));
  writeFileSync(path.join(work, "package.json"), '{ "private": true, "type": "module" }');
  npm(["install", path.join(work, tarball)]);
  writeFileSync(path.join(work, "program.mjs"), PROGRAM);
  for (const version of versions) {
    const home = path.join(work, `node-${version}`);
    mkdirSync(home);
    writeFileSync(path.join(home, "package.json"), '{ "private": true }');
    npm(["install", `node@${version}`], home);
    const node = path.join(home, "node_modules", "node", "bin", "node");
    const env = { ...process.env, LONGHAUL_HOME: path.join(home, "state") };
    const library = run(node, ["program.mjs", session, path.join(home, "archive")], { env });
    const cli = path.join(work, "node_modules", "longhaul", "dist", "cli", "main.js");
    const report = JSON.parse(
      run(node, [cli, "compact", session, "--window", "64k", "--out", "small.json", "--json"], {
        env,
      }),
    );
    if (report.action !== "compact")
      throw new Error(`unexpected report: ${JSON.stringify(report)}`);
    console.log(`Node ${run(node, ["--version"]).trim()}: ${library.trim()}, command line ok`);
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
