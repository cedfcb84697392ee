import type { ContentItem } from "./window-contents.ts";

/** Something that is large, and what one could do about it. */
export interface Advice {
  readonly subject: string;
  readonly times: number;
  /** All together, as the pieces count them. */
  readonly tokens: number;
  readonly text: string;
  /** The first message that holds it. */
  readonly message?: number;
}

/** The number of times from which on one and the same output is worth a word. */
const OFTEN = 3;
/** Shares of what is usable: smaller things are not worth a word. */
const REPEATED_SHARE = 0.02;
const OUTPUT_SHARE = 0.04;
const KIND_SHARE = 0.1;
/** The share of everything from which on the outputs of one tool are too much. */
const TOOL_SHARE = 0.3;
const MOST = 24;

/** Advice on pieces of a window, the largest first. `usable` counts as the pieces do. */
export function adviceOn(items: readonly ContentItem[], usable: number): Advice[] {
  const outputs = items.filter(({ kind }) => kind === "tool-result");
  return [
    ...repeated(outputs).filter(({ tokens }) => tokens >= usable * REPEATED_SHARE),
    ...outputs.filter(({ tokens }) => tokens >= usable * OUTPUT_SHARE).map(largeOutput),
    ...tools(outputs, Math.max(sumOf(items) * TOOL_SHARE, usable * KIND_SHARE)),
    ...kinds(items).filter(({ tokens }) => tokens >= usable * KIND_SHARE),
  ]
    .toSorted((one, other) => other.tokens - one.tokens)
    .slice(0, MOST)
    .map((advice) => ({ ...advice, tokens: Math.round(advice.tokens) }));
}

function sumOf(items: readonly ContentItem[]): number {
  return items.reduce((total, { tokens }) => total + tokens, 0);
}

type Group = readonly [name: string, items: readonly ContentItem[]];

function groups(items: readonly ContentItem[], of: (item: ContentItem) => string): Group[] {
  const byName = new Map<string, ContentItem[]>();
  for (const item of items) {
    const group = byName.get(of(item));
    if (group === undefined) byName.set(of(item), [item]);
    else group.push(item);
  }
  return [...byName];
}

function nameOf({ tool, subject }: ContentItem): string {
  return [tool, subject].filter(Boolean).join(" ");
}

/** The same file read, or the same command run, again and again. */
function repeated(outputs: readonly ContentItem[]): Advice[] {
  const named = outputs.filter(({ subject }) => subject !== "");
  return groups(named, nameOf)
    .filter(([, group]) => group.length >= OFTEN)
    .map(([subject, group]): Advice => ({
      subject,
      times: group.length,
      tokens: sumOf(group),
      text: "A part of it or a search would do.",
      message: group[0]?.message,
    }));
}

function largeOutput(item: ContentItem): Advice {
  const text = "Truncation on arrival keeps a part of it, and archives the whole.";
  const { tokens, message } = item;
  return { subject: nameOf(item), times: 1, tokens, text, message };
}

/** Tools whose outputs fill much of it, as one piece of advice. */
function tools(outputs: readonly ContentItem[], least: number): Advice[] {
  const large = groups(outputs, ({ tool = "" }) => tool).filter(
    ([, group]) => sumOf(group) >= least,
  );
  if (large.length === 0) return [];
  const all = large.flatMap(([, group]) => group);
  const text =
    "The plugin (longhaul plugin) or longhaul run -- COMMAND cuts them on arrival and keeps the whole.";
  const subject = `outputs of ${large.map(([tool]) => tool || "tools").join(" and ")}`;
  return [{ subject, times: all.length, tokens: sumOf(all), text }];
}

const KINDS = [
  [
    "outside",
    "system prompt and tools",
    "Every request carries them: tools and servers that this work does not need can be switched off.",
  ],
  [
    "reasoning",
    "reasoning",
    "Thinking of earlier turns stays in the window with some providers; a lower effort makes less of it.",
  ],
  [
    "file",
    "files and images",
    "Each costs as much in every request; smaller pictures will often do.",
  ],
] as const;

function kinds(items: readonly ContentItem[]): Advice[] {
  return KINDS.flatMap(([wanted, subject, text]) => {
    const own = items.filter(({ kind }) => kind === wanted);
    return own.length === 0 ? [] : [{ subject, times: own.length, tokens: sumOf(own), text }];
  });
}
