import { execFile, spawn } from "node:child_process";
import { stat } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { type Command, Option } from "commander";
import pc from "picocolors";
import { archiveFolder, longhaulHome } from "../archive/home.ts";
import { ContextError, errorMessage } from "../core/error.ts";
import type { Home, SessionContent } from "../resume/session.ts";
import { appendableFile, compactInPlace, undoInPlace } from "../resume/in-place.ts";
import {
  isSessionAgent,
  SESSION_AGENTS,
  type SessionAgent,
  sessionWriter,
  writeSession,
} from "../resume/write-session.ts";
import {
  type Chosen,
  compactConversation,
  type CompactionFlags,
  compactionOptions,
  withSettings,
} from "./compaction.ts";
import { type Outcome, outcomeView, warnings } from "./compact-report.ts";
import { type Io, printJson, printLines, type SetExitCode } from "./io.ts";
import { conversationOf, keepNamed, keptWords } from "./kept.ts";
import { chooseWindow, loadConversation, sessionOptions } from "./load.ts";
import type { Settings } from "../settings/settings.ts";
import { type ChosenSession, findSession } from "./sessions/find-session.ts";
import { isMissing, programCall, typedCommands } from "./program-call.ts";

interface ResumeOptions extends CompactionFlags {
  readonly last?: boolean;
  readonly to?: SessionAgent;
  readonly inPlace?: boolean;
  readonly undo?: boolean;
  readonly run?: boolean;
  readonly home?: string;
}

