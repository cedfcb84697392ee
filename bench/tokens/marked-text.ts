/** Text with marks beyond ASCII: trees, tables, terminals, typography, other languages. */
import type { Material } from "./material.ts";

type Maker = (m: Material) => string;

const MARKS =
  "→←↑↓⇒↳⋮│┃├└─┌┐┬┴┼━╭╮╰╯═║╔╗╚╝…•·●○◯◉◆■□▪▶►▸❯›✓✗✔✘✖☐☑☒⚠★☆“”‘’—–«»°±×§™©®≥≤≠≡∞█░▒▓▌▏⎿⏺⏵⏎✻✽✶✢⬢↻⚡ℹ➜";
const EMOJI = [
  "✅",
  "❌",
  "🚀",
  "📝",
  "🔧",
  "🎉",
  "⚠️",
  "💡",
  "🟢",
  "🔴",
  "🧪",
  "🤖",
  "👍",
  "📦",
  "🔍",
  "🐛",
  "✨",
  "📊",
  "🏗️",
  "🔒",
  "😀",
  "🔥",
];
const SPINNERS = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏", "✻", "✽", "◐", "◓"];

/** Folders as `tree` and `npm ls` draw them. */
export const tree: Maker = (m) => {
  const style = m.number(4);
  const name = [
    () => m.path().split("/").at(-1)!,
    () =>
      `${m.pick(["", "@types/", "@babel/"])}${m.word()}-${m.word()}@${m.number(20)}.${m.number(30)}.${m.number(9)}${m.pick(["", "", " deduped"])}`,
    () =>
      `${m.name()}.${m.pick(["ts", "go", "py", "md", "rs"])}${m.random() < 0.3 ? `  # ${m.phrase(4)}` : ""}`,
    () => `[${String(m.number(90_000)).padStart(7)}]  ${m.path().split("/").at(-1)!}`,
  ][style]!;
  const nbsp = style === 3 ? "\u00a0\u00a0 " : "   ";
  let depth = 0;
  return m.lines(260, () => {
    depth = Math.max(0, Math.min(5, depth + m.pick([-1, 0, 0, 0, 1])));
    const bars = Array.from({ length: depth }, () =>
      m.random() < 0.8 ? `│${style === 1 ? " " : nbsp}` : style === 1 ? "  " : `    `,
    ).join("");
    const branch =
      style === 1 ? m.pick(["├── ", "├─┬ ", "└── ", "└─┬ "]) : m.pick(["├── ", "├── ", "└── "]);
    return bars + branch + name();
  });
};

/** Tables drawn with box characters or with ASCII. */
export const table: Maker = (m) => {
  const [h, v, cross] = m.pick([
    ["─", "│", "┼"],
    ["━", "┃", "╋"],
    ["═", "║", "╬"],
    ["-", "|", "+"],
    ["-", "|", "|"],
  ] as const);
  const widths = Array.from({ length: 3 + m.number(4) }, () => 6 + m.number(24));
  const cell = (): string =>
    m.pick([
      m.word(),
      m.phrase(2),
      String(m.number(9e4)),
      `${m.number(100)}.${m.number(10)}%`,
      m.name(),
      "",
      "-",
    ]);
  const row = (text: (width: number) => string): string =>
    v +
    widths
      .map(
        (w) =>
          ` ${text(w - 2)
            .slice(0, w - 2)
            .padEnd(w - 2)} `,
      )
      .join(v) +
    v;
  const rule = cross + widths.map((w) => h.repeat(w)).join(cross) + cross;
  const left = m.random() < 0.5;
  return m.lines(90, (i) => (i % (left ? 2 : 30) === 0 ? rule : row(cell)));
};

