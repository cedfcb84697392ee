import { directoryArchive } from "../../src/archive/directory.ts";

/*
 * A process of its own for the tests: `archive-writer.ts FOLDER COUNT [UMASK]` stores COUNT
 * originals of 200 kB that are the same in every such process, and prints `stored` after the first.
 */
const [folder = "", count = "", umask = ""] = process.argv.slice(2);
if (umask !== "") process.umask(Number.parseInt(umask, 8));
const archive = directoryArchive(folder);
for (let index = 0; index < Number(count); index++) {
  await archive.put("out", `original ${index}\n`.repeat(12_000));
  if (index === 0) process.stdout.write("stored\n");
}
