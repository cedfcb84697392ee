import { spawn } from "node:child_process";
import path from "node:path";
import { type Command, Option } from "commander";
import { longhaulHome } from "../archive/home.ts";
import { ContextError, errorMessage, wrongUse } from "../core/error.ts";
import { appendableFile, undoInPlace } from "./in-place.ts";
import {
  isSessionAgent,
  SESSION_AGENTS,
  type SessionAgent,
  sessionWriter,
} from "../resume/write-session.ts";
import {
  compactConversation,
  type CompactionFlags,
  compactionOptions,
  withSettings,
} from "./compaction.ts";
import { unbroken } from "./columns.ts";
import { field } from "./figures.ts";
import { type Io, type SetExitCode, tell } from "./io.ts";
import { loadConversation, sessionOptions } from "./load.ts";
import { programCall } from "./program-call.ts";
import { tellResume } from "./resume-report.ts";
import { type Written, writeOutcome } from "./resume-write.ts";
import { findSession } from "./sessions/find-session.ts";

interface ResumeOptions extends CompactionFlags {
  readonly to?: SessionAgent;
  readonly inPlace?: boolean;
  readonly undo?: boolean;
  readonly run?: boolean;
  readonly home?: string;
}

/** `longhaul resume [SESSION]`: a smaller session, in the agent that it came from. */
export function define(command: Command, io: Io, setExitCode: SetExitCode): void {
  compactionOptions(sessionOptions(command))
    .description(
      "Compacts a session and writes it as a session of the same agent, which then goes on with it. The old session stays as it is.",
    )
    .addOption(
      new Option("--to <agent>", "write it for another agent (default: its own)").choices(
        SESSION_AGENTS,
      ),
    )
    .option("--in-place", "append to the session itself instead of beginning a new one")
    .option("--undo", "take back what the last --in-place of this session appended")
    .option("--run", "start the agent with it")
    .option("--home <dir>", "read and write below another home folder")
    .action(async (session: string | undefined, flags: ResumeOptions) => {
      const world = flags.home === undefined ? io : elsewhere(io, path.resolve(io.cwd, flags.home));
      if (flags.undo === true) return undo(world, session, flags);
      setExitCode(await resume(world, session, flags));
    });
}

/** Variables that tell agents where to keep their files. */
const FOLDERS = [
  "CLAUDE_CONFIG_DIR",
  "CODEX_HOME",
  "PI_CODING_AGENT_DIR",
  "QWEN_HOME",
  "XDG_DATA_HOME",
];

/** Another home holds the agents' folders where they are by default. */
function elsewhere(io: Io, home: string): Io {
  const own = Object.fromEntries(FOLDERS.map((name) => [name, undefined]));
  return { ...io, env: { ...io.env, ...own, HOME: home, LONGHAUL_HOME: longhaulHome(io.env) } };
}

async function resume(io: Io, wanted: string | undefined, flags: ResumeOptions): Promise<number> {
  const options = await withSettings(io, { ...flags, continuation: flags.continuation ?? "never" });
  const session = await findSession(io, wanted, { ...flags, agents: SESSION_AGENTS });
  if (session === undefined) return 0;
  const input = await session.load();
  const loaded = await loadConversation(io, input, options);
  const from = loaded.transcript.format;
  const to = options.to ?? from;
  if (!isSessionAgent(to)) throw notWritable(from);
  const file = to === from ? session.path : undefined;
  if (options.inPlace === true) {
    const { cwd = io.cwd } = loaded.conversation;
    await appendableFile(to, cwd, file);
  }
  const traits = await (await sessionWriter(to)).traits(loaded.conversation);
  const outcome = await compactConversation(io, loaded, { traits, options });
  const isSame = outcome.report.action === "none" && to === from;
  const inPlace = options.inPlace === true ? { file } : undefined;
  const written = isSame ? undefined : await writeOutcome(io, outcome, { to, inPlace });
  const result = { from, to, outcome, written, retention: options.retention };
  tellResume(io, result, options.json === true);
  return options.run === true && written !== undefined ? start(io, written) : 0;
}

function notWritable(format: string): ContextError {
  return wrongUse(
    `A session of ${format} cannot be written back. Choose another agent with --to (${SESSION_AGENTS.join(", ")}), or use longhaul compact.`,
    { option: "to", value: format, known: SESSION_AGENTS },
  );
}

async function undo(io: Io, wanted: string | undefined, flags: ResumeOptions): Promise<void> {
  const session = wanted === undefined ? undefined : await findSession(io, wanted, flags);
  const undone = await undoInPlace(longhaulHome(io.env), session?.path);
  tell(io, flags, { undone }, () => field("Undone", `${unbroken(undone)} is as it was`));
}

async function start(
  io: Io,
  { command: [program = "", ...args], cwd, isCwdThere, before }: Written,
): Promise<number> {
  if (before !== undefined) {
    throw wrongUse(`${program} is not installed here. See the line above.`);
  }
  const call = programCall(program, args);
  const child = spawn(call.file, call.args, {
    ...call.options,
    cwd: isCwdThere ? cwd : io.cwd,
    env: { ...process.env, ...io.env },
    stdio: "inherit",
  });
  return new Promise((resolve, reject) => {
    child.once("error", (cause) =>
      reject(
        new ContextError("invalid-options", `Cannot start ${program}: ${errorMessage(cause)}`, {
          cause,
        }),
      ),
    );
    child.once("exit", (code, signal) => resolve(signal === null ? (code ?? 1) : 1));
  });
}
