import { type Command, InvalidArgumentError, Option } from "commander";
import { homeArchive } from "../settings/home-archive.ts";
import { createContext } from "../context/create-context.ts";
import { EMPTY_LEDGER, type Ledger } from "../core/ledger/ledger.ts";
import { extractLedger } from "../core/ledger/extract.ts";
import { type Amount, amountOption, type BudgetOptions } from "../core/overflow/budget-options.ts";
import { DEFAULT_WINDOW } from "../core/overflow/budget.ts";
import { summarizerByName } from "../models/by-name.ts";
import { count } from "../core/text/figures.ts";
import type { CommonOptions, Io } from "./io.ts";
import {
  chooseWindow,
  type Loaded,
  type LoadOptions,
  measureOptions,
  reservedWords,
  windowWarnings,
} from "./load.ts";
import { measureSession, type SessionSize } from "./measure-session.ts";
import { millisecondsOption, nameOption, tokensOption } from "./options.ts";
import { whileWaiting } from "./progress.ts";
import {
  contextSettings,
  mergedSettings,
  readSettings,
  readTemplate,
  type Settings,
} from "../settings/settings.ts";
import type { ContextOptions, ContextReport } from "../context/index.ts";
import { type Message, withoutUsage } from "../core/message/message.ts";
import type { ContinuationPolicy } from "../core/continuation/index.ts";
import type { Summarizer } from "../models/index.ts";
import type { DialectTraits } from "../dialects/dialect.ts";
import path from "node:path";

/** The flags of a command that compacts, as typed. */
export interface CompactionFlags extends LoadOptions, SummarizerOptions {
  readonly force?: boolean;
  readonly pruneOnly?: boolean;
  /** A file. */
  readonly template?: string;
  readonly protect?: readonly string[];
  readonly tail?: BudgetOptions;
  readonly target?: BudgetOptions;
  readonly continuation?: ContinuationPolicy;
}

/** Options of every command that compacts. */
export function compactionOptions(command: Command): Command {
  return command
    .optionsGroup("What is done:")
    .option("--force", "compact even though the conversation fits")
    .option("--prune-only", "replace old tool outputs by placeholders, and summarize nothing")
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
      (tool: string, before?: readonly string[]) => [...(before ?? []), nameOption(tool)],
    )
    .addOption(
      new Option(
        "--continuation <policy>",
        "whether a message is added so that the agent goes on (default: auto; never where you type the next prompt)",
      ).choices(["auto", "ask", "never"]),
    )
    .optionsGroup("The summary:")
    .option("--template <file>", "its sections, as Markdown headings or JSON")
    .option(
      "--summarizer <name>",
      "who writes it: extractive (default), anthropic:MODEL, openai:MODEL or openai-compatible:URL#MODEL",
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
    .optionsGroup("Options:");
}

/** An amount, under the names that the engine has for it: those say nothing to who typed a flag. */
function amountFlag(amount: Amount): (text: string) => BudgetOptions {
  return (text) => {
    try {
      return amountOption(amount, text);
    } catch {
      throw new InvalidArgumentError("Give tokens such as 12k, or a share of usable up to 100%.");
    }
  };
}

/** The typed flags above what the settings files say. */
export async function withSettings<Flags extends CompactionFlags>(
  io: Io,
  flags: Flags,
): Promise<Chosen<Flags>> {
  const { template, protect: protectedTools, tail, target, ...options } = flags;
  const compactionTemplate =
    template === undefined ? undefined : await readTemplate(path.resolve(io.cwd, template));
  // The template is checked with all other options when the context is created.
  const isTargetTyped = target !== undefined;
  const amounts = { ...tail, ...target };
  const typed = { ...options, ...amounts, protectedTools, compactionTemplate, isTargetTyped };
  return mergedSettings(await readSettings(io), typed);
}

/** The options that count, of all that was typed and set. */
export type Chosen<Flags extends CompactionFlags = CompactionFlags> = Settings &
  Omit<Flags, "tail" | "target" | "template" | "protect"> & { readonly isTargetTyped: boolean };

/** The outcome of a compaction. */
export interface Outcome {
  readonly loaded: Loaded;
  /** Before. */
  readonly size: SessionSize;
  readonly report: ContextReport;
  readonly messages: readonly Message[];
  readonly ledger: Ledger;
  readonly isForced: boolean;
  /** The reason for what is kept free of the window. */
  readonly reservedWords: string;
}

interface CompactSettings {
  readonly traits: DialectTraits;
  readonly options: Chosen;
}

/** T7 to T11 on what was loaded; originals go to the archive. */
export async function compactConversation(
  io: Io,
  loaded: Loaded,
  { traits, options }: CompactSettings,
): Promise<Outcome> {
  const { conversation, warnings, transcript, title } = loaded;
  const chosen = chooseWindow(options.window, conversation);
  const measured = measureSession(conversation, measureOptions(options, chosen, transcript.format));
  const { messages: legal, repairs, settings } = measured;
  const { cwd } = conversation;
  const context = createContext({
    ...settings,
    window: chosen.window ?? DEFAULT_WINDOW,
    cwd,
    traits,
    ...contextSettings(options),
    ...chosenSummarizer(io, options),
    // There is no agent that goes on working.
    summarizeAhead: false,
    archive: homeArchive(io.env, { conversation: conversation.id }),
  });
  const isForced = isAsked(options, measured.size);
  const pruneOnly = options.pruneOnly === true;
  const { messages, report } = await context.prepare(legal, { force: isForced, pruneOnly });
  const ledger = report.ledger ?? extractLedger(legal, { cwd }) ?? EMPTY_LEDGER;
  return {
    loaded,
    size: measured.size,
    reservedWords: reservedWords(options, transcript.format, title),
    messages: messages.map(withoutUsage),
    ledger,
    isForced,
    report: {
      ...report,
      warnings: [
        ...warnings,
        ...repairs.map((repair) => `message ${repair.index}: ${repair.message}`),
        ...windowWarnings(chosen),
        ...pruneWarnings(pruneOnly, report),
        ...report.warnings,
      ],
    },
  };
}

/** Whether a person told it to act although the conversation fits. */
function isAsked(
  { force, pruneOnly, isTargetTyped }: Chosen,
  { tokens, budget }: Outcome["size"],
): boolean {
  return force === true || pruneOnly === true || (isTargetTyped && tokens > budget.target);
}

/** A warning where pruning alone is not enough. */
function pruneWarnings(pruneOnly: boolean, { tokens }: ContextReport): readonly string[] {
  if (!pruneOnly || tokens.after <= tokens.target) return [];
  return [
    `pruning alone comes down to ${count(tokens.after)} tokens, not to ${count(tokens.target)}: without --prune-only a summary takes the place of the rest`,
  ];
}

interface SummarizerOptions extends CommonOptions {
  /** The name of who writes the summary. @default "extractive" */
  readonly summarizer?: string;
  /** The longest that the summary may take, in ms. */
  readonly summarizerTimeoutMs?: number;
  /** The window of the model that writes it, in tokens. */
  readonly summarizerWindow?: number;
}

/**
 * A person's choice as settings of a context. Throws `ContextError` code `invalid-options` for an
 * unknown name, and where a key is missing.
 */
export function chosenSummarizer(
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
