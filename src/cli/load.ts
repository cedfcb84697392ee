import { type Command, InvalidArgumentError, Option } from "commander";
import { ContextError, wrongUse } from "../core/error.ts";
import { budgetOptions } from "../core/overflow/budget-options.ts";
import { DEFAULT_WINDOW, modelWindow } from "../core/overflow/budget.ts";
import { estimator } from "../core/tokens/estimator.ts";
import { createMessageMeter } from "../core/tokens/meter.ts";
import { DEFAULT_TRANSCRIPT_LIMITS, type TranscriptLimits } from "../transcripts/limits.ts";
import { readTranscript } from "../transcripts/read.ts";
import { transcriptFormats } from "../transcripts/formats.ts";
import { count, plural } from "../core/text/figures.ts";
import type { CommonOptions, Io } from "./io.ts";
import { parseSize } from "../core/text/units.ts";
import { factorOption, numberOption, tokensOption } from "./options.ts";
import type { MeasureOptions } from "./measure-session.ts";
import { startProgress } from "./progress.ts";
import type { Conversation, Transcript, TranscriptInput } from "../transcripts/index.ts";

const LIMITS = Object.keys(DEFAULT_TRANSCRIPT_LIMITS).join(", ");

/** Argument and options of every command on sessions: one, or several with `[session...]`. */
export function sessionOptions(command: Command, argument = "[session]"): Command {
  return command
    .argument(
      argument,
      "a session file (plain, gzip or zstd), or the beginning of a session's id; without it you pick one",
    )
    .option("--last", "the newest session, of this folder if there is one")
    .optionsGroup("How the session is read:")
    .option(
      "--window <tokens>",
      "the model's context window, e.g. 200000, 128k, 1m (default: what the session says)",
      tokensOption,
    )
    .option(
      "--reserved <tokens>",
      "kept free for the answer (default: what its agent keeps free, else 20000; at most half the window)",
      tokensOption,
    )
    .option(
      "--fixed-tokens <tokens>",
      "system prompt and tools, where neither the session file nor a report holds them",
      tokensOption,
    )
    .option(
      "--token-factor <number>",
      "the model's tokens for one that is estimated (default: by its reports, else its family)",
      factorOption,
    )
    .addOption(
      new Option(
        "--format <name>",
        "how to read the file (default: recognised by content)",
      ).choices([...new Set(transcriptFormats.map(({ name }) => name))]),
    )
    .option(
      "--nth <number>",
      "which conversation, if the file holds several (default: the largest)",
      numberOption,
    )
    .option("--limit <name=value>", `how much a file may hold: ${LIMITS}`, limitOption)
    .optionsGroup("Options:");
}

/** Adds one limit to those before it. */
function limitOption(text: string, before: Partial<TranscriptLimits> = {}): object {
  const [name = "", value = ""] = text.split("=");
  const size = parseSize(value);
  if (!Object.hasOwn(DEFAULT_TRANSCRIPT_LIMITS, name) || size === undefined) {
    throw new InvalidArgumentError(
      `Give a limit and its value such as documentBytes=512MB; there are ${LIMITS}.`,
    );
  }
  return { ...before, [name]: size };
}

export interface LoadOptions extends CommonOptions {
  /** The newest session is meant. */
  readonly last?: boolean;
  /** Tokens. */
  readonly window?: number;
  /** Tokens kept free for the answer. */
  readonly reserved?: number;
  /** Tokens of system prompt and tools that the session does not hold. */
  readonly fixedTokens?: number;
  /** The model's tokens for one that is estimated. */
  readonly tokenFactor?: number;
  /** Name of the format; the content decides without it. */
  readonly format?: string;
  /** The number of the conversation in a file that holds several, from 1 on. @default the largest */
  readonly nth?: number;
  /** The most that the file may hold. */
  readonly limit?: Partial<TranscriptLimits>;
}

/** A session file, and the conversation in it that a command works on. */
export interface Loaded {
  readonly transcript: Transcript;
  readonly conversation: Conversation;
  /** Title of the format, for people. */
  readonly title: string;
  readonly warnings: readonly string[];
}

/** Reads a session and chooses its conversation. Throws what `readTranscript` throws. */
export async function loadConversation(
  io: Io,
  input: TranscriptInput,
  options: LoadOptions,
): Promise<Loaded> {
  const progress = startProgress(io, options.json === true);
  try {
    const transcript = await readTranscript(input, {
      format: options.format,
      limits: options.limit,
      onProgress: (done, whole) => progress.update("Reading the session", done, whole),
    });
    const index = chosenIndex(transcript.conversations, options.nth);
    const conversation = transcript.conversations[index];
    if (conversation === undefined) throw noConversation(transcript);
    const warnings = transcript.warnings.map(({ line, message }) =>
      line === undefined ? message : `line ${line}: ${message}`,
    );
    if (transcript.conversations.length > 1 && options.nth === undefined) {
      warnings.push(
        `the file holds ${plural(transcript.conversations.length, "conversation")}; this is number ${index + 1}, the largest; choose another with --nth`,
      );
    }
    const format = transcriptFormats.find((one) => one.name === transcript.format);
    return { transcript, conversation, title: format?.title ?? transcript.format, warnings };
  } finally {
    progress.stop();
  }
}

