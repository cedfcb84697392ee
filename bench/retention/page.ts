/** The page of a run: text and tables from its figures, and nothing else. */
import { figure, markdownTable } from "../speed/table.ts";
import type { Verdict } from "./judge.ts";
import type { Compared, DefaultRow, Half, Results, SizedRow, Times, WholeRow } from "./results.ts";

export function benchmarksPage(results: Results): string {
  return [
    ...intro(results),
    ...whole(results),
    ...atCuts(results),
    ...atOwnCuts(results),
    ...timesTable(results.times),
    ...beside(results),
    ...contestants(results),
  ].join("\n");
}

function intro({ date, machine, command, commit, isSmoke }: Results): readonly string[] {
  return [
    "# What is left of what an agent will need",
    "",
    ...(isSmoke
      ? ["A smoke run: an eighth of the sessions. No figure here means anything.", ""]
      : []),
    "A policy that makes room in a context decides what the agent still knows afterwards. Here recorded sessions are played again under many policies, and the recorded future is the oracle: a name (path, URL, identifier, flag, error code, number, quoted text) that the agent used is looked for in what the policy would have sent.",
    "",
    `From \`${command}\` at commit ${commit}, ${date}, ${machine}. The recordings of other agents are not in the repository; [its notes](../bench/README.md#retention) say how names are found and checked.`,
    "",
    "What it does not show:",
    "",
    "- **No model was asked.** Contestants that let one write a summary get a fixed text instead; what their code keeps around it is measured, what a good summary says is not, but for the few compactions whose summary was recorded. Ours asks none by default.",
    "- **Presence is not use.** A name that is there can be used; whether a model would is not known. The future was recorded by an agent that had everything, and would have been another one with less.",
    "- **Few sessions, of few projects.** Intervals are bootstraps over sessions. Our changes were chosen on one half of them; the other half reports.",
    "- **Costs are simulated**: list prices and published rules of prompt caches, no system prompt, no answers, no reasoning.",
    "",
  ];
}

// Whole sessions

function whole({ whole: rows, prices }: Results): readonly string[] {
  if (rows.all.length === 0) return [];
  const windows = [...new Set(rows.all.map(({ window }) => window))];
  return [
    "## Whole sessions, request by request",
    "",
    "Every policy plays every session that is large enough, from the first request to the last, and gets back what it sent before. Before each answer: which of the names in it are in the request? *Far*: what had stood last more than 8,000 tokens back; the rest of the columns of that group are about these, too. *Handle*: behind a handle that names just that output. *Hinted*: in a compacted head, but the context names the file it came from. *Blind*: only there. *Lost*: nowhere. *Edits*: requests that do not begin with the one before. *Rebounds*: edits within five requests of another. *Illegal*: requests that break Anthropic's rules. *Over*: requests larger than the window, which nobody would answer.",
    "",
    ...prices.map(({ provider, model, source }) => `- $ ${provider}: \`${model}\`; ${source}.`),
    "",
    "![What is kept for how many tokens a request](benchmarks-kept.svg)",
    "",
    "![What a session costs at each window](benchmarks-cost.svg)",
    "",
    ...windows.flatMap((window) => [
      `### A window of ${window / 1_000}k`,
      "",
      wholeTable(rows.all.filter((row) => row.window === window)),
      "",
      ...reportingWhole(rows.reporting.filter((row) => row.window === window)),
    ]),
  ];
}

function reportingWhole(rows: readonly WholeRow[]): readonly string[] {
  if (rows.length === 0) return [];
  const head = ["", "sessions", "tokens a request", "far, kept %", "+ handle", "+ hinted"];
  const cells = rows.map(({ name, sessions, figures: of }) => [
    name,
    String(sessions),
    whole0(of.tokens),
    ...[of.far, of.farDirect, of.farHinted].map(percent),
  ]);
  return ["The sessions that report:", "", markdownTable(head, cells), ""];
}

function wholeTable(rows: readonly WholeRow[]): string {
  const providers = Object.keys(rows[0]?.figures ?? {}).filter((key) => key.startsWith("dollars "));
  const head = [
    "",
    "sessions",
    "tokens a request",
    "far, kept %",
    "+ handle",
    "+ hinted",
    "blind",
    "lost",
    "near and far, kept",
    "edits",
    "rebounds",
    "illegal",
    "over",
    ...providers.map((key) => key.replace("dollars", "$")),
  ];
  const cells = rows.map(({ name, sessions, figures: of }) => [
    name,
    String(sessions),
    whole0(of.tokens),
    ...[of.far, of.farDirect, of.farHinted, of.farBlind, of.farLost, of.all].map(percent),
    ...[of.edits, of.rebounds, of.illegal, of.over].map(one),
    ...providers.map((key) => dollars(of[key as keyof typeof of])),
  ]);
  return markdownTable(head, cells);
}

