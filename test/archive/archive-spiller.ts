import { writeSync } from "node:fs";
import { directoryArchive } from "../../src/archive/directory.ts";

/*
 * A process of its own for the tests: `archive-spiller.ts FOLDER COUNT BYTES NAME` spills COUNT
 * outputs of BYTES bytes that are NAME's own, eight at a time, and prints a handle a line.
 * `archive-spiller.ts FOLDER hold BYTES NAME` writes one, prints its path and never ends.
 */
const [folder = "", count = "", bytes = "", name = ""] = process.argv.slice(2);
// Whoever is killed must not hold the lock of a collection.
const retention = count === "hold" ? false : undefined;
const archive = directoryArchive(folder, { conversation: name, retention });

function content(index: number): string {
  const line = `${name} ${index} `;
  return line.repeat(Math.ceil(Number(bytes) / line.length)).slice(0, Number(bytes));
}

async function spill(index: number): Promise<void> {
  const file = await archive.open?.("out");
  if (file === undefined) throw new Error("this archive has no files");
  writeSync(file.fd, content(index));
  if (count === "hold") {
    process.stdout.write(`${file.path}\n`);
    await new Promise((resolve) => setTimeout(resolve, 60_000));
  }
  process.stdout.write(`${(await file.commit()).handle}\n`);
}

async function spillEvery(step: number, from: number): Promise<void> {
  for (let index = from; index < (Number(count) || 1); index += step) await spill(index);
}

await Promise.all(
  Array.from({ length: count === "hold" ? 1 : 8 }, (_, from) => spillEvery(8, from)),
);
