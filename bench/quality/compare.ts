/** Holds the ledger of a session against the independent reading of the same session. */
import { extractLedger, type FileFact, type Ledger } from "../../src/core/ledger/index.ts";
import { type Message, repairMessages } from "../../src/core/message/index.ts";
import {
  baseName,
  isAbsolutePath,
  isInside,
  joinPath,
  maySame,
  plainPath,
} from "./reading/paths.ts";
import { type Place, type PlacedAct, readSession } from "./reading/read-session.ts";
import type { SessionReading } from "./reading/read-session.ts";
import { canDo, type Operation } from "./reading/shell-files.ts";
import { contextOf, type Session } from "./sessions.ts";

export const KINDS = [
  "created",
  "modified",
  "deleted",
  "read",
  "commands",
  "outcomes",
  "instructions",
] as const;
export type Kind = (typeof KINDS)[number];

/** `found` of `of`. */
export interface Share {
  readonly found: number;
  readonly of: number;
}

export interface Difference {
  readonly kind: Kind | "name";
  /** `missing`: only the reading has it. `extra`: only the ledger. `name`: another spelling. */
  readonly side: "missing" | "extra" | "name";
  readonly text: string;
  readonly place: Place;
}

export interface Comparison {
  readonly session: Session;
  readonly recall: Readonly<Record<Kind, Share>>;
  readonly precision: Readonly<Record<Kind, Share>>;
  /**
   * Of the operations that the ledger does not claim, how many the reading would have refuted: what
   * the precision is worth.
   */
  readonly refutable: Share;
  readonly differences: readonly Difference[];
}

export function compareSession(session: Session): Comparison {
  const messages = repairMessages(contextOf(session.conversation)).messages;
  const directory = session.conversation.cwd ?? "";
  const reading = readSession(messages, directory);
  const extracted = extractLedger(messages, { cwd: session.conversation.cwd });
  // A call of a tool of no known kind is a deed, and nothing that the reading takes for a command.
  const commands = extracted.commands.filter(({ tool }) => tool === undefined);
  const ledger = { ...extracted, commands };
  const differences: Difference[] = [];
  const outcomes = outcomeShares(reading, ledger, differences);
  const recall = {
    outcomes: outcomes.recall,
    ...fileRecall(reading, ledger, { directory, differences }),
    commands: textRecall("commands", reading.commands, {
      list: commands.map(({ command }) => command),
      differences,
    }),
    instructions: textRecall("instructions", reading.instructions, {
      list: ledger.instructions.map(({ text }) => text),
      differences,
    }),
  };
  const precision = {
    outcomes: outcomes.precision,
    ...filePrecision(reading, ledger, { directory, differences, messages }),
    commands: textPrecision(
      "commands",
      commands.map(({ command, at }) => ({ text: command, at })),
      {
        // One that was refused is a fact as well, as long as it is not said to have worked.
        list: [...reading.commands, ...reading.refused].map(({ text }) => text),
        differences,
        messages,
      },
    ),
    instructions: textPrecision("instructions", ledger.instructions, {
      list: reading.instructions.map(({ text }) => text),
      differences,
      messages,
    }),
  };
  const refutable = refutableShare(reading, ledger, directory);
  return { session, recall, precision, refutable, differences };
}

interface FileContext {
  readonly directory: string;
  readonly differences: Difference[];
}

type FileKind = "created" | "modified" | "deleted" | "read";
const FILE_KINDS: readonly FileKind[] = ["created", "modified", "deleted", "read"];

function located(file: FileFact, directory: string): string {
  return isAbsolutePath(file.path) ? plainPath(file.path) : joinPath(directory, file.path);
}

/** Every certain act has its file in the ledger, with one of the operations that it can be. */
function fileRecall(
  { acts }: SessionReading,
  { files }: Ledger,
  { directory, differences }: FileContext,
): Record<FileKind, Share> {
  const shares = emptyShares();
  for (const act of firstActs(acts)) {
    const [kind = "read"] = act.operations;
    const share = shares[kind];
    share.of++;
    const facts = files.filter((file) => maySame(located(file, directory), act.path));
    if (facts.some(({ ops }) => act.operations.some((one) => ops.includes(one)))) share.found++;
    else {
      const has = facts.map(({ path, ops }) => ` (ledger: ${path} ${ops.join("+")})`).join("");
      const text = `${act.operations.join("|")} ${act.path}${has}`;
      differences.push({ kind, side: "missing", text, place: act });
    }
  }
  return shares;
}

/** Certain acts, each file and kind once. */
function firstActs(acts: readonly PlacedAct[]): readonly PlacedAct[] {
  const seen = new Map<string, PlacedAct>();
  for (const act of acts) {
    const key = `${act.operations.join("|")} ${act.path}`;
    if (act.certain && !seen.has(key)) seen.set(key, act);
  }
  return [...seen.values()];
}

