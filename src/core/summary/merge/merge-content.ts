import type { Handle } from "../../message/index.ts";
import type { Entry } from "../facts/fact-list.ts";
import {
  readCommandLine,
  readErrorLine,
  readFilesLine,
  readPrefixed,
} from "../facts/fact-lines.ts";
import { isHearsay } from "../facts/earlier-facts.ts";
import { distinct, errorKey, fileState } from "../facts/facts.ts";
import type { Facts } from "../facts/facts.ts";
import { createFindSource } from "./grounding.ts";
import { WEIGHT } from "./merged-lists.ts";
import type { MergedContent } from "./merged-lists.ts";
import { modelFiles } from "./model-files.ts";
import type { ModelSections } from "./model-sections.ts";
import { clipStart, codeSpans, oneLine } from "../plain-text.ts";
import type { CountTokens } from "../plain-text.ts";
import { createIsSaid } from "./said.ts";
import { splitBlocks, splitEntries } from "../split-entries.ts";
import type { Block } from "../split-entries.ts";

export interface MergeFacts {
  readonly facts: Facts;
  readonly heads: readonly Handle[];
  readonly userTexts: readonly string[];
  /** Lines of the model that are not true. */
  readonly wrong: ReadonlySet<string>;
  /** Whether the todos are those of the ledger, not of an earlier summary. */
  readonly hasNewTodos: boolean;
  readonly cap: number;
  readonly count: CountTokens;
}

/** Divides what a summary says between a model's words and the facts that they leave out. */
export function mergeContent(sections: ModelSections, given: MergeFacts): MergedContent {
  const { facts, heads } = given;
  const kept = withoutFalse(sections, given);
  const { rest: accomplished, open } = takeOpen(kept.get("accomplished") ?? []);
  const blocks = new Map([...kept, ["accomplished", accomplished]]);
  blocks.delete("instructions");
  const all = [...blocks.values()].flat();
  const text = all.map(({ text }) => text).join("\n");
  const files = modelFiles(blocks.get("relevantFiles") ?? [], facts.files, text);
  const isSaid = createIsSaid(all);
  const spans = new Set(text.split("\n").flatMap(codeSpans).map(oneLine));
  const chosen = copiedCommands(sections);
  const model = new Map([...blocks].map(([id, some]) => [id, modelEntries(some)] as const));
  model.set("relevantFiles", files.listed);
  const { newestRequest } = facts;
  const rules = rulesOf(kept.get("instructions") ?? [], given);
  const isRule = new Set(rules);
  const isNewestSaid = createIsSaid(blocks.get("goal") ?? []);
  return {
    model: new Map([...model].filter(([, entries]) => entries.length > 0)),
    facts,
    heads,
    newestRequest:
      newestRequest === undefined || isNewestSaid(newestRequest) ? undefined : newestRequest,
    instructions: facts.instructions.filter((text) => !isRule.has(text)),
    rules,
    others: {
      changed: files.changed,
      read: files.read,
      commands: facts.commands
        .filter(({ command }) => !spans.has(command))
        .toSorted((a, b) => Number(chosen.has(b.command)) - Number(chosen.has(a.command))),
      environment: facts.environment.filter((each) => !text.includes(each)),
      done: facts.done.filter((todo) => !isSaid(todo)),
    },
    open: openTodos(open, given, isSaid),
  };
}

/**
 * Without the lines that facts deny, and without copies of ours: what they say comes from the facts,
 * as it is now, and what has no room is counted as what it is.
 */
function withoutFalse(sections: ModelSections, { facts, wrong }: MergeFacts): ModelSections {
  const files = new Map(facts.files.map(({ path, ops }) => [path, fileState(ops)]));
  const commands = new Set(facts.commands.map(({ command }) => command));
  const done = new Set(facts.done);
  const errors = new Set(facts.errors.map(errorKey));
  const isCopy = ({ text }: Block): boolean => {
    const named = readFilesLine(text);
    if (named?.some(({ path, ops }) => (files.get(path) ?? ops[0]) !== ops[0])) return true;
    if (named?.every(({ path }) => files.has(path))) return true;
    const run = readCommandLine(text);
    if (run !== undefined) return commands.has(run.command);
    if (done.has(readPrefixed("Done", text) ?? "")) return true;
    const error = readErrorLine(text);
    return error !== undefined && (errors.has(errorKey(error)) || facts.settled.has(error.subject));
  };
  const isFalse = (line: string): boolean => wrong.has(line) || isForgedRequest(line, facts);
  const keep = (block: Block): readonly Block[] =>
    isCopy(block) ? [] : withoutLines(block, isFalse);
  return new Map([...sections].map(([id, blocks]) => [id, blocks.flatMap(keep)]));
}

/** Commands that a model copied: those that it thought worth a line. */
function copiedCommands(sections: ModelSections): ReadonlySet<string> {
  const blocks = sections.get("accomplished") ?? [];
  return new Set(blocks.flatMap(({ text }) => readCommandLine(text)?.command ?? []));
}

