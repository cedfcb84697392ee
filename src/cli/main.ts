#!/usr/bin/env node
import { readFileSync } from "node:fs";
import * as modules from "node:module";
import { fileURLToPath } from "node:url";
import { hasNoDescriptors, NO_DESCRIPTORS } from "./descriptors.ts";

/** The package's own version; the file stands at the same place beside `src` and beside `dist`. */
function packageVersion(): string {
  const file = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(file) as { version: string }).version;
}

// A reader that closes the pipe early (`| head`) is no error, and `run` keeps the code of its command.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit();
  process.stderr.write(
    `longhaul: the result could not be written (${error.code ?? error.message}).\n`,
  );
  process.exit(1);
});

// Talk that nobody hears changes nothing.
process.stderr.on("error", () => undefined);

/** The shell's own name for a folder that was removed under its feet, which the system no longer has. */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    return process.env["PWD"] ?? "/";
  }
}

const io = {
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: currentFolder(),
  program: fileURLToPath(import.meta.url),
};
// Node 22.1 and newer keep compiled code from one start to the next; the program is loaded after that.
(modules as { enableCompileCache?: () => unknown }).enableCompileCache?.();
try {
  const { runProgram } = await import("./program.ts");
  process.exitCode = await runProgram(io, process.argv.slice(2), packageVersion());
} catch (error) {
  if (!hasNoDescriptors(error)) throw error;
  process.stderr.write(`longhaul: ${NO_DESCRIPTORS}\n`);
  process.exitCode = 1;
}
