import { mkdir } from "node:fs/promises";
import path from "node:path";
import { type Command, Option } from "commander";
import { sha256Hex } from "../archive/digest.ts";
import { archiveFolder, resultsFolder } from "../archive/home.ts";
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
import { type Io, shownJson, tell } from "./io.ts";
import { keepNamed, keptWords } from "./kept.ts";
import { loadConversation, sessionOptions } from "./load.ts";
import { refuseInput, writeFileAtomically } from "./write-file.ts";
import type { TranscriptInput } from "../transcripts/index.ts";

interface CompactOptions extends CompactionFlags {
  readonly to?: WriteTarget;
  /** A path, or `-` for stdout. */
  readonly out?: string;
  /** Whether the JSON report has the prompts that were sent. */
  readonly showPrompt?: boolean;
}

/** `longhaul compact [FILE]`: T7 to T11 on a recorded session. */
export function define(command: Command, io: Io): void {
  compactionOptions(sessionOptions(command))
    .description(
      "Reads a session of any known agent and brings it below the usable window: old tool outputs are pruned, the head becomes a summary, the tail stays word for word. Every original goes to the archive.",
    )
    .addOption(
      new Option(
        "--to <format>",
        "write this format (default: the session's own if possible, else neutral)",
      ).choices(WRITE_TARGETS),
    )
    .option("--out <path>", "write to this file; - is stdout (default: beside the archive)")
    .option("--show-prompt", "with --json: the prompts that were sent, too")
    .action((file: string | undefined, options) => compactAction(io, file, options));
}

async function compactAction(
  io: Io,
  file: string | undefined,
  flags: CompactOptions,
): Promise<void> {
  // Faults are better told before anything is read or picked.
  const options = await withSettings(io, flags);
  chosenSummarizer(io, options);
  const { findSession } = await import("./sessions/find-session.ts");
  const session = await findSession(io, file, flags);
  if (session === undefined) return;
  const { name, path: place = name } = session;
  const called = file ?? place;
  await compactInput(io, { input: await session.load(), name, file: place, called }, options);
}

/** A session to compact: what to read, a name to call the result after, and where it is. */
interface CompactInput {
  readonly input: TranscriptInput;
  readonly name: string;
  readonly file: string;
  /** As a person calls it. */
  readonly called: string;
}

async function compactInput(
  io: Io,
  { input, name, file, called }: CompactInput,
  options: Chosen<CompactOptions>,
): Promise<void> {
  const place = options.out ?? ownPlace(io, { name, file, nth: options.nth });
  if (place !== "-") await refuseInput(io, input, ["out", place]);
  const loaded = await loadConversation(io, input, options);
  const to = options.to ?? naturalTarget(loaded.transcript.format);
  const folder = archiveFolder(io.env);
  const traits = await writeTraits(to);
  const edited = await compactConversation(io, loaded, { traits, options });
  const isWritten = options.out !== undefined || edited.report.action !== "none";
  const out = isWritten ? place : undefined;
  const unkept: string[] = [];
  if (out !== undefined) {
    const text = await writeConversation(edited.messages, to);
    const namedBy = out === "-" || path.resolve(io.cwd, out);
    // First, so that there is no result without its originals.
    unkept.push(...(await keepNamed(io, loaded, { text, namedBy })));
    await writeOut(io, out, text);
  }
  const howLong = keptWords(out === "-" ? undefined : "file", options.retention);
  const places = { to, out, archive: folder, howLong, session: called };
  const report = { ...edited.report, warnings: [...edited.report.warnings, ...unkept] };
  const result: CompactResult = { ...places, ...edited, report };
  // With the conversation on stdout, the report is talk.
  const told = out === "-" ? { ...io, stdout: io.stderr } : io;
  tell(told, options, compactJson(result, options.showPrompt), () => compactView(told, result));
}

/** The format that loses least of what the session's own agent recorded. */
function naturalTarget(format: string): WriteTarget {
  return WRITE_TARGETS.find((target) => target === format) ?? "neutral";
}

/**
 * The place of a result by default: beside the archive, not into the folder of somebody's project. Two
 * sessions of one name have two results, the same one has one.
 */
function ownPlace(
  io: Io,
  { name, file, nth }: Pick<CompactInput, "name" | "file"> & Pick<CompactOptions, "nth">,
): string {
  const base = path.basename(name).replace(/(?:\.(?:jsonl?|gz|zst|traj|md))+$/i, "");
  const digits = sha256Hex(`${path.resolve(io.cwd, file)}\0${nth ?? ""}`).slice(0, 8);
  return path.join(resultsFolder(io.env), `${base}-${digits}.compacted.json`);
}

async function writeOut(io: Io, out: string, text: string): Promise<void> {
  if (out === "-") {
    io.stdout.write(shownJson(text));
    return;
  }
  const folder = resultsFolder(io.env);
  if (path.dirname(out) === folder) {
    // If that is not possible, writing says why.
    await mkdir(folder, { recursive: true, mode: 0o700 }).catch(() => undefined);
  }
  await writeFileAtomically(path.resolve(io.cwd, out), text, { mode: 0o600 });
}