/** Everything that the ledger says of a file is at least possible. */
function filePrecision(
  reading: SessionReading,
  { files }: Ledger,
  { directory, differences, messages }: FileContext & { readonly messages: readonly Message[] },
): Record<FileKind, Share> {
  const shares = emptyShares();
  const named = files.map((file) => ({ file, path: located(file, directory) }));
  for (const { file, path } of named) {
    const about = reading.acts.filter((act) => maySame(act.path, path));
    for (const operation of file.ops) {
      const share = shares[operation];
      share.of++;
      if (isPossible(reading, path, operation)) share.found++;
      else {
        const place = placeOf(messages, file.last);
        differences.push({
          kind: operation,
          side: "extra",
          text: `${operation} ${file.path}`,
          place,
        });
      }
    }
    const others = about.filter((act) => act.path !== path && isAbsolutePath(act.path));
    if (others.length > 0 && others.length === about.length && others[0] !== undefined) {
      const text = `${file.path} for ${others[0].path}`;
      differences.push({ kind: "name", side: "name", text, place: others[0] });
    }
  }
  for (const [index, { file, path }] of named.entries()) {
    const twin = named.slice(0, index).find((one) => one.path === path);
    if (twin === undefined) continue;
    const text = `${file.path} and ${twin.file.path} are one file`;
    differences.push({ kind: "name", side: "name", text, place: placeOf(messages, file.last) });
  }
  return shares;
}

function refutableShare(reading: SessionReading, { files }: Ledger, directory: string): Share {
  const invented = files.flatMap((file) => {
    const unsaid = FILE_KINDS.filter((kind) => !file.ops.includes(kind));
    return unsaid.map((kind) => isPossible(reading, located(file, directory), kind));
  });
  return { found: invented.filter((possible) => !possible).length, of: invented.length };
}

/** Whether anything in the session may have done this to the file. */
function isPossible({ acts, opaque }: SessionReading, path: string, operation: Operation): boolean {
  const name = baseName(path);
  if (opaque.some(({ text }) => canDo(text, name, operation))) return true;
  return acts.some((act) => {
    if (!act.operations.includes(operation)) return false;
    // What is moved or deleted as a directory takes its files along.
    const isTree = !act.operations.includes("read") && operation !== "read";
    return maySame(act.path, path) || (isTree && isInside(path, act.path));
  });
}

function emptyShares(): Record<FileKind, { found: number; of: number }> {
  return Object.fromEntries(FILE_KINDS.map((kind) => [kind, { found: 0, of: 0 }])) as Record<
    FileKind,
    { found: number; of: number }
  >;
}

/** What the ledger says of a command's end is what was recorded; a refused one did not work. */
function outcomeShares(
  { commands, refused }: SessionReading,
  ledger: Ledger,
  differences: Difference[],
): { readonly recall: Share; readonly precision: Share } {
  const known = [
    ...commands.filter(({ outcome }) => outcome !== "unknown"),
    ...refused.map((one) => ({ ...one, outcome: "failed" as const })),
  ];
  const recall = { found: 0, of: 0 };
  const precision = { found: 0, of: 0 };
  for (const { outcome, text, ...place } of known) {
    const fact = ledger.commands.find((one) => one.at === place.at && one.command === text);
    if (fact === undefined) continue;
    recall.of++;
    if (fact.outcome !== "unknown") precision.of++;
    if (fact.outcome === outcome) {
      recall.found++;
      precision.found++;
      continue;
    }
    const side = fact.outcome === "unknown" ? "missing" : "extra";
    const said = `${fact.outcome} for ${outcome}: ${text.slice(0, 200)}`;
    differences.push({ kind: "outcomes", side, text: said, place });
  }
  return { recall, precision };
}

interface TextContext {
  readonly list: readonly string[];
  readonly differences: Difference[];
}

function textRecall(
  kind: Kind,
  wanted: readonly (Place & { readonly text: string })[],
  { list, differences }: TextContext,
): Share {
  const have = new Set(list.map(oneSpaced));
  let found = 0;
  for (const { text, ...place } of wanted) {
    if (have.has(oneSpaced(text))) found++;
    else differences.push({ kind, side: "missing", text: text.slice(0, 200), place });
  }
  return { found, of: wanted.length };
}

function textPrecision(
  kind: Kind,
  said: readonly { readonly text: string; readonly at: number }[],
  { list, differences, messages }: TextContext & { readonly messages: readonly Message[] },
): Share {
  const have = new Set(list.map(oneSpaced));
  let found = 0;
  for (const { text, at } of said) {
    if (have.has(oneSpaced(text))) found++;
    else {
      const place = placeOf(messages, at);
      differences.push({ kind, side: "extra", text: text.slice(0, 200), place });
    }
  }
  return { found, of: said.length };
}

function oneSpaced(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** What stands in a message, for a fact that the reading knows nothing of. */
function placeOf(messages: readonly Message[], at: number): Place {
  const calls = (messages[at]?.parts ?? []).flatMap((part) =>
    part.type === "tool-call" ? [part] : [],
  );
  const tool = calls.map(({ toolName }) => toolName).join(", ") || (messages[at]?.role ?? "");
  return { at, tool, input: calls.map(({ input }) => JSON.stringify(input)).join(" ") };
}
