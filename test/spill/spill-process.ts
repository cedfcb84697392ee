/**
 * A process of its own for the tests: `run FOLDER COMMAND` runs a command with an archive,
 * `stream FOLDER BYTES` puts that many bytes through a spill. Prints what came out and the growth
 * of the process in bytes.
 */
import { directoryArchive } from "../../src/archive/directory.ts";
import { createSpill, runCommand } from "../../src/spill/index.ts";

const [mode, folder = "", what = ""] = process.argv.slice(2);
const archive = directoryArchive(folder);
const LINE = Buffer.from(`${"a line of an output that is much too long to be read ".repeat(2)}\n`);

async function stream(bytes: number): Promise<number> {
  const spill = createSpill({ archive });
  const writer = spill.web.getWriter();
  const block = Buffer.concat(Array.from({ length: 600 }, () => LINE));
  for (let sent = 0; sent < bytes; sent += block.length) await writer.write(block);
  return (await spill.finish()).truncation.total.bytes;
}

async function run(command: string): Promise<number> {
  return (await runCommand({ command, archive })).truncation.total.bytes;
}

// One of each, so that what is loaded and compiled once is not counted.
await (mode === "stream" ? stream(200_000) : run("seq 100000"));
const before = process.resourceUsage().maxRSS;
process.stdout.write("ready\n");
const bytes = await (mode === "stream" ? stream(Number(what)) : run(what));
const grown = (process.resourceUsage().maxRSS - before) * 1_024;
process.stdout.write(`${JSON.stringify({ bytes, grown })}\n`);
