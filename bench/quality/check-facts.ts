/**
 * The facts that a summary may not lose, whoever wrote it: every changed file, the last outcome of
 * every command, open todos and unresolved errors stand in it, or are counted with a handle that
 * gives them back. Read from the text alone.
 */
import type { FileFact, Ledger } from "../../src/core/ledger/index.ts";
import { HANDLE } from "./check-recovery.ts";

export interface FactsInput {
  /** The summary in the context, as it stands there. */
  readonly text: string;
  readonly ledger: Ledger;
  /** The calls that stand beside the summary: these say themselves what was run. */
  readonly calls: string;
  /** Working directory of the agent; `""` if nobody says. */
  readonly cwd: string;
  /** Whether the archive gives something back for a handle. */
  readonly recovers: (handle: string) => boolean;
}

/** How many facts there are, and those that are neither there nor counted. */
export interface FactsCheck {
  readonly facts: number;
  readonly missing: readonly string[];
}

export function checkFacts(input: FactsInput): FactsCheck {
  const { ledger, cwd } = input;
  const changed = ledger.files.filter(({ ops }) => ops.some((op) => op !== "read"));
  const errors = openErrors(ledger, cwd);
  // A failed command stands once, with what it said, and is counted there.
  const ran = ledger.commands.map(({ command }) => shown(command, cwd));
  const commands = [...new Set(ran)].filter((command) => !errors.includes(command));
  const open = ledger.todos.filter(({ status }) => status !== "done").map(({ text }) => text);
  const text = squeezed(input.text);
  const has = (fact: string): boolean => text.includes(squeezed(fact).slice(0, 120));
  const calls = squeezed(input.calls);
  const isCalled = (command: string): boolean => calls.includes(squeezed(command).slice(0, 120));
  const found = [
    lost(input, /^(?:other )?(?:changed )?files$/, namesOf(changed, input)),
    lost(
      input,
      // What is to be called again before use is listed with its handle, or counted, there.
      /^(?:commands|protected outputs|unresolved errors)$/,
      commands.map((command) => [command, has(command) || isCalled(command)]),
    ),
    lost(
      input,
      /^open todos$/,
      open.map((todo) => [todo, has(todo)]),
    ),
    lost(
      input,
      // A command that failed is one of the commands.
      /^(?:unresolved errors|commands)$/,
      errors.map((error) => [error, has(error)]),
    ),
  ];
  return {
    facts: changed.length + commands.length + open.length + errors.length,
    missing: [...found.flat(), ...wrongOutcomes(input)],
  };
}

/** Facts that are not there, beyond those that lists of their kind count. */
function lost(
  { text, recovers }: FactsInput,
  noun: RegExp,
  facts: readonly (readonly [fact: string, isThere: boolean])[],
): readonly string[] {
  const absent = facts.filter(([, isThere]) => !isThere).map(([fact]) => fact);
  const counted = cuts(text, recovers, noun).reduce((sum, count) => sum + count, 0);
  return absent.length <= counted ? [] : absent.map((fact) => `${noun.source}: ${fact}`);
}

/** How many facts each cut line counts, if one of its handles gives them back. */
function cuts(text: string, recovers: FactsInput["recovers"], noun: RegExp): readonly number[] {
  const lines = text.matchAll(/^- … and (\d+) more \(([a-z ]+)\): (?:recall|archived as) (.+)$/gm);
  return [...lines].flatMap(([, count, kind = "", handles = ""]) => {
    const isAbout = noun.test(kind) || kind === "facts";
    return isAbout && (handles.match(HANDLE) ?? []).some(recovers) ? [Number(count)] : [];
  });
}

function namesOf(
  files: readonly FileFact[],
  { text, cwd }: FactsInput,
): readonly (readonly [string, boolean])[] {
  const paths = files.map(({ path }) => oneLine(relative(path, cwd)));
  const lines = text.split("\n");
  const last = (path: string): string =>
    path
      .replace(/[/\\]$/, "")
      .split(/[/\\]/)
      .at(-1) ?? path;
  return paths.map((path) => {
    const name = last(path);
    const folder = path.replace(/[/\\]$/, "").slice(0, -name.length);
    const isGrouped = lines.some(
      (line) => line.includes(`in \`${folder}\``) && line.includes(`\`${name}\``),
    );
    const isOnly = paths.filter((other) => last(other) === name).length === 1;
    return [path, text.includes(path) || isGrouped || (isOnly && hasWord(text, name))];
  });
}

function hasWord(text: string, name: string): boolean {
  const at = text.indexOf(name);
  return (
    at >= 0 && !/[\w-]/.test(text[at - 1] ?? " ") && !/[\w-]/.test(text[at + name.length] ?? " ")
  );
}

/** What our own lines say of a command must be how it ended the last time. */
function wrongOutcomes({ text, ledger }: FactsInput): readonly string[] {
  return [...text.matchAll(/^- (`+)(.+?)\1(?:: (ok|failed)\b|$)/gm)].flatMap(
    ([line, , span = "", said = "unknown"]) => {
      const start = span
        .trim()
        .replace(/ … \(\d+ lines\)$/, "")
        .replace(/…$/, "");
      const runs = ledger.commands.filter(({ command }) => shown(command).startsWith(start));
      const outcome = runs.toSorted((a, b) => a.at - b.at).at(-1)?.outcome;
      const isRight = runs.some((one) => one.outcome === said);
      if (outcome === undefined) return [];
      const isAmbiguous = new Set(runs.map(({ command }) => command)).size > 1;
      return outcome === said || (isAmbiguous && isRight)
        ? []
        : [`last outcome: ${line} (${outcome})`];
    },
  );
}

function openErrors({ errors }: Ledger, cwd: string): readonly string[] {
  const open = errors.filter(({ resolved }) => !resolved).toSorted((a, b) => a.at - b.at);
  const newest = new Map(
    open.map((error) => [
      error.subject === "" ? error.text : `${error.tool} ${shown(error.subject)}`,
      error.subject === "" ? error.text : shown(relative(error.subject, cwd)),
    ]),
  );
  return [...newest.values()];
}

/** A command as a list shows it: the start of its first line. */
function shown(command: string, cwd = ""): string {
  const bare = command.replace(
    /(^|[;&]\s*)echo (?:"[^"$`\n]*"|'[^'\n]*')\s*(?:;|&&)\s*|\s2>(?:&1|\/dev\/null)/g,
    "$1",
  );
  const first = bare.split("\n").find((line) => line.trim() !== "") ?? "";
  return oneLine(
    cwd === "" ? first : first.replace(`cd ${cwd} && `, "").replaceAll(`${cwd}/`, ""),
  ).slice(0, 190);
}

/** A name from the working directory on, with `/` on every system. */
function relative(path: string, cwd: string): string {
  const [one, folder] = [path, cwd].map((text) => text.replaceAll("\\", "/")) as [string, string];
  const root = folder.endsWith("/") ? folder : `${folder}/`;
  return folder !== "" && one.startsWith(root) && one.length > root.length
    ? one.slice(root.length)
    : one;
}

// oxlint-disable-next-line no-control-regex -- summaries have none of them
const CONTROL = /\u001b\[[0-9;]*[A-Za-z]|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

function oneLine(text: string): string {
  return text.replace(CONTROL, "").replace(/\s+/g, " ").trim();
}

function squeezed(text: string): string {
  return text
    .replace(CONTROL, "")
    .replace(/\s+/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&amp;", "&");
}
