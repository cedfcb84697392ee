import { stat } from "node:fs/promises";
import path from "node:path";
import { type Command, Option } from "commander";
import { archiveFolder } from "../archive/home.ts";
import { ContextError } from "../core/error.ts";
import {
  WRITE_TARGETS,
  writeConversation,
  writeTraits,
  type WriteTarget,
} from "../transcripts/write.ts";
import { compactJson, type CompactResult, compactView } from "./compact-report.ts";
import {
  type Chosen,
  chosenSummarizer,
  compactConversation,
  type CompactionFlags,
  compactionOptions,
  withSettings,
} from "./compaction.ts";
import { type Io, printJson, printLines, shownJson } from "./io.ts";
import { chooseWindow, loadConversation, sessionOptions } from "./load.ts";
import { isSameFile, writeFileAtomically } from "./write-file.ts";
import type { ContextReport } from "../context/index.ts";
import type { TranscriptInput } from "../transcripts/index.ts";

interface CompactOptions extends CompactionFlags {
  readonly to?: WriteTarget;
  /** A path, or `-` for stdout. */
  readonly out?: string;
  /** Whether the JSON report has the prompts that were sent. */
  readonly showPrompt?: boolean;
}

/** `longhaul compact [FILE]`: T7 to T11 on a recorded session. */
export function defineCompact(command: Command, io: Io): void {
  compactionOptions(sessionOptions(command))
    .description(
      "Reads a session of any known agent and brings it below the usable window: old tool outputs are pruned, the head becomes a summary, the tail stays word for word. Every original goes to the archive. Without FILE, lists the sessions on this computer and lets you pick one.",
    )
    .argument("[file]", "a session file, plain or gzip")
    .addOption(
      new Option(
        "--to <format>",
        "write this format (default: the session's own if possible, else neutral)",
      ).choices(WRITE_TARGETS),
    )
    .option("--out <path>", "write to this file; - is stdout (default: NAME.compacted.json here)")
    .option("--show-prompt", "with --json: the prompts that were sent, too")
    .action((file: string | undefined, options) => compactAction(io, file, options));
}

async function compactAction(
  io: Io,
  file: string | undefined,
  flags: CompactOptions,
): Promise<void> {
  // What is wrong is better told before anything is read or picked.
  const options = await withSettings(io, flags);
  chosenSummarizer(io, options);
  const { findSession } = await import("./sessions/find-session.ts");
  const session = await findSession(io, file, flags);
  if (session === undefined) return;
  await compactInput(io, { input: await session.load(), name: session.name }, options);
}

/** A session to compact: what to read, and a name to call the result after. */
interface CompactInput {
  readonly input: TranscriptInput;
  readonly name: string;
}

async function compactInput(
  io: Io,
  { input, name }: CompactInput,
  options: Chosen<CompactOptions>,
): Promise<void> {
  await refuseInput(io, input, options.out ?? resultName(name));
  const loaded = await loadConversation(io, input, options);
  const chosen = chooseWindow(options.window, loaded.conversation);
  const to = options.to ?? naturalTarget(loaded.transcript.format);
  const folder = archiveFolder(io.env);
  const edited = await compactConversation(io, loaded, {
    chosen,
    traits: await writeTraits(to),
    folder,
    options,
  });
  const out = outPath(edited.report, name, options);
  if (out !== undefined) await writeOut(io, out, await writeConversation(edited.messages, to));
  const isForced = options.force === true;
  const result: CompactResult = { loaded, chosen, isForced, to, out, archive: folder, ...edited };
  if (options.json === true)
    printJson(out === "-" ? onStderr(io) : io, compactJson(result, options.showPrompt));
  else printLines(out === "-" ? onStderr(io) : io, compactView(io, result));
}

/** The format that loses least of what the session's own agent recorded. */
function naturalTarget(format: string): WriteTarget {
  return WRITE_TARGETS.find((target) => target === format) ?? "neutral";
}

/** Nothing to do writes nothing, unless a path was asked for. */
function outPath(
  report: ContextReport,
  name: string,
  options: Chosen<CompactOptions>,
): string | undefined {
  if (options.out !== undefined) return options.out;
  if (report.action === "none") return undefined;
  return resultName(name);
}

function resultName(name: string): string {
  const base = path.basename(name).replace(/(?:\.(?:jsonl?|gz|traj|md))+$/i, "");
  return `${base}.compacted.json`;
}

/** A result in another form is no session of the agent any more, which would lose it. */
async function refuseInput(io: Io, input: TranscriptInput, out: string): Promise<void> {
  if (typeof input !== "string" || out === "-") return;
  const target = path.resolve(io.cwd, out);
  // What is no file, such as a pipe, may be both.
  if (!(await isSameFile(input, target)) || !(await stat(input)).isFile()) return;
  throw new ContextError(
    "invalid-options",
    `The result would replace the session itself: ${out} is the file that is read. Give --out another path.`,
    { details: { option: "out", value: out } },
  );
}

async function writeOut(io: Io, out: string, text: string): Promise<void> {
  if (out === "-") io.stdout.write(shownJson(text));
  else await writeFileAtomically(path.resolve(io.cwd, out), text, { mode: 0o600 });
}

/** With the conversation on stdout, the report is talk. */
function onStderr(io: Io): Io {
  return { ...io, stdout: io.stderr };
}
