import type { Handle } from "../../message/index.ts";
import type { Entry, FactList } from "../facts/fact-list.ts";
import { commandLine, errorLine, fileLine } from "../facts/fact-lines.ts";
import {
  CHANGED_FILES,
  changedFilesList,
  FILES_READ,
  filesList,
  headsList,
  instructionsList,
  list,
  OTHER_CHANGED_FILES,
  OTHER_FILES,
  OTHER_FILES_READ,
  requestLines,
  RULES,
  withHidden,
} from "../facts/fact-lists.ts";
import type { SectionLists } from "../facts/fact-lists.ts";
import { fileState } from "../facts/facts.ts";
import type { Facts, FileMention } from "../facts/facts.ts";
import type { CoreSectionId } from "../template.ts";

/** A file that a model does not list, and whether it names it at all. */
export interface OtherFile extends FileMention {
  readonly isNamed: boolean;
}

/** What a summary is made of: a model's words, and the facts that they leave out. */
export interface MergedContent {
  /** The model's entries by section; a section that it left out is not there. */
  readonly model: ReadonlyMap<string, readonly Entry[]>;
  /** All facts; those of `others` below stand instead of theirs. */
  readonly facts: Facts;
  readonly heads: readonly Handle[];
  /** Absent when the model says it already. */
  readonly newestRequest: string | undefined;
  /** What the user typed, word for word. */
  readonly instructions: readonly string[];
  /** Rules in a model's words, each taken from what the user typed. */
  readonly rules: readonly string[];
  readonly others: {
    readonly changed: readonly OtherFile[];
    readonly read: readonly FileMention[];
    readonly commands: Facts["commands"];
    readonly environment: readonly string[];
    readonly done: readonly string[];
  };
  readonly open: readonly string[];
}

/** A model has said which commands mattered: beside those, the newest ones are enough. */
const MOST_COMMANDS = 12;

/** The share of a list in a summary that is too small, compared with the others. */
export const WEIGHT = {
  goal: 14,
  instructions: 15,
  rules: 10,
  discoveries: 20,
  errors: 7,
  read: 2,
  environment: 2,
  changed: 16,
  commands: 4,
  done: 1,
  accomplished: 18,
  open: 10,
  relevantFiles: 18,
  section: 6,
} as const;

/**
 * The sections as lists: what a model wrote, then what it left out. `isShort`: files that no section
 * of the model names are in one list instead of two, if the model lists files at all.
 */
export function mergedLists(
  content: MergedContent,
  { isShort }: { isShort: boolean },
): SectionLists {
  const { facts, model } = content;
  const core: readonly (readonly [CoreSectionId, readonly FactList[]])[] = [
    ["goal", [goal(content)]],
    ["instructions", instructions(content)],
    ["discoveries", discoveries(content)],
    ["accomplished", accomplished(content)],
    ["relevantFiles", relevantFiles(content, isShort)],
  ];
  const ids = new Set<string>(core.map(([id]) => id));
  const own = [...new Set([...model.keys(), ...facts.others.keys()])].filter((id) => !ids.has(id));
  const others = own.map((id) => [id, [section(content, id)]] as const);
  return withHidden([...core, ...others], facts);
}

function section({ model, facts }: MergedContent, id: string): FactList {
  const earlier = list("entries", WEIGHT.section, facts.others.get(id) ?? [], true);
  const entries = model.get(id);
  return entries === undefined ? earlier : { ...earlier, entries };
}

/** The newest request comes second: a list that is cut loses its end. */
function goal({ model, facts, newestRequest }: MergedContent): FactList {
  const [first, ...more] = model.get("goal") ?? [];
  const requests = list("requests", WEIGHT.goal, requestLines(facts), true);
  if (first === undefined) return requests;
  const newest = newestRequest === undefined ? [] : [{ text: `Newest request: ${newestRequest}` }];
  return { ...requests, needsFirst: true, entries: [first, ...newest, ...more] };
}

function instructions({ instructions, rules }: MergedContent): readonly FactList[] {
  return [
    instructionsList(WEIGHT.instructions, instructions),
    list(RULES, WEIGHT.rules, rules, true),
  ];
}

function discoveries({ model, facts, heads, others }: MergedContent): readonly FactList[] {
  const earlier = list("statements", WEIGHT.discoveries, facts.statements, true);
  const entries = model.get("discoveries");
  return [
    entries === undefined ? earlier : { ...earlier, entries },
    list("unresolved errors", WEIGHT.errors, facts.errors.map(errorLine), true),
    list(FILES_READ, 1, []),
    filesList(OTHER_FILES_READ, WEIGHT.read, { read: others.read }),
    list(
      "environment facts",
      WEIGHT.environment,
      others.environment.map((text) => `Environment: ${text}`),
    ),
    headsList(heads),
  ];
}

function accomplished({ model, facts, others, open }: MergedContent): readonly FactList[] {
  const notes = facts.notes.get("accomplished") ?? [];
  const earlier = list("earlier notes", WEIGHT.accomplished, notes, true);
  const entries = model.get("accomplished");
  const unlisted = others.changed.filter((file) => !file.isNamed || isGone(file));
  return [
    entries === undefined ? earlier : { ...earlier, entries },
    list(CHANGED_FILES, 1, []),
    changedFilesList(OTHER_CHANGED_FILES, WEIGHT.changed, unlisted),
    {
      ...list("commands", WEIGHT.commands, others.commands.map(commandLine)),
      ...(entries !== undefined && { most: MOST_COMMANDS }),
    },
    list(
      "finished todos",
      WEIGHT.done,
      others.done.map((text) => `Done: ${text}`),
    ),
    list(
      "open todos",
      WEIGHT.open,
      open.map((text) => `Still open: ${text}`),
    ),
  ];
}

/** What is gone stands with the deeds: nobody can open it any more. */
function isGone({ ops }: FileMention): boolean {
  return fileState(ops) === "deleted";
}

/** A model that lists none has left the section to the facts, which know also what was read. */
function relevantFiles(content: MergedContent, isShort: boolean): readonly FactList[] {
  const { model, facts, others } = content;
  const listed = model.get("relevantFiles");
  const isLeftOut = isShort && listed !== undefined;
  const there = others.changed.filter((file) => !isGone(file));
  const files = isLeftOut ? there.filter(({ isNamed }) => isNamed) : there;
  const ranked = files.toSorted((a, b) => Number(b.isNamed) - Number(a.isNamed));
  const rest = listed === undefined ? [...ranked, ...others.read] : ranked;
  const entries = [...(listed ?? []), ...rest.map((file) => ({ text: fileLine(file) }))];
  const notes = listed === undefined ? (facts.notes.get("relevantFiles") ?? []) : [];
  return [
    { ...list(OTHER_FILES, WEIGHT.relevantFiles, []), entries },
    list("files", 1, []),
    list("file notes", 3, notes, true),
  ];
}