/** `longhaul resume [SESSION]`: a smaller session, in the agent that it came from. */
export function defineResume(command: Command, io: Io, setExitCode: SetExitCode): void {
  compactionOptions(sessionOptions(command))
    .description(
      "Compacts a session and writes it as a session of the same agent, which then goes on with it. The old session stays as it is. Without SESSION, lists the sessions on this computer and lets you pick one.",
    )
    .argument("[session]", "a session file, or the id of a session (its beginning will do)")
    .option("--last", "the newest session, of this folder if there is one")
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

/** Where agents keep their files, when they are told. */
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

function homeOfAgents(io: Io, folder: string): Home {
  return { folder, env: io.env };
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
  if (options.inPlace === true) {
    const { cwd = io.cwd } = loaded.conversation;
    await appendableFile(to, cwd, to === from ? session.path : undefined);
  }
  const chosen = chooseWindow(options.window, loaded.conversation);
  const writer = await sessionWriter(to);
  const edited = await compactConversation(io, loaded, {
    chosen,
    traits: await writer.traits(loaded.conversation),
    options,
  });
  const done: Outcome = { loaded, ...edited };
  const isSame = done.report.action === "none" && to === from;
  const written = isSame ? undefined : await write(io, done, { to, session, options });
  const told = [...done.report.warnings, ...(written?.unkept ?? [])];
  const outcome: Outcome = { ...done, report: { ...done.report, warnings: told } };
  const result: ResumeResult = { from, to, outcome, written, retention: options.retention };
  if (options.json === true) printJson(io, resumeJson(result));
  else printLines(io, resumeView(io, result));
  return options.run === true && written !== undefined ? start(io, written) : 0;
}

/** A session as it was written. */
interface Written {
  readonly path: string;
  readonly id: string;
  readonly cwd: string;
  /** Whether that folder is there; else its agent is started where the person is. */
  readonly isCwdThere: boolean;
  readonly command: readonly string[];
  /** What the person must run first, because we could not. */
  readonly before?: readonly string[];
  readonly isInPlace: boolean;
  /** Why the originals may not be kept. */
  readonly unkept: readonly string[];
}

interface Destination {
  readonly to: SessionAgent;
  readonly session: ChosenSession;
  readonly options: Chosen<ResumeOptions>;
}

async function write(
  io: Io,
  { loaded, messages }: Outcome,
  { to, session, options }: Destination,
): Promise<Written> {
  const { conversation, transcript } = loaded;
  const { cwd = io.cwd, model, provider, title, id = "" } = conversation;
  const isOwn = to === transcript.format;
  const isCwdThere = await isFolder(cwd);
  const version = isOwn ? transcript.version : undefined;
  const about = isOwn ? { model, provider } : {};
  const content: SessionContent = { messages, cwd, ...about, title, version, now: Date.now() };
  if (options.inPlace === true) {
    const file = isOwn ? session.path : undefined;
    const { path: place, command } = await compactInPlace(to, content, {
      id,
      file,
      state: longhaulHome(io.env),
    });
    const unkept = await keepNamed(io, loaded, {
      text: JSON.stringify(messages),
      conversation: conversationOf(to, id),
      namedBy: place,
    });
    return { id, cwd, isCwdThere, path: place, command, isInPlace: true, unkept };
  }
  const { homeOf } = await import("./sessions/sessions.ts");
  const made = await writeSession(to, content, homeOfAgents(io, homeOf(io)));
  const unkept = await keepNamed(io, loaded, {
    text: made.text,
    conversation: conversationOf(to, made.id),
    // A database has it then, into which nobody looks.
    namedBy: made.importCommand === undefined ? made.path : true,
  });
  const before = made.importCommand && (await imported(io, made.importCommand, cwd));
  return { ...made, cwd, isCwdThere, before, isInPlace: false, unkept };
}

function isFolder(place: string): Promise<boolean> {
  return stat(place).then(
    (info) => info.isDirectory(),
    () => false,
  );
}

/** Runs what takes a session into an agent's database; returns it if the agent is not here. */
async function imported(
  io: Io,
  [program = "", ...args]: readonly string[],
  cwd: string,
): Promise<readonly string[] | undefined> {
  const folder = (await isFolder(cwd)) ? cwd : io.cwd;
  const env = { ...process.env, ...io.env };
  if (isMissing(program, env)) return [program, ...args];
  try {
    const call = programCall(program, args);
    await promisify(execFile)(call.file, call.args, { ...call.options, cwd: folder, env });
    return undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [program, ...args];
    throw new ContextError(
      "unwritable-file",
      `${program} did not take the session: ${errorMessage(error)}`,
      { cause: error },
    );
  }
}

function notWritable(format: string): ContextError {
  return new ContextError(
    "invalid-options",
    `A session of ${format} cannot be written back. Choose another agent with --to (${SESSION_AGENTS.join(", ")}), or use longhaul compact.`,
    { details: { option: "to", value: format, known: SESSION_AGENTS } },
  );
}

async function undo(io: Io, wanted: string | undefined, flags: ResumeOptions): Promise<void> {
  const session = wanted === undefined ? undefined : await findSession(io, wanted, flags);
  const undone = await undoInPlace(longhaulHome(io.env), session?.path);
  if (flags.json === true) printJson(io, { version: 1, undone });
  else printLines(io, [`Undone    ${undone} is as it was`]);
}

interface ResumeResult {
  readonly from: string;
  readonly to: SessionAgent;
  readonly outcome: Outcome;
  /** Absent: there was nothing to do. */
  readonly written: Written | undefined;
  readonly retention: Settings["retention"];
}

function resumeView(io: Io, { outcome, written, retention }: ResumeResult): string[] {
  const lines = outcomeView(io, outcome);
  if (written === undefined) {
    const more = outcome.isForced
      ? "there is nothing to take out"
      : "--force makes it smaller anyway";
    return [...lines, ...warnings(outcome), "", pc.bold(`Next: go on working; ${more}`)];
  }
  const { path: file, command, before, cwd, isCwdThere, isInPlace } = written;
  const commands = before === undefined ? [command] : [before, command];
  const next = typedCommands(commands, cwd === io.cwd || !isCwdThere ? undefined : cwd);
  const gone = `! its folder ${cwd} is gone; the agent starts where you are`;
  return [
    ...lines,
    "",
    `Archive   ${archiveFolder(io.env)}`,
    `Kept      ${keptWords("session", retention)}`,
    isInPlace
      ? `Appended  to ${file} (longhaul resume --undo takes it back)`
      : `Written   ${file} (the old session is as it was)`,
    ...warnings(outcome),
    ...(isCwdThere ? [] : [pc.yellow(gone)]),
    "",
    pc.bold(`Next: ${next.join("\n      ")}`),
  ];
}

/** Fields are only ever added. */
function resumeJson({ from, to, outcome, written }: ResumeResult): unknown {
  const { report } = outcome;
  return {
    version: 1,
    agent: to,
    from,
    action: report.action,
    written: written?.path ?? null,
    sessionId: written?.id ?? null,
    command: written?.command ?? null,
    importCommand: written?.before ?? null,
    inPlace: written?.isInPlace ?? false,
    cwd: written?.cwd ?? null,
    tokens: { before: report.tokens.before, after: report.tokens.after },
    messages: report.messages,
    warnings: [...report.failures.map(({ message }) => message), ...report.warnings],
  };
}

async function start(
  io: Io,
  { command: [program = "", ...args], cwd, isCwdThere, before }: Written,
): Promise<number> {
  if (before !== undefined) {
    throw new ContextError(
      "invalid-options",
      `${program} is not installed here. See the line above.`,
    );
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
