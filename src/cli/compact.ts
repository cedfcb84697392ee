import path from "node:path";
import { directoryArchive } from "../archive/directory.ts";
import { archiveFolder } from "../archive/home.ts";
import { type ContextReport, createContext, type SummaryReport } from "../context/index.ts";
import { EMPTY_LEDGER, extractLedger, type Ledger } from "../core/ledger/index.ts";
import { type Message, repairMessages } from "../core/message/index.ts";
import { DEFAULT_WINDOW } from "../core/overflow/index.ts";
import {
  type TranscriptInput,
  writeConversation,
  type WriteTarget,
  writeTraits,
} from "../transcripts/index.ts";
import { writeFileAtomically } from "./write-file.ts";
import { compactView } from "./view/compact-view.ts";
import { chosenSummarizer, type SummarizerOptions } from "./chosen-summarizer.ts";
import { type CommonOptions, type Io, printJson, printLines } from "./io.ts";
import { type Loaded, loadConversation, type LoadOptions } from "./load.ts";
import { type ChosenWindow, chooseWindow, windowWarnings } from "./window.ts";

export interface CompactOptions extends CommonOptions, LoadOptions, SummarizerOptions {
  /** Tokens. */
  readonly window?: number;
  /** Tokens kept free for the answer. */
  readonly reserved?: number;
  /** Tokens of system prompt and tools that the session does not hold. */
  readonly fixed?: number;
  readonly to?: WriteTarget;
  /** A path, or `-` for stdout. */
  readonly out?: string;
  readonly force?: boolean;
}

/** What a compaction did, for the report and for the view. */
export interface CompactResult {
  readonly loaded: Loaded;
  readonly chosen: ChosenWindow;
  readonly report: ContextReport;
  readonly messages: readonly Message[];
  readonly ledger: Ledger;
  readonly to: WriteTarget;
  /** Where the compacted conversation was written; absent when there was nothing to write. */
  readonly out: string | undefined;
  readonly archive: string;
}

/** `longhaul compact FILE`: T7 to T11 on a recorded session. */
export async function compactCommand(io: Io, file: string, options: CompactOptions): Promise<void> {
  await compactInput(io, { input: path.resolve(io.cwd, file), name: file }, options);
}

/** A session to compact: what to read, and a name to call the result after. */
export interface CompactInput {
  readonly input: TranscriptInput;
  readonly name: string;
}

export async function compactInput(
  io: Io,
  { input, name }: CompactInput,
  options: CompactOptions,
): Promise<void> {
  const loaded = await loadConversation(io, input, options);
  const chosen = chooseWindow(options.window, loaded.conversation);
  const to = options.to ?? naturalTarget(loaded.transcript.format);
  const folder = archiveFolder(io.env);
  const edited = await compactConversation(io, loaded, { chosen, to, folder, options });
  const out = outPath(edited.report, name, options);
  if (out !== undefined) await writeOut(io, out, await writeConversation(edited.messages, to));
  const result: CompactResult = { loaded, chosen, to, out, archive: folder, ...edited };
  if (options.json === true)
    printJson(out === "-" ? onStderr(io) : io, jsonReport(result, options));
  else printLines(out === "-" ? onStderr(io) : io, compactView(io, result));
}

interface CompactSettings {
  readonly chosen: ChosenWindow;
  readonly to: WriteTarget;
  readonly folder: string;
  readonly options: CompactOptions;
}

async function compactConversation(
  io: Io,
  { conversation, warnings }: Loaded,
  { chosen, to, folder, options }: CompactSettings,
): Promise<Pick<CompactResult, "report" | "messages" | "ledger">> {
  // What the agent's provider reported included its system prompt and tools, which are not here.
  const recorded = conversation.messages.map(withoutUsage);
  const { messages: legal, repairs } = repairMessages(recorded);
  const { cwd } = conversation;
  const context = createContext({
    window: chosen.window ?? DEFAULT_WINDOW,
    ...(options.reserved !== undefined && { reserved: options.reserved }),
    ...(cwd !== undefined && { cwd }),
    fixedTokens: options.fixed ?? 0,
    traits: await writeTraits(to),
    ...chosenSummarizer(io, options),
    // There is no agent that goes on working.
    summarizeAhead: false,
    archive: directoryArchive(folder, {
      ...(conversation.id !== undefined && { conversation: conversation.id }),
    }),
  });
  const { messages, report } = await context.prepare(legal, { force: options.force === true });
  const ledger = report.ledger ?? extractLedger(legal, { cwd }) ?? EMPTY_LEDGER;
  return {
    messages,
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

function withoutUsage({ usage: _, ...message }: Message): Message {
  return message;
}

/** The format that loses least of what the session's own agent recorded. */
function naturalTarget(format: string): WriteTarget {
  const own: Readonly<Record<string, WriteTarget>> = {
    "openai-chat": "openai-chat",
    "openai-responses": "openai-responses",
    anthropic: "anthropic",
    "ai-sdk": "ai-sdk",
  };
  return own[format] ?? "neutral";
}

/** Nothing to do writes nothing, unless a path was asked for. */
function outPath(report: ContextReport, name: string, options: CompactOptions): string | undefined {
  if (options.out !== undefined) return options.out;
  if (report.action === "none") return undefined;
  const base = path.basename(name).replace(/(?:\.(?:jsonl?|gz|traj|md))+$/i, "");
  return `${base}.compacted.json`;
}

async function writeOut(io: Io, out: string, text: string): Promise<void> {
  if (out === "-") io.stdout.write(text);
  else await writeFileAtomically(path.resolve(io.cwd, out), text);
}

/** With the conversation on stdout, the report is talk. */
function onStderr(io: Io): Io {
  return { ...io, stdout: io.stderr };
}

/** The stable JSON report. */
function jsonReport(result: CompactResult, { showPrompt }: SummarizerOptions): unknown {
  const { report, ledger, loaded } = result;
  const { action, window, reserved, usable, tokens, messages, prune, clipped, head, tail } = report;
  return {
    version: 1,
    format: loaded.transcript.format,
    action,
    window,
    reserved,
    usable,
    tokens: { before: tokens.before, after: tokens.after, target: tokens.target },
    messages,
    prune,
    clipped,
    ...(report.reasoning !== undefined && { reasoning: report.reasoning }),
    ...(head !== undefined && { head }),
    ...(tail !== undefined && { tail }),
    ...(report.summary !== undefined && { summary: jsonSummary(report.summary, showPrompt) }),
    ...(report.continuation !== undefined && { continuation: report.continuation }),
    ledger,
    to: result.to,
    ...(result.out !== undefined && { out: result.out }),
    archive: result.archive,
    warnings: report.warnings,
    failures: report.failures,
    durationMs: report.durationMs,
  };
}

/** Prompts hold the whole conversation, so they are only printed when asked for. */
function jsonSummary(
  { source, tokens, sections, usage, waitedMs, calls }: SummaryReport,
  showPrompt = false,
): unknown {
  const shown = calls.map(({ prompt, ...call }) => (showPrompt ? { ...call, prompt } : call));
  return { source, tokens, sections, usage, waitedMs, calls: shown };
}