/** A terminal with marks, spinners, bars, prompts and colour codes. */
export const terminal: Maker = (m) => {
  const line = (): string =>
    m.pick([
      () =>
        `${m.pick(["✓", "✗", "✔", "✘", "●", "○", "❯", "ℹ", "⚠", "•", "›", "»", "▶", "■", "➜", "→"])} ${m.phrase(2 + m.number(6))}`,
      () => `  ⎿  ${m.pick([`Read ${m.number(900)} lines`, m.codeLine(), m.phrase(5)])}`,
      () => `⏺ ${m.pick(["Bash", "Read", "Update", "Search"])}(${m.path()})`,
      () =>
        `${m.pick(SPINNERS)} ${m.phrase(2)}… (${m.number(90)}s · ↑ ${m.number(40)}.${m.number(9)}k tokens · esc to interrupt)`,
      () =>
        `${"█".repeat(m.number(30))}${"░".repeat(m.number(30))} ${m.number(100)}% ${m.number(900)}/${m.number(900)}`,
      () => `\u001b[3${m.number(8)}m${m.phrase(3)}\u001b[39m \u001b[2m${m.path()}\u001b[22m`,
      () => "─".repeat(20 + m.number(60)),
      () => `│ ${m.phrase(5).padEnd(40 + m.number(20))} │`,
      () =>
        `╭${"─".repeat(40 + m.number(20))}╮\n│ ${m.codeLine()} │\n╰${"─".repeat(40 + m.number(20))}╯`,
      () =>
        `$ ${m.pick(["git", "npm", "cargo", "docker", "ls", "make"])} ${m.word()} --${m.word()}=${m.name()} ${m.path()}`,
      () => `${m.pick(EMOJI)} ${m.phrase(4)}`,
      () => `${m.drawn(MARKS, 1 + m.number(3))} ${m.name()} ${m.drawn(MARKS, 1)} ${m.word()}`,
    ])();
  return m.lines(160, line);
};

/** Marks with words, numbers, indents and code around them: what each costs where. */
export const marks: Maker = (m) => {
  const around = (): string =>
    m.pick([
      "",
      " ",
      "  ",
      "\t",
      "\n",
      "\n  ",
      m.word(),
      m.codeLine(),
      String(m.number(3_000)),
      ` ${m.phrase(3)} `,
      "...",
      ")",
      '"',
      ": ",
    ]);
  const mark = (): string =>
    m.random() < 0.15
      ? m.pick(EMOJI)
      : m.drawn(MARKS, 1).repeat(m.random() < 0.15 ? 1 + m.number(5) : 1);
  return Array.from({ length: 500 }, () => around() + mark() + around()).join("");
};

/** Prose as chat models and word processors set it. */
export const typographic: Maker = (m) => {
  const emphasis = (): string =>
    m.pick([
      `**${m.phrase(2)}**`,
      `\`${m.name()}\``,
      `“${m.phrase(3)}”`,
      `‘${m.word()}’`,
      `${m.phrase(2)} — ${m.phrase(3)}`,
      `${m.word()}’s`,
      `${m.number(9)}–${m.number(99)}`,
      `${m.word()} → ${m.word()}`,
      `(${m.phrase(2)}…)`,
    ]);
  const sentence = (): string =>
    `${m.pick(["The", "It’s", "I’ll", "Here’s", "Don’t", "This"])} ${m.phrase(3 + m.number(8))} ${emphasis()} ${m.phrase(2 + m.number(6))}.`;
  return m.lines(70, () =>
    m.pick([
      () => `## ${m.pick(["", ...EMOJI])} ${m.phrase(3)}\n`,
      () => `- ${m.pick(["", "✅ ", "❌ ", "**"])}${sentence()}`,
      () => `• ${sentence()}`,
      () => `${m.number(9)}. ${sentence()} ${sentence()}`,
      () => `${sentence()} ${sentence()} ${sentence()}\n`,
      () => `| ${m.phrase(2)} | ${emphasis()} | ${m.pick(["✅", "❌", "✓", "—"])} |`,
    ])(),
  );
};

/** Other languages as people write them to an agent: with Markdown, code names and paths. */
export const translated: Maker = (m) => {
  const sentences = m
    .foreign()
    .split(/\n+|(?<=[.。]) /)
    .filter((text) => text.length > 8);
  const line = (text: string): string =>
    m.pick([
      () => `- ${text}`,
      () => `- **${text.slice(0, 12)}**: ${text} \`${m.name()}\``,
      () => `${m.number(9)}. ${text}`,
      () => `## ${text.slice(0, 40)}\n`,
      () => `> ${text} \`--${m.word()}-${m.word()}\` (${m.word()}, ${m.name()})`,
      () => `| ${text.slice(0, 30)} | \`${m.path()}\` |`,
      () => `// ${text}\n${m.codeLine()}`,
      () => text,
    ])();
  return sentences.slice(0, 160).map(line).join("\n");
};
