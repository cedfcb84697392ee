import { describeCall } from "../core/calls/describe-call.ts";
import type { ContentItem } from "../core/contents/window-contents.ts";
import type { Message, ToolCallPart } from "../core/message/index.ts";
import type { Advice } from "./data.ts";

/** Messages with the pieces of each, once each. */
interface Said {
  readonly messages: readonly Message[];
  readonly items: readonly (readonly ContentItem[])[];
  /** Numbers of the messages that were new when they came. */
  readonly own: readonly number[];
  readonly scale: number;
  readonly outside: number;
  readonly usable: number;
}

const MOST = 8;
/** The least share of the usable tokens that is worth a line. */
const WORTH = 0.01;

/** The largest things, by tool and by file, each with a remedy. */
export function adviceOn(said: Said): Advice[] {
  const worth = said.usable * WORTH;
  const { files, commands } = grouped(said);
  return [...filesRead(files), ...commandsRun(commands), ...largeOutputs(said), ...others(said)]
    .filter(({ tokens, what }) => what === "file" || tokens >= worth)
    .toSorted((one, other) => other.tokens - one.tokens);
}

interface Group {
  times: number;
  tokens: number;
  readonly message: number;
}

type Groups = Map<string, Group>;
/** The groups that a call counts in, and its subject. */
type About = readonly [groups?: Groups, subject?: string | undefined];

/** Results by what their calls were about: files that were read, and commands. */
function grouped({ messages, items, own, scale }: Said): {
  readonly files: Groups;
  readonly commands: Groups;
} {
  const [files, commands]: [Groups, Groups] = [new Map(), new Map()];
  const aboutOf = (call: ToolCallPart): About => {
    const { kind, files: touched, subject } = describeCall(call);
    if (kind === "command") return [commands, subject];
    return kind === "read" ? [files, touched[0]?.path] : [];
  };
  const calls = new Map<string, About>();
  for (const number of own) {
    const results = (items[number] ?? []).filter(({ kind }) => kind === "tool-result");
    let at = 0;
    for (const part of messages[number]?.parts ?? []) {
      if (part.type === "tool-call") calls.set(part.toolCallId, aboutOf(part));
      if (part.type !== "tool-result") continue;
      const tokens = (results[at]?.tokens ?? 0) * scale;
      at += 1;
      const [groups, subject] = calls.get(part.toolCallId) ?? [];
      if (groups === undefined || subject === undefined) continue;
      const group = groups.get(subject) ?? { times: 0, tokens: 0, message: number };
      group.times += 1;
      group.tokens += tokens;
      groups.set(subject, group);
    }
  }
  return { files, commands };
}

function largestFirst(groups: Groups): (Group & { readonly subject: string })[] {
  const all = [...groups].map(([subject, group]) => ({ subject, ...group }));
  return all.toSorted((one, other) => other.tokens - one.tokens);
}

const OFTEN = 3;

function filesRead(groups: Groups): Advice[] {
  return adviceFor(
    "file",
    largestFirst(groups).filter(({ times }) => times >= OFTEN),
    "Earlier reads of a file are out of date once it is read again: pruning takes them first. Ask the agent to read parts of it.",
  );
}

function commandsRun(groups: Groups): Advice[] {
  const large = largestFirst(groups).filter(
    ({ times, tokens }) => times >= 2 && tokens / times >= 300,
  );
  return adviceFor(
    "command",
    large,
    "longhaul run -- COMMAND prints what fits and keeps the whole output for recall; a quieter flag helps, too.",
  );
}

function adviceFor(
  what: Advice["what"],
  groups: ReturnType<typeof largestFirst>,
  text: string,
): Advice[] {
  return groups
    .slice(0, MOST)
    .map((group) => ({ ...group, what, tokens: Math.round(group.tokens), text }));
}

/** An output larger than this share of what is usable stands out. */
const LARGE = 0.04;

function largeOutputs({ items, own, scale, usable }: Said): Advice[] {
  const all = own.flatMap((number) => items[number] ?? []);
  return all
    .filter(({ kind, tokens }) => kind === "tool-result" && tokens * scale >= usable * LARGE)
    .toSorted((one, other) => other.tokens - one.tokens)
    .slice(0, MOST)
    .map(({ tool, subject, tokens, message }) => ({
      what: "output",
      subject: [tool, subject].filter(Boolean).join(" "),
      times: 1,
      tokens: Math.round(tokens * scale),
      text: "One output takes this much for as long as it stands. Truncation on arrival (T15) keeps its beginning or end and archives the rest.",
      message,
    }));
}

function others({ items, own, scale, outside, usable }: Said): Advice[] {
  const all = own.flatMap((number) => items[number] ?? []);
  const sum = (kind: ContentItem["kind"]): number =>
    all.reduce((total, item) => total + (item.kind === kind ? item.tokens * scale : 0), 0);
  const advice: Advice[] = [];
  const add = (what: Advice["what"], subject: string, tokens: number, text: string): void => {
    if (tokens >= usable * 0.1) {
      advice.push({ what, subject, times: 1, tokens: Math.round(tokens), text });
    }
  };
  add(
    "outside",
    "System prompt and tools",
    outside,
    "Every request carries them. Tools and servers that this work does not need can be switched off.",
  );
  add(
    "reasoning",
    "Reasoning",
    sum("reasoning"),
    "Thinking of earlier turns stays in the window with some providers; a lower effort makes less of it.",
  );
  add(
    "image",
    "Files and images",
    sum("file"),
    "A picture costs as much in every request. Smaller ones will often do.",
  );
  return advice;
}