const REQUEST =
  /^(?:[-*•]\s+)?(?:\*\*|__)?(first |newest )?request(?:\*\*|__)?:(?:\*\*|__)? *(.*)$/i;

/** A line that only we write, about what the user asked for, and that we would not write now. */
function isForgedRequest(line: string, { firstRequest, newestRequest }: Facts): boolean {
  const [, which = "", request] = REQUEST.exec(line) ?? [];
  if (request === undefined) return false;
  return request !== (which.toLowerCase() === "first " ? firstRequest : newestRequest);
}

function withoutLines(block: Block, isFalse: (line: string) => boolean): readonly Block[] {
  const lines = block.raw.split("\n");
  const kept = lines.filter((line) => !isFalse(line.trim()));
  if (kept.length === lines.length) return [block];
  if (isFalse(lines[0]?.trim() ?? "") && block.isItem) return [];
  return splitBlocks(kept.join("\n"));
}

const OPEN = /^(?:\*\*|__)?still open(?::(?:\*\*|__)?|(?:\*\*|__):?)[ \t]*/i;
const NOTHING = /^\(?(?:none|nothing|n\/a|-)\)?\.?$/i;
const TODO_LENGTH = 400;

/** What a model says is still open, one by one, and all its other entries. */
function takeOpen(blocks: readonly Block[]): { rest: readonly Block[]; open: readonly string[] } {
  const rest = blocks.filter(({ text }) => !OPEN.test(text));
  const items = blocks
    .filter(({ text }) => OPEN.test(text))
    .flatMap(({ text }) => splitEntries(text.replace(OPEN, "")));
  const open = items.map((item) => clipStart(oneLine(item), TODO_LENGTH));
  return { rest, open: distinct(open.filter((item) => !NOTHING.test(item))) };
}

/**
 * What the model says is open and what the facts say, each once. A list of the ledger's stands as it
 * is; what only an earlier summary called open goes when the model speaks of it in other words.
 */
function openTodos(
  said: readonly string[],
  { facts, hasNewTodos }: MergeFacts,
  isSaid: (text: string) => boolean,
): readonly string[] {
  const isListed = createIsSaid(asBlocks(said));
  const known = facts.open.filter((todo) => !isListed(todo) && (hasNewTodos || !isSaid(todo)));
  const open = hasNewTodos ? said.filter((todo) => !isSame(todo, facts.done)) : said;
  return distinct([...open, ...known]);
}

function asBlocks(texts: readonly string[]): readonly Block[] {
  return texts.map((text) => ({ text, raw: text, isItem: true }));
}

/** Whether one of some texts says neither more nor less than this one, in nearly the same words. */
function isSame(text: string, others: readonly string[]): boolean {
  const isIn = createIsSaid(asBlocks([text]));
  return others.some((other) => isIn(other) && createIsSaid(asBlocks([other]))(text));
}

function modelEntries(blocks: readonly Block[]): readonly Entry[] {
  return blocks.map(({ raw, isItem }, index) => {
    const isParagraph = !isItem && blocks[index - 1]?.isItem === false;
    return { text: isParagraph ? `\n${raw}` : raw, verbatim: true };
  });
}

/** No instruction takes more of its list than this, so that others have room too. */
const LARGEST_PART = 0.5;
/** Headings, sections of the template's own and lists of hidden facts take a part of the cap too. */
const SURE_PART = 0.85;
/** What is old and lasts may take the rest. */
const NEWEST_PART = 0.5;
/** For the line that counts what has no room. */
const RESERVE = 48;

/**
 * What of a model's instructions stays: only what a user typed, and only where the words themselves
 * may have no room. Whatever else the model took for an instruction goes.
 */
function rulesOf(blocks: readonly Block[], given: MergeFacts): readonly string[] {
  const { instructions } = given.facts;
  if (blocks.length === 0) return [];
  // What nobody is known to have typed proves nothing; places stay as they are.
  const typed = instructions.map((text) => (isHearsay(text) ? "" : text));
  const findSource = createFindSource([...typed, ...given.userTexts]);
  const shown = shownInstructions(given);
  const texts = blocks.map(({ text }) => text);
  return distinct(
    texts.filter((text) => [...(findSource(text) ?? [])].some((source) => source >= shown)),
  );
}

/** How many of the instructions are there word for word, whatever else the summary holds. */
function shownInstructions({ facts, cap, count }: MergeFacts): number {
  const total = Object.values(WEIGHT).reduce((sum, weight) => sum + weight, 0);
  const share = Math.floor((cap * SURE_PART * NEWEST_PART * WEIGHT.instructions) / total) - RESERVE;
  let left = share;
  for (const [index, text] of facts.instructions.entries()) {
    if (text.length > share * 16) return index;
    const tokens = count(`- ${text}\n`);
    left -= tokens;
    if (left < 0 || tokens > share * LARGEST_PART) return index;
  }
  return facts.instructions.length;
}
