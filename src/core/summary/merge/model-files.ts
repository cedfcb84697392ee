import type { FileOp } from "../../ledger/index.ts";
import { bullet } from "../facts/fact-list.ts";
import type { Entry } from "../facts/fact-list.ts";
import { fileLine, splitFileLine } from "../facts/fact-lines.ts";
import { fileState } from "../facts/facts.ts";
import type { FileMention } from "../facts/facts.ts";
import { createFindPath } from "../judge/find-path.ts";
import type { OtherFile } from "./merged-lists.ts";
import { createHasName, createNamesPath } from "../judge/named-files.ts";
import { codeSpan, leadingSpan } from "../plain-text.ts";
import type { Block } from "../split-entries.ts";

/** The files of a summary, divided by what a model says of them. */
export interface ModelFiles {
  /** The model's list, with what the facts know of each file. */
  readonly listed: readonly Entry[];
  /** Changed files that are not in the model's list. */
  readonly changed: readonly OtherFile[];
  /** Files that were only read and that the model does not name. */
  readonly read: readonly FileMention[];
}

const BULLET = /^\s*(?:[-*•]|\d{1,3}[.)])\s+/;

/**
 * Matches a model's list of files with the facts. The words stay the model's; path and operations
 * are those of the facts, so that the next summary reads them back. `text`: all that it wrote.
 */
export function modelFiles(
  blocks: readonly Block[],
  files: readonly FileMention[],
  text: string,
): ModelFiles {
  const known = new Map(files.map((file) => [file.path, file]));
  const hasName = createHasName(text);
  const mentioned = files.map(({ path }) => path).filter(hasName);
  const findPath = createFindPath(mentioned);
  const covered = new Set<string>();
  const each = blocks.flatMap((block) =>
    splitListed(block, (name) => findPath(name) !== undefined),
  );
  const listed = each.map((block): Entry => {
    const line = splitFileLine(block.text);
    const file = line === undefined ? undefined : known.get(findPath(line.path) ?? "");
    if (file === undefined || covered.has(file.path)) return { text: block.raw, verbatim: true };
    covered.add(file.path);
    return { text: annotated(block, file), verbatim: true };
  });
  const isNamed = createNamesPath(text, mentioned);
  const left = files.filter(({ path, ops }) => !covered.has(path) && ops.length > 0);
  const others = left.map((file) => ({ ...file, isNamed: isNamed(file.path) }));
  return {
    listed,
    changed: others.filter(({ ops }) => fileState(ops) !== "read"),
    read: others.filter(({ ops, isNamed }) => fileState(ops) === "read" && !isNamed),
  };
}

const AND = /^(?:,? and |, | & )(?=`)/;

/** An entry for each file of a line that names several files first and then says what they are. */
function splitListed(block: Block, isKnown: (name: string) => boolean): readonly Block[] {
  const names: string[] = [];
  let rest = block.text;
  for (let span = leadingSpan(rest); span !== undefined; span = leadingSpan(rest)) {
    names.push(span.text);
    rest = span.rest.replace(AND, "");
    if (rest === span.rest) break;
  }
  if (names.length < 2 || !names.every(isKnown)) return [block];
  return names.map((name) => {
    const text = `${codeSpan(name)}${rest}`;
    return { text, raw: bullet(text), isItem: true };
  });
}

/** The first line with the path and the operations of the facts; the lines below it as they are. */
function annotated(block: Block, file: FileMention): string {
  const [first = "", ...more] = block.raw.split("\n");
  const line = splitFileLine(first.replace(BULLET, ""));
  const mark = BULLET.exec(first)?.[0] ?? "- ";
  const said = line?.words.trim() ?? "";
  const role = said === "" ? file.role : said;
  const ops: readonly FileOp[] = file.ops;
  return [mark + fileLine({ path: file.path, ops, role }), ...more].join("\n");
}
