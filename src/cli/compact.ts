import { stat } from "node:fs/promises";
import path from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { directoryArchive } from "../archive/directory.ts";
import { archiveFolder } from "../archive/home.ts";
import { createContext } from "../context/create-context.ts";
import { ContextError, errorMessage } from "../core/error.ts";
import { EMPTY_LEDGER } from "../core/ledger/ledger.ts";
import { extractLedger } from "../core/ledger/extract.ts";
import { type Amount, amountOption, type BudgetOptions } from "../core/overflow/budget-options.ts";
import { DEFAULT_WINDOW } from "../core/overflow/budget.ts";
import { summarizerByName } from "../models/by-name.ts";
import {
  WRITE_TARGETS,
  writeConversation,
  writeTraits,
  type WriteTarget,
} from "../transcripts/write.ts";
import { compactJson, type CompactResult, compactView } from "./compact-report.ts";
import { type CommonOptions, type Io, printJson, printLines, shownJson } from "./io.ts";
import {
  chooseWindow,
  type ChosenWindow,
  loadConversation,
  type Loaded,
  type LoadOptions,
  measureOptions,
  sessionOptions,
  windowWarnings,
} from "./load.ts";
import { measureSession, withoutUsage } from "./measure-session.ts";
import { millisecondsOption, tokensOption } from "./options.ts";
import { whileWaiting } from "./progress.ts";
import {
  contextSettings,
  mergedSettings,
  readSettings,
  readTemplate,
  type Settings,
} from "./settings.ts";
import { isSameFile, writeFileAtomically } from "./write-file.ts";
import type { ContextOptions, ContextReport } from "../context/index.ts";
import type { ContinuationPolicy } from "../core/continuation/index.ts";
import type { Summarizer } from "../models/index.ts";
import type { TranscriptInput } from "../transcripts/index.ts";

interface CompactOptions extends CommonOptions, LoadOptions, SummarizerOptions {
  readonly to?: WriteTarget;
  /** A path, or `-` for stdout. */
  readonly out?: string;
  readonly force?: boolean;
  /** A file. */
  readonly template?: string;
  readonly protect?: readonly string[];
  readonly tail?: BudgetOptions;
  readonly target?: BudgetOptions;
  readonly continuation?: ContinuationPolicy;
}

/** `longhaul compact [FILE]`: T7 to T11 on a recorded session. */
export function defineCompact(command: Command, io: Io): void {
  sessionOptions(command)
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
    .option("--force", "compact even though the conversation fits")
    .option(
      "--target <amount>",
      "what to come down to, e.g. 64k or 50% of usable (default: 60%)",
      amountFlag("target"),
    )
    .option(
      "--tail <amount>",
      "what stays word for word, e.g. 12k or 25% (default: 25%, 2000 to 8000)",
      amountFlag("tail"),
    )
    .option(
      "--protect <tool>",
      "a tool whose outputs stay, * stands for anything; may be given several times",
      (tool: string, before?: readonly string[]) => [...(before ?? []), tool],
    )
    .option("--template <file>", "sections of the summary, as Markdown headings or JSON")
    .addOption(
      new Option(
        "--continuation <policy>",
        "whether a message is added so that the agent goes on (default: auto)",
      ).choices(["auto", "ask", "never"]),
    )
    .option(
      "--summarizer <name>",
      "who writes the summary: extractive (default), anthropic:MODEL, openai:MODEL or openai-compatible:URL#MODEL",
    )
    .option(
      "--summarizer-timeout-ms <ms>",
      "the longest that it may take (default: LONGHAUL_SUMMARIZER_TIMEOUT_MS, else 60000)",
      millisecondsOption,
    )
    .option(
      "--summarizer-window <tokens>",
      "the window of the model that writes it (default: 200000 for anthropic, else 128000)",
      tokensOption,
    )
    .option("--show-prompt", "with --json: the prompts that were sent, too")
    .action((file: string | undefined, options) => compactAction(io, file, options));
}

function amountFlag(amount: Amount): (text: string) => BudgetOptions {
  return (text) => {
    try {
      return amountOption(amount, text);
    } catch (error) {
      throw new InvalidArgumentError(errorMessage(error));
    }
  };
}

async function compactAction(
  io: Io,
  file: string | undefined,
  flags: CompactOptions,
): Promise<void> {
  // What is wrong is better told before anything is read or picked.
  const options = await withSettings(io, flags);
  chosenSummarizer(io, options);
  if (file !== undefined) {
    return compactInput(io, { input: path.resolve(io.cwd, file), name: file }, options);
  }
  const { chooseSession } = await import("./sessions/choose-session.ts");
  const session = await chooseSession(io, options);
  if (session === undefined) return;
  await compactInput(io, { input: await session.load(), name: session.name }, options);
}

