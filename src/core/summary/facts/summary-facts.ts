import type { Handle } from "../../message/index.ts";
import { distinct, fileState, NO_FACTS, requestStart } from "./facts.ts";
import type { CommandRuns, Facts, FileMention, HiddenFacts, OpenError } from "./facts.ts";
import { readCutLine } from "./fact-list.ts";
import {
  readCommandLine,
  readErrorLine,
  readFileLine,
  readFilesLine,
  readHeadsLine,
  readPrefixed,
} from "./fact-lines.ts";
import { mergeCommands, mergeFiles } from "./merge-facts.ts";
import { cleanText } from "../plain-text.ts";
import { parseSummary, plainTitle, PREAMBLE } from "../sections.ts";
import { splitEntries } from "../split-entries.ts";
import { CORE_SECTION_IDS } from "../template.ts";
import type { CompactionTemplate, CoreSectionId } from "../template.ts";

/** The facts of an earlier summary, and the older heads that it names, newest first. */
export interface SummaryFacts {
  readonly facts: Facts;
  readonly heads: readonly Handle[];
}

/** What other agents call the sections; the first pattern that fits says where the content goes. */
const ALIASES: readonly (readonly [RegExp, CoreSectionId | "plans"])[] = [
  [/relevantfiles|^files|filesand|filesmodified|fileschanged|codesections/, "relevantFiles"],
  [/^next|nextstep|nextmove|pending|todo|openquestions|remaining/, "plans"],
  [/accomplished|progress|completed|workstate|^done|changesmade|currentwork/, "accomplished"],
  [/goal|objective|intent|primaryrequest|^task/, "goal"],
  [/instruction|constraint|preference|requirement|usermessages|guideline|rules/, "instructions"],
  [/discover|decision|detail|context|concept|finding|learned|errors|environment/, "discoveries"],
];

/** The section of ours that the heading of another agent means; `plans` belong to none. */
export function sectionMeant(heading: string): CoreSectionId | "plans" | undefined {
  const title = plainTitle(heading);
  return ALIASES.find(([pattern]) => pattern.test(title))?.[1];
}

/** What is read so far; filled entry by entry. */
interface Draft {
  firstRequest: string | undefined;
  newestRequest: string | undefined;
  readonly instructions: string[];
  readonly errors: OpenError[];
  readonly statements: string[];
  readonly environment: string[];
  /** Files by the list they stood in. */
  readonly files: Readonly<Record<"changed" | "read" | "relevant", FileMention[]>>;
  readonly commands: CommandRuns[];
  readonly done: string[];
  readonly open: string[];
  readonly notes: Map<CoreSectionId, string[]>;
  readonly others: Map<string, string[]>;
  readonly hidden: Map<string, HiddenFacts>;
  readonly heads: Handle[];
}

/** A summary with so many of our sections follows our template; any other is another agent's. */
const LEAST_OWN_SECTIONS = 3;
/**
 * The facts of an earlier summary. Ours come back as the facts they were written from; sections of
 * a model come back as notes in its own words; another agent's headings are matched to ours by what
 * they mean; text without any heading becomes statements.
 */
export function summaryFacts(text: string, template: CompactionTemplate): SummaryFacts {
  const draft = emptyDraft();
  const sections = parseSummary(withoutAnalysis(cleanText(text)), template);
  const isOurs = [...sections.keys()].filter(isCore).length >= LEAST_OWN_SECTIONS;
  const own = new Set([...CORE_SECTION_IDS, ...template.sections.map(({ id }) => id)]);
  for (const [key, body] of sections) {
    if (own.has(key)) readSection(draft, key, body);
    else readStrangeSection(draft, { key, body, isOurs });
  }
  return { facts: finish(draft), heads: [...new Set(draft.heads)] };
}

/** Some agents think aloud before they summarize; their summary says it again. */
function withoutAnalysis(text: string): string {
  const untagged = withoutBetween(`\n${text}`, "<analysis>", "</analysis>");
  return withoutBetween(untagged, "\nAnalysis:\n", "\nSummary:\n");
}

function withoutBetween(text: string, opening: string, closing: string): string {
  const start = text.indexOf(opening);
  const end = start < 0 ? -1 : text.indexOf(closing, start + opening.length - 1);
  return end < 0 ? text : `${text.slice(0, start)}\n${text.slice(end + closing.length)}`;
}

interface StrangeSection {
  readonly key: string;
  readonly body: string;
  readonly isOurs: boolean;
}

/** A section that our template does not have: by what its heading means, else as it is. */
function readStrangeSection(draft: Draft, { key, body, isOurs }: StrangeSection): void {
  const alias = sectionMeant(key);
  if (key === PREAMBLE) readSection(draft, "discoveries", body);
  else if (alias !== undefined) readSection(draft, alias, body);
  else if (isOurs) readSection(draft, key, body);
  else draft.statements.push(cleanText(`${key}:\n${body}`));
}

