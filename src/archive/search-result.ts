import { resultNotice } from "./result-notice.ts";
import type { SearchHit } from "./search-hit.ts";
import type { SearchResult, SearchStop } from "./search.ts";

const STOPPED: Readonly<Record<SearchStop, string>> = {
  limit: "There may be more: this is as many as were asked for. Search for something rarer.",
  size: "There may be more than fits here. Search for something rarer.",
  time: "The time was up before everything was searched. Search for a plain text, or for less.",
  aborted: "The search was stopped before everything was searched.",
};
/** So much of a pattern is named in the notice. */
const PATTERN_UNITS = 200;

/** A search as an agent gets it: hits by original as `grep -n` prints them, then what to do next. */
export function searchText(result: SearchResult): string {
  const { pattern, hits, searched, total, stopped, unread } = result;
  const notice = resultNotice(
    {
      search: pattern.length > PATTERN_UNITS ? `${pattern.slice(0, PATTERN_UNITS)}…` : pattern,
      hits: hits.length,
      searched: searched.originals,
      of: total.originals,
    },
    [
      ...(hits.length === 0 ? [nothingFound(result)] : []),
      ...(stopped === undefined ? [] : [STOPPED[stopped]]),
      ...(unread === undefined ? [] : [`Could not be read, and so not searched: ${unread}.`]),
      ...(hits.length === 0
        ? []
        : ["To see more around a hit, recall its handle with a range of lines."]),
    ],
  );
  return [...searchLines(result), notice].join("\n");
}

/** The hits alone, by original, as `grep -n` prints them. */
export function searchLines({ hits }: SearchResult): readonly string[] {
  return byOriginal(hits).flatMap((own) => {
    const [first] = own;
    return first === undefined ? [] : [nameOf(first), ...linesOfHits(own), ""];
  });
}

function nothingFound({ stopped, unread }: SearchResult): string {
  return stopped === undefined && unread === undefined
    ? "Nothing that was archived has this in a line. Asking again will not find it."
    : "Nothing was found so far.";
}

/** The hits of one original stand side by side. */
function byOriginal(hits: readonly SearchHit[]): readonly (readonly SearchHit[])[] {
  const groups: SearchHit[][] = [];
  for (const hit of hits) {
    const last = groups.at(-1);
    if (last?.[0]?.handle === hit.handle) last.push(hit);
    else groups.push([hit]);
  }
  return groups;
}

/** How an original is named above its hits. */
export function nameOf({ handle, path }: SearchHit): string {
  return path === undefined ? handle : `${handle} ${path}`;
}

/** Lines that are around two hits stand there once; where lines are missing between them is `--`. */
function linesOfHits(hits: readonly SearchHit[]): readonly string[] {
  const lines: string[] = [];
  let shown = 0;
  for (const [index, hit] of hits.entries()) {
    const isApart = hit.before.length > 0 || hit.after.length > 0;
    const { line, before } = hit;
    if (isApart && index > 0 && line - before.length > shown + 1) lines.push("--");
    const next = hits[index + 1]?.line ?? Infinity;
    const own = numberedLines(hit).filter(([number]) => number > shown && number < next);
    lines.push(...own.map(([, text]) => text));
    shown = own.at(-1)?.[0] ?? shown;
  }
  return lines;
}

/** A hit and the lines around it, as they are shown when nothing else is. */
export function hitLines(hit: SearchHit): readonly string[] {
  return numberedLines(hit).map(([, text]) => text);
}

function numberedLines({
  line,
  text,
  before,
  after,
}: SearchHit): readonly (readonly [number: number, text: string])[] {
  const first = line - before.length;
  return [
    ...before.map((each, index) => [first + index, `${first + index}-${each}`] as const),
    [line, `${line}:${text}`] as const,
    ...after.map((each, index) => [line + 1 + index, `${line + 1 + index}-${each}`] as const),
  ];
}