// Cuts

const COLUMNS: readonly (readonly [keyof Verdict, string])[] = [
  ["recall", "kept %"],
  ["bound", "with binding"],
  ["soon", "next 10 steps"],
  ["far", "far"],
  ["direct", "+ handle"],
  ["hinted", "+ hinted"],
  ["lost", "lost"],
  ["replay", "replay of calls"],
  ["instructions", "instructions"],
  ["todos", "open todos"],
];

const TITLES: Readonly<Record<Half, string>> = {
  all: "all sessions",
  choosing: "the sessions by which changes of ours were chosen",
  reporting: "the sessions that report",
};

function atCuts(results: Results): readonly string[] {
  const { counts, defaults, sized } = results;
  if (counts.all.cuts === 0) return [];
  const titled = (half: Half): string => {
    const { cuts, sessions, uses } = counts[half];
    return `${TITLES[half]} (${cuts} cuts of ${sessions}, ${uses} names that were used later)`;
  };
  return [
    "## At one cut",
    "",
    "Sessions are cut at the first request that overflows 32k, 64k or 128k, and after 60 % with a window of 200k. A name counts when the agent used it afterwards, it stood before, and nothing between showed it again. *With binding*: in an original message, or in a line that also holds something which stood with it. *Replay*: of the next ten calls, those whose names are all there. *Used per 1k*: names that are used later, for 1,000 tokens.",
    "",
    ...(["all", "reporting"] as const).flatMap((half) => [
      `At everybody's defaults, ${titled(half)}:`,
      "",
      defaultsTable(defaults[half]),
      "",
    ]),
    ...(["all", "choosing", "reporting"] as const).flatMap((half) => [
      `At the tokens of our compaction, on the cuts that each can do, ${titled(half)}; ours / its, and the difference with its 95 % interval:`,
      "",
      sizedTable(sized[half]),
      "",
    ]),
  ];
}

function defaultsTable(rows: readonly DefaultRow[]): string {
  const head = [
    "",
    "cuts",
    "tokens",
    ...COLUMNS.map(([, title]) => title),
    "used per 1k",
    "violations a cut",
  ];
  const cells = rows.map(({ name, cuts, figures: of }) => [
    name,
    String(cuts),
    whole0(of.tokens),
    ...COLUMNS.map(([column]) => percent(of[column])),
    figure(of.density ?? NaN),
    figure(of.violations ?? NaN),
  ]);
  return markdownTable(head, cells);
}

function sizedTable(rows: readonly SizedRow[]): string {
  const head = [
    "",
    "cuts",
    "tokens",
    "kept %",
    "difference",
    "with binding",
    "difference",
    "far",
    "difference",
    "replay of calls",
    "difference",
    "instructions",
  ];
  const cells = rows.map(({ name, cuts, own, its, differences }) => {
    const both = (column: keyof Verdict): string =>
      `${percent(own[column])} / ${percent(its[column])}`;
    const compared = (column: Compared): readonly string[] => {
      const { mean, low, high } = differences[column];
      return [both(column), `${signed(mean)} (${signed(low)} to ${signed(high)})`];
    };
    return [
      name,
      String(cuts),
      `${whole0(own.tokens)} / ${whole0(its.tokens)}`,
      ...compared("recall"),
      ...compared("bound"),
      ...compared("far"),
      ...compared("replay"),
      both("instructions"),
    ];
  });
  return markdownTable(head, cells);
}

/** The columns of a table of few cuts. */
const OWN_COLUMNS: readonly (readonly [keyof Verdict, string])[] = COLUMNS.filter(
  ([column]) => column !== "todos",
);

function atOwnCuts({ own: { cuts, sessions, rows } }: Results): readonly string[] {
  if (cuts === 0) return [];
  const head = ["", "cuts", "tokens", ...OWN_COLUMNS.map(([, title]) => title)];
  const cells = rows.map(({ name, cuts: done, figures: of }) => [
    name,
    String(done),
    whole0(of.tokens),
    ...OWN_COLUMNS.map(([column]) => percent(of[column])),
  ]);
  return [
    "### Where agents compacted by themselves",
    "",
    `${cuts} compactions of ${sessions} sessions, whose summaries can be read (Codex encrypts its own). Everybody who asks a model gets what the agent's model wrote there. The past fills the window exactly, as it did then. The future was recorded with that summary in sight, which favours it; few uses stand against each.`,
    "",
    markdownTable(head, cells),
    "",
  ];
}

