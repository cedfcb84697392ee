import { spawn } from "node:child_process";
import { constants } from "node:fs";
import { access, mkdtemp, open, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { ContextError } from "../../core/error.ts";
import type { Io } from "../io.ts";
import type { FoundSession, SessionSearch } from "./session-search.ts";

/** Sessions asked of the program; more are not shown anyway. */
const MAX_LISTED = "100";
/** ms; the program answers in one or two seconds. */
const LIST_TIMEOUT = 10_000;
const EXPORT_TIMEOUT = 120_000;

/**
 * The sessions that the `opencode` program on the PATH lists for the project of the working
 * directory; without the program, a hint.
 */
export async function findProgramSessions(
  io: Io,
  database: string,
): Promise<Omit<SessionSearch, "place">> {
  const program = await programOnPath(io, "opencode");
  const hint = `${database} holds opencode sessions that this Node (${process.versions.node}) cannot read; use Node 22.5 or newer, or: opencode export ID > session.json`;
  if (program === undefined) return { sessions: [], skipped: 0, hint };
  try {
    const args = ["session", "list", "--format", "json", "--max-count", MAX_LISTED];
    const output = await run(io, program, { args, timeout: LIST_TIMEOUT });
    const listed: unknown = JSON.parse(output.toString("utf8") || "[]");
    const sessions = Array.isArray(listed)
      ? listed.flatMap((one) => listedSession(io, program, one))
      : [];
    const onlyHere = `opencode lists only the sessions of the project in ${io.cwd}; Node 22.5 or newer shows all.`;
    return { sessions, skipped: 0, hint: onlyHere };
  } catch {
    return { sessions: [], skipped: 1, hint };
  }
}

function listedSession(io: Io, program: string, listed: unknown): FoundSession[] {
  const { id, title, updated } = (listed ?? {}) as Record<string, unknown>;
  // The id goes into a command line.
  if (typeof id !== "string" || !/^ses_\w+$/.test(id)) return [];
  return [
    {
      agent: "opencode",
      title: typeof title === "string" ? title : id,
      path: undefined,
      bytes: undefined,
      modifiedAt: typeof updated === "number" ? updated : 0,
      name: id,
      isSlow: true,
      load: () => run(io, program, { args: ["export", id], timeout: EXPORT_TIMEOUT }),
    },
  ];
}

async function programOnPath({ env }: Io, name: string): Promise<string | undefined> {
  for (const folder of (env["PATH"] ?? "").split(path.delimiter)) {
    if (folder === "") continue;
    const file = path.join(folder, process.platform === "win32" ? `${name}.exe` : name);
    const isProgram = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isProgram) return file;
  }
  return undefined;
}

interface RunOptions {
  readonly args: readonly string[];
  /** ms. */
  readonly timeout: number;
}

/**
 * What a program prints. It prints into a file: some versions of opencode end before a pipe has
 * taken everything.
 */
async function run(io: Io, program: string, { args, timeout }: RunOptions): Promise<Buffer> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "longhaul-"));
  const file = path.join(folder, "output");
  try {
    const output = await open(file, "wx", 0o600);
    try {
      await finished(io, program, { args, timeout, output: output.fd });
    } finally {
      await output.close();
    }
    return await readFile(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function finished(
  io: Io,
  program: string,
  { args, timeout, output }: RunOptions & { readonly output: number },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: io.cwd,
      env: { ...io.env },
      stdio: ["ignore", output, "ignore"],
      timeout,
    });
    const fail = (reason: string): void =>
      reject(
        new ContextError(
          "unreadable-file",
          `${program} ${args.join(" ")} failed (${reason}). Run it yourself, write its output to a file, and give that file.`,
        ),
      );
    child.on("error", (error) => fail(error.message));
    child.on("close", (code, signal) => {
      if (code === 0) resolve();
      else fail(code === null ? String(signal) : `exit code ${code}`);
    });
  });
}
