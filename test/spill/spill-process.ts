/**
 * A process of its own for the tests: `run FOLDER COMMAND` runs a command with an archive,
 * `stream FOLDER BYTES` puts that many bytes through a spill, `crowded FOLDER COMMAND` uses up all
 * descriptors while a command runs. Prints what came out and the growth
 * of the process in bytes.
 */
import { closeSync, openSync } from "node:fs";
import { pipeline } from "node:stream/promises";
import { directoryArchive } from "../../src/archive/directory.ts";
import { createSpill, runCommand } from "../../src/spill/index.ts";

const [mode, folder = "", what = ""] = process.argv.slice(2);
const archive = directoryArchive(folder);
const LINE = Buffer.from(`${"a line of an output that is much too long to be read ".repeat(2)}\n`);

async function stream(bytes: number): Promise<number> {
  const spill = createSpill({ archive });
  const block = Buffer.concat(Array.from({ length: 600 }, () => LINE));
  const blocks = Array.from({ length: Math.ceil(bytes / block.length) }, () => block);
  await pipeline(blocks, spill.input);
  return (await spill.finish()).truncation.total.bytes;
}

async function run(command: string): Promise<number> {
  return (await runCommand({ command, archive })).truncation.total.bytes;
}

/** The command goes on until it is told that there is no descriptor left. */
async function crowded(command: string): Promise<number> {
  const taken: number[] = [];
  const onProgress = (): void => {
    try {
      while (taken.length < 100_000) taken.push(openSync("/dev/null", "r"));
    } catch {
      // That was the last one.
    }
  };
  const { truncation } = await runCommand({ command, archive, timeoutMs: 500, onProgress });
  for (const fd of taken) closeSync(fd);
  return truncation.total.bytes;
}

// One of each, so that what is loaded and compiled once is not counted.
await (mode === "stream" ? stream(200_000) : run("seq 100000"));
const before = process.resourceUsage().maxRSS;
process.stdout.write("ready\n");
const bytes = await (mode === "stream"
  ? stream(Number(what))
  : mode === "crowded"
    ? crowded(what)
    : run(what));
const grown = (process.resourceUsage().maxRSS - before) * 1_024;
process.stdout.write(`${JSON.stringify({ bytes, grown })}\n`);
