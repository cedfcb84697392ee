import path from "node:path";
import pc from "picocolors";
import { tableLine, type TableShape, unbroken } from "../columns.ts";
import { money, percent, tokens } from "../../core/text/figures.ts";
import { age } from "../figures.ts";
import { cacheShare, type OwnPrices, spentIn, tokensOf } from "../money/spent.ts";
import type { KnownSession, Survey } from "./survey.ts";

/** The agents whose sessions are found on this computer, as people call them. */
export const AGENT_NAMES: Readonly<Record<string, string>> = {
  "claude-code": "Claude",
  codex: "Codex",
  pi: "pi",
  "gemini-cli": "Gemini",
  "qwen-code": "Qwen",
  "copilot-cli": "Copilot",
  opencode: "opencode",
};

export function agentName(agent: string): string {
  return AGENT_NAMES[agent] ?? agent;
}

/** A session as a list shows it. */
export interface SessionRow {
  readonly known: KnownSession;
  readonly agent: string;
  /** The name of its working folder; empty where nobody knows. */
  readonly project: string;
  readonly title: string;
  /** ms since the epoch. */
  readonly updated: number;
  /** Of its next request; `undefined` where it was not read. */
  readonly tokens: number | undefined;
  /** Their share of the usable window; 1 and more overflows. */
  readonly fill: number | undefined;
  readonly isOver: boolean;
  /** The share of all prompts that came from a cache, from 0 to 1. */
  readonly cache: number | undefined;
  /** US dollars; `undefined` where its models have no price. */
  readonly cost: number | undefined;
  /** All tokens that it spent. */
  readonly spent: number;
}

export function sessionRow(known: KnownSession, prices: OwnPrices = {}): SessionRow {
  const { session, facts, uses } = known;
  const spent = spentIn(uses, prices);
  const { tokens: held, usable } = facts ?? {};
  // The session may come from another system, so that either separator counts.
  const folder = facts?.cwd && path.posix.basename(facts.cwd.replaceAll("\\", "/"));
  return {
    known,
    agent: session.agent,
    updated: session.modifiedAt,
    project: folder ?? "",
    title: facts?.title ?? session.title,
    tokens: held,
    fill: held === undefined || !usable ? undefined : held / usable,
    isOver: held !== undefined && usable !== undefined && held >= usable,
    cache: cacheShare(spent),
    cost: spent.cost,
    spent: tokensOf(spent),
  };
}

/** The orders of a table; the first of each comes first. */
const ORDERS: Readonly<Record<string, (a: SessionRow, b: SessionRow) => number>> = {
  when: (a, b) => b.updated - a.updated,
  full: (a, b) => (b.fill ?? -1) - (a.fill ?? -1),
  tokens: (a, b) => (b.tokens ?? -1) - (a.tokens ?? -1),
  spent: (a, b) => b.spent - a.spent,
  cost: (a, b) => (b.cost ?? -1) - (a.cost ?? -1),
  cache: (a, b) => (b.cache ?? -1) - (a.cache ?? -1),
  project: (a, b) => a.project.localeCompare(b.project),
  agent: (a, b) => a.agent.localeCompare(b.agent),
};

export const SESSION_ORDERS: readonly string[] = Object.keys(ORDERS);

/**
 * The rows that a query asks for: every word of it stands in agent, project or title, `sort:cost` and
 * the like put them in order, of which the beginning will do.
 */
export function queriedRows(rows: readonly SessionRow[], query: string): SessionRow[] {
  let shown = [...rows];
  for (const word of query.toLowerCase().split(/\s+/)) {
    const [, order] = /^sort:(\w*)$/.exec(word) ?? [];
    const name = order && SESSION_ORDERS.find((one) => one.startsWith(order));
    if (name) shown.sort(ORDERS[name]);
    else if (order === undefined && word !== "") shown = shown.filter((row) => says(row, word));
  }
  return shown;
}

function says({ known, agent, project, title }: SessionRow, word: string): boolean {
  const { session, facts } = known;
  const words = [agent, agentName(agent), project, title, session.id, facts?.cwd, facts?.model];
  return words.some((text) => text?.toLowerCase().includes(word) === true);
}

/** From this width on the agent's whole name and more of the title have room. */
const WIDE = 96;

const HEADINGS = ["Session", "When", "Full", "Tokens", "Cache", "Money", "Agent   "];
const SHAPE: TableShape = { widths: [4, 7, 6, 5, 7, 8], gap: " ", most: Infinity };

/** The line above the rows. */
export function headingLine(width: number): string {
  return tableLine(HEADINGS, width, shapeOf(width));
}

function shapeOf(width: number): TableShape {
  return width < WIDE ? SHAPE : { ...SHAPE, gap: "  " };
}

/** One session on one line of so many characters. */
export function sessionLine(row: SessionRow, width: number, now = Date.now()): string {
  const { project, title, fill, isOver, known, cache, cost } = row;
  const isDamaged = known.facts?.state === "unreadable";
  const unsure = known.facts?.isWindowSure === false ? "?" : "";
  const paint = isOver ? pc.red : (fill ?? 0) >= 0.8 ? pc.yellow : pc.green;
  const full = fill === undefined ? "–" : percent(fill, 1) + unsure;
  const cells = [
    project === "" ? title : `${project}: ${title}`,
    age(now - row.updated),
    (fill === undefined ? pc.dim : paint)(isDamaged ? "damaged" : full),
    row.tokens === undefined ? "–" : tokens(row.tokens),
    cache === undefined ? "–" : percent(cache, 1),
    cost === undefined ? "–" : money(cost),
    agentName(row.agent).padEnd(8),
  ];
  return tableLine(cells, width, shapeOf(width));
}

/** The places that were looked into where there is no session. */
export function noSessions({ found }: Pick<Survey, "found">): string[] {
  const places = found.places.map((place) => `  ${unbroken(place)}`);
  return ["No agent sessions were found on this computer. Looked in:", ...places];
}

/** A session as `sessions --json` prints it; fields are only ever added. */
export function sessionJson(row: SessionRow): object {
  const { session, facts } = row.known;
  return {
    agent: session.agent,
    id: session.id,
    path: session.path ?? null,
    project: facts?.cwd ?? null,
    title: row.title,
    updated: new Date(session.modifiedAt).toISOString(),
    messages: facts?.messages ?? null,
    tokens: row.tokens ?? null,
    window: facts?.window ?? null,
    usable: facts?.usable ?? null,
    fill: row.fill === undefined ? null : Math.round(row.fill * 1_000) / 1_000,
    cost: row.cost === undefined ? null : Math.round(row.cost * 10_000) / 10_000,
    cache: row.cache === undefined ? null : Math.round(row.cache * 1_000) / 1_000,
    model: facts?.model ?? null,
    state: facts?.state ?? "unmeasured",
  };
}
