import path from "node:path";
import { type Command, Option } from "commander";
import pc from "picocolors";
import { tableLine, type TableShape } from "./columns.ts";
import { count, money, percent, plural, tokens } from "../core/text/figures.ts";
import { type CommonOptions, type Io, talk, tell, widthOf } from "./io.ts";
import { countedOnce } from "./money/copies.ts";
import {
  cacheShare,
  dayOf,
  type DayUse,
  type OwnPrices,
  priceSources,
  type Spent,
  spentIn,
} from "./money/spent.ts";
import { filterOf, filterOptions } from "./sessions.ts";
import { agentName, noSessions } from "./sessions/session-table.ts";
import { type KnownSession, surveySessions } from "./sessions/survey.ts";

const GROUPS = ["day", "project", "agent", "session", "model"] as const;
type Grouping = (typeof GROUPS)[number];

interface CostFlags extends CommonOptions {
  readonly by: Grouping;
  readonly project?: string;
  /** ms since the epoch. */
  readonly since?: number;
  readonly agent?: string;
}

/** `longhaul cost`: what all sessions on this computer took, in tokens and money. */
export function define(command: Command, io: Io): void {
  filterOptions(command)
    .description(
      "Adds up what the sessions on this computer report: input, cache reads and writes, output, and money. Money is what the agent itself reckoned, else the makers' list prices; models without a known price count in tokens only.",
    )
    .addOption(new Option("--by <group>", "a row for each").choices(GROUPS).default("day"))
    .addHelpText("after", EXAMPLES)
    .action((flags: CostFlags) => costCommand(io, flags));
}

const EXAMPLES = `
Examples:
  longhaul cost --since 30d
  longhaul cost --by project --since 2026-11-01 --json`;

/** The cost of one group of requests. */
interface CostRow extends Spent {
  readonly name: string;
}

interface Costs {
  readonly rows: readonly CostRow[];
  readonly total: Spent;
  /** The part of compaction in these sessions, as far as they tell. */
  readonly compacted: { readonly times: number; readonly tokens: number };
  readonly sessions: number;
}

async function costCommand(io: Io, flags: CostFlags): Promise<void> {
  const survey = await surveySessions(io, { ...filterOf(io, flags), quiet: flags.json === true });
  const sessions = await countedOnce(survey.sessions);
  const costs = costsOf(sessions, flags, survey.settings.prices ?? {});
  tell(io, flags, costJson(flags.by, costs), () =>
    survey.found.sessions.length === 0 ? noSessions(survey) : costView(io, flags.by, costs),
  );
  for (const hint of survey.found.hints) talk(io, hint);
}

function costsOf(
  sessions: readonly KnownSession[],
  { by, since }: CostFlags,
  prices: OwnPrices,
): Costs {
  const from = since === undefined ? "" : dayOf(since);
  const groups = new Map<string, DayUse[]>();
  const all: DayUse[] = [];
  for (const known of sessions) {
    for (const use of known.uses) {
      // A session that goes on for weeks counts with the days that were asked for.
      if (use.day !== "" && use.day < from) continue;
      const name = groupOf(by, known, use);
      const group = groups.get(name);
      if (group === undefined) groups.set(name, [use]);
      else group.push(use);
      all.push(use);
    }
  }
  const rows = [...groups].map(([name, uses]): CostRow => ({ name, ...spentIn(uses, prices) }));
  return {
    rows: rows.sort(by === "day" ? newestFirst : dearestFirst),
    total: spentIn(all, prices),
    compacted: {
      times: sum(sessions, ({ facts }) => facts?.compactions),
      tokens: sum(sessions, ({ facts }) => facts?.compactedAway),
    },
    sessions: sessions.length,
  };
}

function groupOf(by: Grouping, { session, facts }: KnownSession, { day, model }: DayUse): string {
  if (by === "day") return day === "" ? "(no date)" : day;
  if (by === "agent") return session.agent;
  if (by === "model") return model === "" ? "(no name)" : model;
  if (by === "project") return facts?.cwd ?? session.cwd ?? "(no folder)";
  return session.id;
}

function newestFirst(a: CostRow, b: CostRow): number {
  return a.name < b.name ? 1 : -1;
}

function dearestFirst(a: CostRow, b: CostRow): number {
  return (b.cost ?? 0) - (a.cost ?? 0) || b.input + b.output - (a.input + a.output);
}

function sum<T>(list: readonly T[], of: (one: T) => number | undefined): number {
  return list.reduce((total, one) => total + (of(one) ?? 0), 0);
}

/** Fields are only ever added. */
function costJson(by: Grouping, { rows, ...rest }: Costs): object {
  return { by, currency: "USD", rows, ...rest, prices: priceSources() };
}

function costView(io: Io, by: Grouping, costs: Costs): string[] {
  const { rows, total, compacted, sessions } = costs;
  const width = widthOf(io);
  const line = (...texts: readonly string[]): string => tableLine(texts, width, SHAPE);
  if (total.requests === 0) {
    return [`No session that was asked for reports what it took (${plural(sessions, "session")}).`];
  }
  return [
    pc.dim(line(by, "Requests", "Input", "Read", "Written", "Output", "Cached", "Money")),
    ...rows.map((row) => line(...cells(shownName(by, row.name), row))),
    pc.bold(line(...cells("all", total))),
    "",
    ...(total.unpriced > 0
      ? [
          `No money for ${tokens(total.unpriced)} tokens of ${models(total)}: their prices are not known (prices in the settings adds them).`,
        ]
      : []),
    ...(compacted.times > 0
      ? [
          `Compacted ${count(compacted.times)} times: ${tokens(compacted.tokens)} tokens left the window, and no later request sent them.`,
        ]
      : []),
    pc.dim("Money is what the agent reckoned, else list prices; a subscription costs otherwise:"),
    ...priceSources().map((source) => pc.dim(`  ${source}`)),
  ];
}

function models({ unpricedModels }: Spent): string {
  const names = unpricedModels.map((name) => (name === "" ? "a model without a name" : name));
  const more = names.length - 3;
  return names.slice(0, 3).join(", ") + (more > 0 ? ` and ${plural(more, "more model")}` : "");
}

function shownName(by: Grouping, name: string): string {
  if (by === "agent") return agentName(name);
  return by === "project" ? path.basename(name) : name;
}

function cells(name: string, spent: Spent): string[] {
  const { requests, input, cacheRead, cacheWrite, output, cost } = spent;
  const cached = cacheShare(spent);
  return [
    name,
    count(requests),
    ...[input, cacheRead, cacheWrite, output].map(tokens),
    cached === undefined ? "–" : percent(cached, 1),
    cost === undefined ? "–" : money(cost),
  ];
}

const SHAPE: TableShape = { widths: [8, 7, 7, 7, 7, 6, 9], gap: " ", most: 40 };