function chosenIndex(conversations: readonly Conversation[], wanted: number | undefined): number {
  if (wanted !== undefined) {
    if (wanted >= 1 && wanted <= conversations.length) return wanted - 1;
    throw wrongUse(
      `There is no conversation ${wanted}; the file holds ${conversations.length}. Give --nth a number from 1 to ${conversations.length}.`,
    );
  }
  const meter = createMessageMeter(estimator);
  let largest = 0;
  let most = -1;
  conversations.forEach(({ messages }, index) => {
    const size = meter.total(messages);
    if (size > most) [largest, most] = [index, size];
  });
  return largest;
}

function noConversation({ format }: Transcript): ContextError {
  return new ContextError(
    "unreadable-file",
    `The file is a ${format} session without a conversation; give one that holds messages.`,
  );
}

/** The window a command works with, and who says so. */
export interface ChosenWindow {
  /** `undefined`: nobody knows, and the default is taken. */
  readonly window: number | undefined;
  readonly from: "option" | "session" | "model" | "peak" | "default";
}

/** Windows that models are sold with, for a session that outgrew the one its model's name says. */
const USUAL_WINDOWS: readonly number[] = [200_000, 400_000, 1_000_000, 2_000_000];

/** The option decides, then the session, then its model. */
export function chooseWindow(
  option: number | undefined,
  {
    window,
    model,
    timeline = [],
  }: Pick<Conversation, "window" | "model"> & Partial<Pick<Conversation, "timeline">>,
): ChosenWindow {
  if (option !== undefined) return { window: option, from: "option" };
  if (window !== undefined) return { window, from: "session" };
  const known = modelWindow(model ?? "");
  if (known === undefined) return { window: undefined, from: "default" };
  const peak = timeline.reduce((most, sample) => Math.max(most, sample.tokens), 0);
  if (peak <= known) return { window: known, from: "model" };
  return { window: USUAL_WINDOWS.find((usual) => usual >= peak) ?? peak, from: "peak" };
}

/**
 * The room that agents keep free before they compact by themselves, at most and as a share: Codex
 * acts at 90 % of it, pi with 16,384 tokens left, Gemini CLI at half, Claude Code was recorded to act
 * at 155,099 of 200,000. opencode's 20,000 are our own default. As of November 2026.
 */
const KEPT_FREE: Readonly<Record<string, { readonly most: number; readonly share: number }>> = {
  "claude-code": { most: 45_000, share: 0.225 },
  codex: { most: Infinity, share: 0.1 },
  pi: { most: 16_384, share: 0.125 },
  "gemini-cli": { most: Infinity, share: 0.5 },
};

/**
 * The options that a session is measured with, of all that was typed and set. It counts as full when its own agent
 * would have to compact, unless somebody says what is to be kept free.
 */
export function measureOptions(
  options: object,
  { window = DEFAULT_WINDOW, ...chosen }: ChosenWindow,
  agent: string,
): MeasureOptions {
  const { fixedTokens } = options as MeasureOptions;
  const { reserved = keptFree(agent, window), ...budget } = budgetOptions(options);
  const known = chosen.from === "default" ? undefined : window;
  return { ...budget, ...(reserved !== undefined && { reserved }), window: known, fixedTokens };
}

function keptFree(agent: string, window: number): number | undefined {
  const free = KEPT_FREE[agent];
  return free && Math.floor(Math.min(free.most, free.share * window));
}

/** The source of what is kept free, for people. */
export function reservedWords(options: object, agent: string, title: string): string {
  if (budgetOptions(options).reserved !== undefined) return "reserved for the answer";
  return agent in KEPT_FREE
    ? `kept free: ${title.replace(/ (?:session|rollout|chat).*$/, "")} compacts from there on`
    : "reserved for the answer";
}

/** Warnings about the choice; none when it is sure. */
export function windowWarnings({ window = DEFAULT_WINDOW, from }: ChosenWindow): string[] {
  if (from === "default") {
    return [
      `the session does not name its model's window; ${count(window)} tokens are assumed (--window changes it)`,
    ];
  }
  if (from !== "peak") return [];
  return [
    `the session once held more than its model is known for; a window of ${count(window)} tokens is assumed (--window changes it)`,
  ];
}
