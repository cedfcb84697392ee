import type { Command } from "commander";
import { transcriptFormats } from "../transcripts/formats.ts";
import { WRITE_TARGETS } from "../transcripts/write.ts";
import { type CommonOptions, type Io, tell } from "./io.ts";

/** `longhaul formats`: what can be read and what can be written. */
export function define(command: Command, io: Io): void {
  command
    .description(
      "Lists the session formats that can be read, where their agents keep them, and the formats that can be written.",
    )
    .action((options) => formatsCommand(io, options));
}

function formatsCommand(io: Io, flags: CommonOptions): void {
  // A format that is kept in two shapes stands in the list twice; its first entry names it.
  const read = transcriptFormats
    .filter(({ name }, index) => transcriptFormats.findIndex((one) => one.name === name) === index)
    .map(({ name, title, location }) => ({ name, title, location }));
  const wide = Math.max(...read.map(({ name }) => name.length));
  tell(io, flags, { read, write: WRITE_TARGETS }, () => [
    "Read (recognised by content, plain, gzip or zstd):",
    ...read.flatMap(({ name, title, location }) => [
      `  ${name.padEnd(wide)}  ${title}`,
      ...(location === undefined ? [] : [`  ${" ".repeat(wide)}  ${location}`]),
    ]),
    "",
    "Write (--to):",
    ...WRITE_TARGETS.map((name) => `  ${name}`),
  ]);
}
