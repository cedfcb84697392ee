import type { Ledger } from "../ledger/index.ts";
import { readFilesLine } from "./fact-lines.ts";
import { fileState } from "./facts.ts";
import { oneLine } from "./plain-text.ts";
import type { CountTokens } from "./plain-text.ts";
import { parseSummary } from "./sections.ts";
import { splitEntries } from "./split-entries.ts";
import { DEFAULT_COMPACTION_TEMPLATE } from "./template.ts";
import type { CompactionTemplate } from "./template.ts";

export interface SummaryValidation {
  readonly valid: boolean;
  /** Ids of the sections that are absent or empty, in the template's order. */
  readonly missingSections: readonly string[];
}

/** Whether every section of the template is there with some content; `(none)` is content. */
export function validateSummary(
  text: string,
  template: CompactionTemplate = DEFAULT_COMPACTION_TEMPLATE,
): SummaryValidation {
  const sections = parseSummary(text, template);
  const missingSections = template.sections
    .map(({ id }) => id)
    .filter((id) => (sections.get(id) ?? "").trim() === "");
  return { valid: missingSections.length === 0, missingSections };
}

/** Why a summary may not stand for the head; plain data. */
export type RejectionReason =
  | { readonly code: "empty" }
  /** Ids of the sections that are absent or empty. */
  | { readonly code: "missing-sections"; readonly sections: readonly string[] }
  | { readonly code: "over-cap"; readonly tokens: number; readonly cap: number }
  /** It is as large as what it replaces, or larger. */
  | { readonly code: "not-smaller"; readonly tokens: number; readonly replaces: number }
  /** Files that were created, modified or deleted and that it does not name. */
  | { readonly code: "unnamed-files"; readonly paths: readonly string[] };

export interface AcceptanceInput {
  /** At most this many tokens. */
  readonly cap: number;
  /** Tokens of what the summary replaces. */
  readonly replaces: number;
  readonly ledger: Ledger;
  readonly count: CountTokens;
  readonly template?: CompactionTemplate | undefined;
}

export interface Acceptance {
  readonly accepted: boolean;
  /** Everything that is wrong, not only the first thing. */
  readonly reasons: readonly RejectionReason[];
}

/** Judges a summary against what a summary must be; decides nothing about what happens then. */
export function acceptSummary(text: string, input: AcceptanceInput): Acceptance {
  if (text.trim() === "") return { accepted: false, reasons: [{ code: "empty" }] };
  const { cap, replaces, ledger, count, template } = input;
  const reasons: RejectionReason[] = [];
  const { missingSections } = validateSummary(text, template);
  if (missingSections.length > 0)
    reasons.push({ code: "missing-sections", sections: missingSections });
  const tokens = count(text);
  if (tokens > cap) reasons.push({ code: "over-cap", tokens, cap });
  if (tokens >= replaces) reasons.push({ code: "not-smaller", tokens, replaces });
  const paths = unnamedFiles(text, ledger);
  if (paths.length > 0) reasons.push({ code: "unnamed-files", paths });
  return { accepted: reasons.length === 0, reasons };
}

/**
 * Files that were changed and are not named. A file counts as named by the shortest end of its path
 * that no other changed file has, whole names only: `src/a.ts` for `/home/me/app/src/a.ts`.
 */
function unnamedFiles(text: string, ledger: Ledger): readonly string[] {
  const changed = ledger.files
    .filter(({ ops }) => fileState(ops) !== "read")
    .map(({ path }) => oneLine(path));
  const grouped = new Set(
    splitEntries(text).flatMap((entry) => (readFilesLine(entry) ?? []).map(({ path }) => path)),
  );
  const ends = countEnds(changed);
  return changed.filter((path) => !grouped.has(path) && !names(text, shortestEnd(path, ends)));
}

/** How many paths have each end. */
function countEnds(paths: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const end of paths.flatMap(pathEnds)) counts.set(end, (counts.get(end) ?? 0) + 1);
  return counts;
}

function shortestEnd(path: string, ends: ReadonlyMap<string, number>): string {
  return pathEnds(path).find((end) => ends.get(end) === 1) ?? path.replace(/[/\\]+$/, "");
}

/** `a/b/c` has the ends `c`, `b/c` and `a/b/c`. */
function pathEnds(path: string): readonly string[] {
  const name = path.replace(/[/\\]+$/, "");
  const starts = [...name.matchAll(/[/\\]/g)].map(({ index }) => index + 1);
  return [...starts.toReversed().map((start) => name.slice(start)), name];
}

function names(text: string, end: string): boolean {
  for (let at = text.indexOf(end); at >= 0; at = text.indexOf(end, at + 1)) {
    const before = text[at - 1] ?? " ";
    const after = text.slice(at + end.length, at + end.length + 2);
    if (!/[\w-]/.test(before) && !/^(?:[\w-]|\.\w)/.test(after)) return true;
  }
  return false;
}