/** What was typed, above what the settings files say. */
async function withSettings(io: Io, flags: CompactOptions): Promise<Chosen> {
  const { template, protect: protectedTools, tail, target, ...options } = flags;
  const compactionTemplate =
    template === undefined ? undefined : await readTemplate(path.resolve(io.cwd, template));
  // The template is checked with all other options when the context is created.
  const typed = { ...options, ...tail, ...target, protectedTools, compactionTemplate };
  return mergedSettings(await readSettings(io), typed);
}

type Chosen = Settings & Omit<CompactOptions, "tail" | "target" | "template" | "protect">;

/** A session to compact: what to read, and a name to call the result after. */
interface CompactInput {
  readonly input: TranscriptInput;
  readonly name: string;
}

async function compactInput(io: Io, { input, name }: CompactInput, options: Chosen): Promise<void> {
  await refuseInput(io, input, options.out ?? resultName(name));
  const loaded = await loadConversation(io, input, options);
  const chosen = chooseWindow(options.window, loaded.conversation);
  const to = options.to ?? naturalTarget(loaded.transcript.format);
  const folder = archiveFolder(io.env);
  const edited = await compactConversation(io, loaded, { chosen, to, folder, options });
  const out = outPath(edited.report, name, options);
  if (out !== undefined) await writeOut(io, out, await writeConversation(edited.messages, to));
  const isForced = options.force === true;
  const result: CompactResult = { loaded, chosen, isForced, to, out, archive: folder, ...edited };
  if (options.json === true)
    printJson(out === "-" ? onStderr(io) : io, compactJson(result, options.showPrompt));
  else printLines(out === "-" ? onStderr(io) : io, compactView(io, result));
}

interface CompactSettings {
  readonly chosen: ChosenWindow;
  readonly to: WriteTarget;
  readonly folder: string;
  readonly options: Chosen;
}

async function compactConversation(
  io: Io,
  { conversation, warnings }: Loaded,
  { chosen, to, folder, options }: CompactSettings,
): Promise<Pick<CompactResult, "report" | "messages" | "ledger" | "size">> {
  const measured = measureSession(conversation, measureOptions(options, chosen));
  const { messages: legal, repairs, settings } = measured;
  const { cwd } = conversation;
  const context = createContext({
    ...settings,
    window: chosen.window ?? DEFAULT_WINDOW,
    cwd,
    traits: await writeTraits(to),
    ...contextSettings(options),
    ...chosenSummarizer(io, options),
    // There is no agent that goes on working.
    summarizeAhead: false,
    archive: directoryArchive(folder, { conversation: conversation.id }),
  });
  const { messages, report } = await context.prepare(legal, { force: options.force === true });
  const ledger = report.ledger ?? extractLedger(legal, { cwd }) ?? EMPTY_LEDGER;
  return {
    size: measured.size,
    messages: messages.map(withoutUsage),
    ledger,
    report: {
      ...report,
      warnings: [
        ...warnings,
        ...repairs.map((repair) => `message ${repair.index}: ${repair.message}`),
        ...windowWarnings(chosen),
        ...report.warnings,
      ],
    },
  };
}

/** The format that loses least of what the session's own agent recorded. */
function naturalTarget(format: string): WriteTarget {
  return WRITE_TARGETS.find((target) => target === format) ?? "neutral";
}

/** Nothing to do writes nothing, unless a path was asked for. */
function outPath(report: ContextReport, name: string, options: Chosen): string | undefined {
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
  else await writeFileAtomically(path.resolve(io.cwd, out), text);
}

/** With the conversation on stdout, the report is talk. */
function onStderr(io: Io): Io {
  return { ...io, stdout: io.stderr };
}

interface SummarizerOptions extends CommonOptions {
  /** Who writes the summary. @default "extractive" */
  readonly summarizer?: string;
  /** The longest that the summary may take, in ms. */
  readonly summarizerTimeoutMs?: number;
  /** The window of the model that writes it, in tokens. */
  readonly summarizerWindow?: number;
  /** Whether the JSON report has the prompts that were sent. */
  readonly showPrompt?: boolean;
}

/**
 * What a person chose, as settings of a context. Throws `ContextError` code `invalid-options` for an
 * unknown name, and where a key is missing.
 */
function chosenSummarizer(
  io: Io,
  options: SummarizerOptions,
): Pick<ContextOptions, "summarizer" | "summarizerTimeoutMs"> {
  const { summarizer: name = "extractive", summarizerTimeoutMs, summarizerWindow } = options;
  const summarizer = summarizerByName(name, io.env, { window: summarizerWindow });
  const isSilent = summarizer === "extractive" || options.json === true;
  return {
    summarizer: isSilent ? summarizer : withProgress(io, summarizer),
    summarizerTimeoutMs,
  };
}

/** Tells who is asked, and how often by now. */
function withProgress(io: Io, summarizer: Summarizer): Summarizer {
  let calls = 0;
  return {
    ...summarizer,
    summarize(request) {
      calls++;
      const again = calls === 1 ? "" : `, call ${calls}`;
      const message = `Asking ${summarizer.name}${again}`;
      return whileWaiting(io, message, () => summarizer.summarize(request));
    },
  };
}
