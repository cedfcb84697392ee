import path from "node:path";
import { type Message, startsTurn } from "../core/message/index.ts";
import { type ContextBudget, contextBudget, isOverflow } from "../core/overflow/index.ts";
import { type Growth, growthOf } from "./measure/growth.ts";
import { inspectView } from "./view/inspect-view.ts";
import { type CommonOptions, type Io, printJson, printLines } from "./io.ts";
import { type Loaded, loadConversation, type LoadOptions } from "./load.ts";
import { measureSession, type SessionSize } from "./measure/measure-session.ts";
import { type PrunablePieces, prunablePieces } from "./measure/prunable.ts";
import {
  type ContentItem,
  type KindShare,
  largestItems,
  sharesByKind,
  sharesByTool,
  type ToolShare,
  windowContents,
} from "./measure/window-contents.ts";
import { type ChosenWindow, chooseWindow, windowWarnings } from "./window.ts";

export interface InspectOptions extends CommonOptions, LoadOptions {
  /** Tokens. */
  readonly window?: number;
}

/** What fills the window of a session. */
export interface Inspection {
  /** As it was given. */
  readonly file: string;
  readonly loaded: Loaded;
  readonly turns: number;
  /** Outputs in the context that the agent itself replaced by placeholders. */
  readonly prunedBefore: number;
  readonly size: SessionSize;
  readonly chosen: ChosenWindow;
  readonly budget: ContextBudget;
  readonly isOver: boolean;
  /** They add up to `size.tokens`. */
  readonly kinds: readonly KindShare[];
  readonly tools: readonly ToolShare[];
  readonly largest: readonly ContentItem[];
  readonly growth: Growth;
  readonly prunable: readonly PrunablePieces[];
  readonly warnings: readonly string[];
}

const LARGEST = 10;

/** `longhaul inspect FILE`: what fills the window, by role, by tool, and over time. */
export async function inspectCommand(io: Io, file: string, options: InspectOptions): Promise<void> {
  const loaded = await loadConversation(io, path.resolve(io.cwd, file), options);
  const inspection = inspect(file, loaded, options);
  if (options.json === true) printJson(io, jsonReport(inspection));
  else printLines(io, inspectView(io, inspection));
}

function inspect(file: string, loaded: Loaded, options: InspectOptions): Inspection {
  const { conversation } = loaded;
  const chosen = chooseWindow(options.window, conversation);
  const budget = contextBudget(chosen.window === undefined ? {} : { window: chosen.window });
  const size = measureSession(conversation);
  const items = windowContents(conversation, size);
  const growth = growthOf(conversation);
  return {
    file,
    loaded,
    turns: conversation.messages.filter(startsTurn).length,
    prunedBefore: prunedOutputs(conversation.messages),
    size,
    chosen,
    budget,
    isOver: isOverflow(size.tokens, budget),
    kinds: sharesByKind(items),
    tools: sharesByTool(items),
    largest: largestItems(items, LARGEST),
    growth,
    prunable: prunablePieces(conversation, budget, size.factor),
    warnings: [...loaded.warnings, ...windowWarnings(chosen)],
  };
}

function prunedOutputs(messages: readonly Message[]): number {
  const results = messages.flatMap(({ parts }) =>
    parts.filter((part) => part.type === "tool-result"),
  );
  return results.filter(({ time }) => time !== undefined).length;
}

/** What `--json` prints; fields are only ever added. Token figures are whole numbers. */
export interface InspectReport {
  readonly version: 1;
  readonly format: string;
  readonly agentVersion?: string;
  readonly title?: string;
  readonly model?: string;
  readonly cwd?: string;
  /** How many the file holds; this is about one of them. */
  readonly conversations: number;
  readonly messages: number;
  readonly turns: number;
  readonly window: number;
  readonly windowFrom: ChosenWindow["from"];
  readonly reserved: number;
  readonly usable: number;
  readonly overflow: boolean;
  readonly tokens: {
    readonly total: number;
    readonly source: SessionSize["source"];
    /** What our estimator makes of the messages alone. */
    readonly estimated: number;
    /** What the session does not hold: system prompt, tools. */
    readonly outside: number;
  };
  readonly kinds: readonly KindShare[];
  readonly tools: readonly ToolShare[];
  readonly largest: readonly ContentItem[];
  readonly growth: Growth;
  readonly prunable: { readonly tokens: number; readonly pieces: readonly PrunablePieces[] };
  /** What the agent itself did before, and lines that nothing could be made of. */
  readonly counts: {
    readonly compactions: number;
    readonly prunedOutputs: number;
    readonly unparsableLines: number;
  };
  readonly warnings: readonly string[];
}

function jsonReport(inspection: Inspection): InspectReport {
  const { loaded, size, budget, prunable } = inspection;
  const { transcript, conversation } = loaded;
  const { title, model, cwd } = conversation;
  return {
    version: 1,
    format: transcript.format,
    ...(transcript.version !== undefined && { agentVersion: transcript.version }),
    ...(title !== undefined && { title }),
    ...(model !== undefined && { model }),
    ...(cwd !== undefined && { cwd }),
    conversations: transcript.conversations.length,
    messages: conversation.messages.length,
    turns: inspection.turns,
    window: budget.window,
    windowFrom: inspection.chosen.from,
    reserved: budget.reserved,
    usable: budget.usable,
    overflow: inspection.isOver,
    tokens: {
      total: size.tokens,
      source: size.source,
      estimated: size.estimated,
      outside: size.outside,
    },
    kinds: inspection.kinds,
    tools: inspection.tools,
    largest: inspection.largest,
    growth: inspection.growth,
    prunable: {
      tokens: prunable.reduce((total, piece) => total + piece.tokens, 0),
      pieces: prunable,
    },
    counts: {
      compactions: transcript.compactions,
      prunedOutputs: inspection.prunedBefore,
      unparsableLines: transcript.unparsableLines,
    },
    warnings: inspection.warnings,
  };
}
