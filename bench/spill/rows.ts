/** Who runs a command whose output is large, and how. */
import { spawn } from "node:child_process";
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { directoryArchive } from "../../src/archive/directory.ts";
import { createSpill, runCommand } from "../../src/spill/index.ts";

/** Runs a line of `sh -c`, and gives the preview of what it prints. */
export type Run = (command: string) => Promise<string>;

export interface Row {
  readonly name: string;
  readonly does: string;
  /** Loads what is needed to run commands; outputs go into a folder on the disk that is measured. */
  readonly load: (folder: string) => Promise<Run>;
}

const LIMIT = 50_000;

/** A shell line whose output is the preview. */
function shell(line: (command: string, file: string) => string): Row["load"] {
  return async (folder) => async (command) => {
    const child = spawn("sh", ["-c", line(command, join(folder, "file"))], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const chunks: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    const code = await new Promise((resolve) => child.once("close", resolve));
    if (code !== 0) throw new Error(`The shell ended with ${String(code)}.`);
    return Buffer.concat(chunks).toString();
  };
}

/** The recipe that most tools use: everything in one string, cut by lines, and written at the end. */
function splitSliceJoin(command: string, folder: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn("sh", ["-c", command], { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.once("close", () => {
      const lines = output.split("\n");
      writeFileSync(join(folder, "file"), output);
      resolve(lines.slice(-2_000).join("\n"));
    });
    child.once("error", reject);
  });
}

interface PiTool {
  execute(id: string, input: { command: string }): Promise<{ content: [{ text: string }] }>;
}

async function loadPi(): Promise<(cwd: string) => PiTool> {
  const file = "../node_modules/@earendil-works/pi-coding-agent/dist/core/tools/bash.js";
  const { createBashTool } = (await import(new URL(file, import.meta.url).href)) as {
    createBashTool: (cwd: string) => PiTool;
  };
  return createBashTool;
}

export const ROWS: readonly Row[] = [
  {
    name: "`cat > FILE`",
    does: "the shell alone, no preview, nothing synced",
    load: shell((command, file) => `${command} > ${file}`),
  },
  {
    name: "`cat > FILE; sync FILE`",
    does: "the same, safe on the disk as ours is",
    load: shell((command, file) => `${command} > ${file}; sync ${file}`),
  },
  {
    name: "`tee FILE \\| tail -c`",
    does: "the shell, with a preview, nothing synced",
    load: shell((command, file) => `${command} | tee ${file} | tail -c ${LIMIT}`),
  },
  {
    name: "longhaul `runCommand`",
    does: "preview and notice; the original in the archive, synced",
    load: async (folder) => {
      const archive = directoryArchive(folder);
      return async (command) => (await runCommand({ command, archive, direction: "tail" })).text;
    },
  },
  {
    name: "longhaul `runCommand`, both ends",
    does: "the same with the direction that shells have by default; what is left out is searched for errors",
    load: async (folder) => {
      const archive = directoryArchive(folder);
      return async (command) => (await runCommand({ command, archive, direction: "both" })).text;
    },
  },
  {
    name: "longhaul `createSpill`",
    does: "preview, notice and original of a stream: the child's stdout is a pipe that Node reads",
    load: async (folder) => {
      const archive = directoryArchive(folder);
      return async (command) => {
        const spill = createSpill({ archive });
        const child = spawn("sh", ["-c", command], { stdio: ["ignore", "pipe", "inherit"] });
        child.stdout.pipe(spill.input);
        await new Promise((resolve) => child.stdout.once("end", resolve));
        return (await spill.finish()).text;
      };
    },
  },
  {
    name: "split, slice, join, write",
    does: "everything in one string, 2,000 lines kept, the whole written at the end, not synced",
    load: async (folder) => (command) => splitSliceJoin(command, folder),
  },
  {
    name: "pi 0.74.2 bash tool",
    does: "stdout and stderr as pipes, a temporary file, 2,000 lines or 50 KB kept, not synced",
    load: async (folder) => {
      const tool = (await loadPi())(folder);
      return async (command) => (await tool.execute("1", { command })).content[0].text;
    },
  },
  {
    name: "deepagents 1.14.1 LocalShellBackend",
    does: "everything in one string, the first 100,000 characters kept, the rest is lost",
    load: async (folder) => {
      const { LocalShellBackend } = await import("deepagents");
      const backend = await LocalShellBackend.create({ rootDir: folder, inheritEnv: true });
      return async (command) => (await backend.execute(command)).output;
    },
  },
];

/** The largest file that a row left in its folder or named in its preview. */
export function keptBytes(folder: string, preview: string): number {
  const named = /\/[\w./-]*pi-bash-[\w.-]+/.exec(preview)?.[0];
  const inside = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const files = [...inside.map((name) => join(folder, name)), ...(named ? [named] : [])];
  const sizes = files.filter((file) => existsSync(file)).map((file) => statSync(file).size);
  if (named !== undefined) rmSync(named, { force: true });
  return Math.max(0, ...sizes);
}
