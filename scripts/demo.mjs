// The main job on the bundled session: compacts it for a 64k window, then checks what came out the
// way a doubtful reader would. Offline, without a key; everything it writes is in .longhaul/.
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { anthropic } from "../dist/dialects/index.js";
import { readTranscript } from "../dist/transcripts/index.js";

const STATE = ".longhaul";
const SESSION = "examples/recorded-session/session.json.gz";
const OUT = `${STATE}/small.json`;

rmSync(STATE, { recursive: true, force: true });
mkdirSync(STATE);
const env = { ...process.env, LONGHAUL_HOME: STATE };
const args = ["compact", SESSION, "--window", "64k", "--to", "anthropic", "--out", OUT];
console.log(`$ longhaul ${args.join(" ")}\n`);
const { status } = spawnSync(process.execPath, ["dist/cli/main.js", ...args], {
  stdio: "inherit",
  env,
});
if (status !== 0) process.exit(status ?? 1);

const request = JSON.parse(readFileSync(OUT, "utf8"));
const issues = anthropic.check(request);
const handles = [
  ...new Set(JSON.stringify(request).match(/\b(?:out|parts|in|msg|head)_[0-9a-f]{16}\b/g)),
];
const files = readdirSync(`${STATE}/archive`, { recursive: true });
const archived = handles.map((handle) => originalOf(handle)).join("\n");
const outputs = await recordedOutputs();
const kept = JSON.stringify(request);
const lost = outputs.filter(
  (text) => ![kept, archived].some((place) => place.includes(inJson(text)) || place.includes(text)),
);

console.log("\nChecked");
console.log(
  `  valid     ${issues.length === 0 ? "yes" : "NO"}: ${issues.length} of Anthropic's rules broken`,
);
console.log(
  `  complete  ${lost.length === 0 ? "yes" : "NO"}: ${outputs.length - lost.length} of ${outputs.length} tool outputs found again, word for word, in the context or in the archive`,
);
console.log(`\nSee what is there:  node dist/cli/main.js inspect ${SESSION}`);
console.log(
  `Get the head back:  LONGHAUL_HOME=${STATE} node dist/cli/main.js recall ${handles.at(0)}`,
);
if (issues.length > 0 || lost.length > 0) process.exit(1);

/** The file of the archive that a handle names. */
function originalOf(handle) {
  const file = files.find((name) => path.parse(name).name === handle);
  return readFileSync(path.join(STATE, "archive", file), "utf8");
}

/** The text of every tool output of the recording. */
async function recordedOutputs() {
  const { conversations } = await readTranscript(SESSION);
  return conversations[0].messages
    .flatMap((message) => message.parts)
    .filter((part) => part.type === "tool-result")
    .map((part) => part.output.find((piece) => piece.type === "text")?.text ?? "");
}

/** A text as it stands inside a JSON string. */
function inJson(text) {
  return JSON.stringify(text).slice(1, -1);
}
