import { mkdir, readFile, realpath, writeFile } from "node:fs/promises";
import path from "node:path";
import { tool } from "ai";
import type { Archive } from "longhaul";
import { type CommandLine, type CommandResult, runCommand } from "longhaul/spill";
import { z } from "zod";
import type { Cut } from "./view.ts";

export interface ToolOptions {
  /** What the agent works on; read, grep and edit do not leave it. A shell command may. */
  readonly folder: string;
  readonly archive: Archive;
  /** Of one output; the rest goes to the archive. */
  readonly maxBytes: number;
  /** Is told when the output of a command was cut. */
  readonly onCut: (cut: Cut) => void;
}

/** After so long a command is ended. */
const TIMEOUT_MS = 120_000;

/** What the agent can look with: nothing here changes a file. */
export function lookTools(options: ToolOptions) {
  return {
    read: tool({
      description: "Reads a text file, or lines of it.",
      inputSchema: z.object({
        path: z.string(),
        from: z.int().min(1).optional().describe("first line"),
        to: z.int().min(1).optional().describe("last line"),
      }),
      execute: async ({ path: name, from = 1, to }) => {
        const text = await readFile(await inside(options.folder, name), "utf8");
        if (from === 1 && to === undefined) return text;
        return text
          .split("\n")
          .slice(from - 1, to)
          .join("\n");
      },
    }),
    grep: tool({
      description: "Finds lines by an extended regular expression, in a file or below a folder.",
      inputSchema: z.object({ pattern: z.string(), path: z.string() }),
      execute: async ({ pattern, path: name }, { abortSignal }) => {
        await inside(options.folder, name);
        const flags = ["-rnIE", "--exclude-dir=node_modules", "--exclude-dir=.git"];
        const args = [...flags, "-e", pattern, "--", name];
        const { exitCode, text } = await run({ file: "grep", args }, options, abortSignal);
        return exitCode === 1 ? "No match." : text;
      },
    }),
  };
}

/** What the agent can change something with. */
export function changeTools(options: ToolOptions) {
  return {
    edit: tool({
      description:
        "Replaces a text in a file; it must be there exactly once. With an empty `old`, writes a whole new file.",
      inputSchema: z.object({ path: z.string(), old: z.string(), new: z.string() }),
      execute: async (input) => edit(await inside(options.folder, input.path), input),
    }),
    bash: tool({
      description: "Runs a shell command in the project's folder.",
      inputSchema: z.object({ command: z.string() }),
      execute: async ({ command }, { abortSignal }) => {
        const { text, exitCode, signal } = await run({ command }, options, abortSignal);
        const ending = exitCode === undefined ? `ended by ${signal}` : `exit code ${exitCode}`;
        return exitCode === 0 ? text || "(no output)" : `${text}\n(${ending})`;
      },
    }),
  };
}

async function run(
  line: CommandLine,
  { folder, maxBytes, archive, onCut }: ToolOptions,
  signal: AbortSignal | undefined,
): Promise<CommandResult> {
  const result = await runCommand({
    ...line,
    archive,
    cwd: folder,
    limits: { maxBytes },
    timeoutMs: TIMEOUT_MS,
    ...(signal && { signal }),
  });
  const { truncation, entry } = result;
  if (truncation.isTruncated) {
    onCut({ tool: line.file ?? "bash", truncation, handle: entry?.handle });
  }
  return result;
}

async function edit(
  file: string,
  { path: name, old, new: text }: { path: string; old: string; new: string },
): Promise<string> {
  if (old === "") {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text, { flag: "wx" });
    return `Wrote ${name}.`;
  }
  const before = await readFile(file, "utf8");
  const [start = "", end, ...more] = before.split(old);
  if (end === undefined) throw new Error(`The old text is not in ${name}; read it again.`);
  if (more.length > 0) throw new Error(`The old text is ${more.length + 1} times in ${name}.`);
  await writeFile(file, `${start}${text}${end}`);
  return `Changed ${name}.`;
}

/** The file of this name, which must be in the folder, also when a symbolic link leads to it. */
async function inside(folder: string, name: string): Promise<string> {
  const root = await realpath(folder);
  const real = await realFile(path.resolve(root, name));
  const way = path.relative(root, real);
  if (way.split(path.sep)[0] === ".." || path.isAbsolute(way)) {
    throw new Error(`${name} is not in the project's folder.`);
  }
  return real;
}

/** Where a file is that may not be there yet: the folders above it may be symbolic links, too. */
async function realFile(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch (error) {
    const parent = path.dirname(file);
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || parent === file) throw error;
    return path.join(await realFile(parent), path.basename(file));
  }
}
