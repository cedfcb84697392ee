import path from "node:path";
import { startsTurn } from "../core/message/index.ts";
import { type ContextBudget, contextBudget, isOverflow } from "../core/overflow/index.ts";
import { count } from "./figures.ts";
import { type Growth, growthOf } from "./growth.ts";
import { inspectView } from "./inspect-view.ts";
import { type CommonOptions, type Io, printJson, printLines } from "./io.ts";
import { type Loaded, loadConversation, type LoadOptions } from "./load.ts";
import { measureSession, type SessionSize } from "./measure-session.ts";
import { type PrunablePieces, prunablePieces } from "./prunable.ts";
import {
  type ContentItem,
  type KindShare,
  largestItems,
  sharesByKind,
  sharesByTool,
  type ToolShare,
  windowContents,
} from "./window-contents.ts";
import { type ChosenWindow, chooseWindow } from "./window.ts";

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
    size,
    chosen,
    budget,
    isOver: isOverflow(size.tokens, budget),
    kinds: sharesByKind(items),
    tools: sharesByTool(items),
    largest: largestItems(items, LARGEST),
    growth,
    prunable: prunablePieces(conversation, budget, size.factor),
    warnings: [...loaded.warnings, ...windowWarnings(chosen, budget, growth)],
  };
}

/** A window that the session itself outgrew is not the model's. */
function windowWarnings(
  { from }: ChosenWindow,
  { window }: ContextBudget,
  { source, samples }: Growth,
): string[] {
  if (from === "default") {
    return [
      `the session does not name its model's window; ${count(window)} tokens are assumed (--window changes it)`,
    ];
  }
  const peak = samples.reduce((most, sample) => Math.max(most, sample.tokens), 0);
  if (from !== "model" || source !== "reported" || peak <= window) return [];
  return [
    `the session once held ${count(peak)} tokens, more than the ${count(window)} that its model is known for; say how large the window is with --window`,
  ];
}

/** The stable JSON report. */
function jsonReport(inspection: Inspection): unknown {
  const { loaded, size, budget, chosen, growth, prunable } = inspection;
  const { transcript, conversation } = loaded;
  return {
    version: 1,
    format: transcript.format,
    ...(transcript.version !== undefined && { agentVersion: transcript.version }),
    ...(conversation.title !== undefined && { title: conversation.title }),
    ...(conversation.model !== undefined && { model: conversation.model }),
    ...(conversation.cwd !== undefined && { cwd: conversation.cwd }),
    conversations: transcript.conversations.length,
    messages: conversation.messages.length,
    turns: inspection.turns,
    window: budget.window,
    windowFrom: chosen.from,
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
    growth,
    prunable: {
      tokens: prunable.reduce((total, piece) => total + piece.tokens, 0),
      pieces: prunable,
    },
    counts: transcript.counts,
    warnings: inspection.warnings,
  };
}