function timesTable({ date, machine, rows }: Times): readonly string[] {
  if (rows.length === 0) return [];
  const cells = rows.map(({ name, cuts, cpuMs, heapMb }) => [
    name,
    String(cuts),
    figure(cpuMs),
    figure(heapMb),
  ]);
  return [
    "### Time and memory",
    "",
    `At everybody's defaults, medians over every fourth cut; all take turns at each. CPU: the quickest of three runs, conversion into the contestant's own messages and back included; ours writes all originals into an archive in memory and reads them again. Memory: what is asked of the heap in a run, collected or not. From \`npm run bench:retention -- --times\`, ${date}, ${machine}.`,
    "",
    markdownTable(["", "cuts", "CPU, ms", "heap, MB"], cells),
    "",
  ];
}

// What else was looked at

function beside({ kinds, parts, rounds }: Results): readonly string[] {
  return [
    ...(kinds.some((row) => Object.keys(row.kinds).length > 0) ? kindsTable({ kinds }) : []),
    ...(parts.length > 0 ? partsTable({ parts }) : []),
    ...(rounds.length > 0 ? roundsTable({ rounds }) : []),
  ];
}

function kindsTable({ kinds }: Pick<Results, "kinds">): readonly string[] {
  const names = [...new Set(kinds.flatMap((row) => Object.keys(row.kinds)))];
  const count = (kind: string): number =>
    Math.max(...kinds.map((row) => row.kinds[kind]?.all ?? 0));
  const sorted = names.toSorted((a, b) => count(b) - count(a));
  const head = ["", ...sorted.map((kind) => `${kind} (${count(kind)})`)];
  const cells = kinds.map((row) => [
    row.name,
    ...sorted.map((kind) => {
      const { kept = 0, all = 0 } = row.kinds[kind] ?? {};
      return percent(all === 0 ? null : kept / all);
    }),
  ]);
  return [
    "### By kind",
    "",
    "What is kept at the tokens of our compaction, in %; all cuts together, each contestant on those that it can do.",
    "",
    markdownTable(head, cells),
    "",
  ];
}

function partsTable({ parts }: Pick<Results, "parts">): readonly string[] {
  const cells = parts.map(({ part, share, used, onlyHere }) => [
    part,
    percent(share),
    percent(used),
    figure(onlyHere),
  ]);
  return [
    "### What the parts of our summary are worth",
    "",
    "*Used*: of a section's lines, those that hold a name which is used later. *Only here*: names that are used later and stand nowhere else, for 1,000 of its tokens. Goal and Instructions are the user's words, whatever is used of them.",
    "",
    markdownTable(["", "share of tokens %", "used %", "only here per 1k"], cells),
    "",
  ];
}

function roundsTable({ rounds }: Pick<Results, "rounds">): readonly string[] {
  const head = [
    "",
    "round",
    "sessions",
    "tokens",
    "kept %",
    "far",
    "+ handle, hinted",
    "instructions",
  ];
  const cells = rounds.map(({ name, round, sessions, figures: of }) => [
    name,
    String(round),
    String(sessions),
    whole0(of.tokens),
    ...[of.recall, of.far, of.hinted, of.instructions].map(percent),
  ]);
  return [
    "### Ten compactions in a row",
    "",
    "A session is cut into eleven parts and compacted after each of the first ten, at 64k; after some of them, what is left of what is used afterwards.",
    "",
    markdownTable(head, cells),
    "",
  ];
}

function contestants({ contestants: all, absent }: Results): readonly string[] {
  return [
    "## Who is compared",
    "",
    ...all.map(({ name, does }) => `- **${name}**: ${does}.`),
    "",
    "Not here:",
    "",
    ...absent.map(({ name, why }) => `- **${name}**: ${why}.`),
    "",
  ];
}

function percent(value: number | null): string {
  return value === null ? "-" : (100 * value).toFixed(1);
}

function signed(value: number): string {
  if (!Number.isFinite(value)) return "-";
  const text = percent(value);
  return value > 0 ? `+${text}` : text;
}

function whole0(value: number | null): string {
  return value === null ? "-" : Math.round(value).toLocaleString("en-US");
}

function one(value: number | null): string {
  return value === null ? "-" : Number(value.toFixed(1)).toLocaleString("en-US");
}

function dollars(value: number | null | undefined): string {
  return typeof value === "number" ? value.toFixed(2) : "-";
}
