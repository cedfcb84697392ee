import { transcriptFormats, WRITE_TARGETS } from "../transcripts/index.ts";
import { type CommonOptions, type Io, printJson, printLines } from "./io.ts";

/** `longhaul formats`: what can be read and what can be written. */
export function formatsCommand(io: Io, { json }: CommonOptions): void {
  // A format that is kept in two shapes stands in the list twice; its first entry names it.
  const read = transcriptFormats
    .filter(({ name }, index) => transcriptFormats.findIndex((one) => one.name === name) === index)
    .map(({ name, title, location }) => ({
      name,
      title,
      ...(location !== undefined && { location }),
    }));
  if (json === true) {
    printJson(io, { version: 1, read, write: WRITE_TARGETS });
    return;
  }
  const width = Math.max(...read.map(({ name }) => name.length));
  const titles = Math.max(...read.map(({ title }) => title.length));
  printLines(io, [
    "Read (recognised by content, plain or gzip):",
    ...read.map(({ name, title, location = "" }) =>
      `  ${name.padEnd(width)}  ${title.padEnd(titles)}  ${location}`.trimEnd(),
    ),
    "",
    "Write (--to):",
    ...WRITE_TARGETS.map((name) => `  ${name}`),
  ]);
}