function readSection(draft: Draft, home: string, body: string): void {
  if (home === "goal") return readGoal(draft, body);
  for (const entry of splitEntries(body)) {
    const cut = readCutLine(entry);
    if (cut !== undefined) hide(draft, isCore(home) ? cut.noun : home, cut);
    else if (home === "instructions") draft.instructions.push(entry);
    else if (home === "discoveries") readDiscovery(draft, entry);
    else if (home === "accomplished") readAccomplished(draft, entry);
    else if (home === "relevantFiles") readRelevantFile(draft, entry);
    else if (home === "plans") note(draft, "accomplished", `Planned then: ${entry}`);
    else addTo(draft.others, home, entry);
  }
}

function readGoal(draft: Draft, body: string): void {
  for (const entry of splitEntries(body)) {
    const only = readPrefixed("Request", entry);
    const first = readPrefixed("First request", entry) ?? only;
    const newest = readPrefixed("Newest request", entry) ?? only;
    const cut = readCutLine(entry);
    if (cut !== undefined) hide(draft, cut.noun, cut);
    if (newest !== undefined) draft.newestRequest ??= newest;
    if (first !== undefined) draft.firstRequest ??= first;
    if (cut !== undefined || first !== undefined || newest !== undefined) continue;
    const start = requestStart(entry);
    // In words of its own it is what the summary took for the goal, and no request of anybody.
    const isNoted = draft.firstRequest !== undefined || draft.notes.has("goal");
    if (isNoted || (start !== entry && start.endsWith("…"))) draft.statements.push(entry);
    if (!isNoted) note(draft, "goal", start);
  }
}

function readDiscovery(draft: Draft, entry: string): void {
  const error = readErrorLine(entry);
  const heads = readHeadsLine(entry);
  const files = readFilesLine(entry);
  const environment = readPrefixed("Environment", entry);
  if (error !== undefined) draft.errors.push(error);
  else if (heads !== undefined) draft.heads.push(...heads);
  else if (files !== undefined) draft.files.read.push(...files);
  else if (environment !== undefined) draft.environment.push(environment);
  else draft.statements.push(entry);
}

function readAccomplished(draft: Draft, entry: string): void {
  const files = readFilesLine(entry);
  const command = readCommandLine(entry);
  const done = readPrefixed("Done", entry);
  const open = readPrefixed("Still open", entry);
  if (files !== undefined) draft.files.changed.push(...files);
  else if (command !== undefined) draft.commands.push(command);
  else if (done !== undefined) draft.done.push(done);
  else if (open !== undefined) draft.open.push(open);
  else note(draft, "accomplished", entry);
}

function readRelevantFile(draft: Draft, entry: string): void {
  const file = readFileLine(entry);
  if (file !== undefined) draft.files.relevant.push(file);
  else note(draft, "relevantFiles", entry);
}

function note(draft: Draft, section: CoreSectionId, text: string): void {
  addTo(draft.notes, section, text);
}

function addTo<K>(lists: Map<K, string[]>, key: K, text: string): void {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  list.push(text);
}

function hide(draft: Draft, key: string, { count, handles }: HiddenFacts): void {
  draft.heads.push(...handles);
  if (key === "heads") return;
  const known = draft.hidden.get(key) ?? { count: 0, handles: [] };
  draft.hidden.set(key, {
    count: known.count + count,
    handles: known.handles.length > 0 ? known.handles : handles,
  });
}

function finish(draft: Draft): Facts {
  const { changed, read, relevant } = draft.files;
  const files = mergeFiles(relevant, mergeFiles(changed, read));
  const states = files.filter(({ ops }) => ops.length > 0).map(({ ops }) => fileState(ops));
  const reads = states.filter((state) => state === "read").length;
  // A file that one list had no room for may stand in another: it is not hidden.
  found(draft, "files", files.length - relevant.length);
  found(draft, "changed files", states.length - reads - changed.length);
  found(draft, "files read", reads - read.length);
  const { heads: _, ...rest } = draft;
  return {
    ...NO_FACTS,
    ...rest,
    statements: distinct(draft.statements),
    files,
    commands: mergeCommands(draft.commands, []),
    done: distinct(draft.done),
    open: distinct(draft.open),
    hasTodos: draft.open.length + draft.done.length > 0,
  };
}

function found(draft: Draft, noun: string, elsewhere: number): void {
  const hidden = draft.hidden.get(noun);
  if (hidden === undefined || elsewhere <= 0) return;
  const count = hidden.count - elsewhere;
  if (count > 0) draft.hidden.set(noun, { ...hidden, count });
  else draft.hidden.delete(noun);
}

function isCore(home: string): boolean {
  return home === "plans" || CORE_SECTION_IDS.some((id) => id === home);
}

function emptyDraft(): Draft {
  return {
    firstRequest: undefined,
    newestRequest: undefined,
    instructions: [],
    errors: [],
    statements: [],
    environment: [],
    files: { changed: [], read: [], relevant: [] },
    commands: [],
    done: [],
    open: [],
    notes: new Map(),
    others: new Map(),
    hidden: new Map(),
    heads: [],
  };
}
