import { resultNotice } from "./result-notice.ts";
import type { SearchHit } from "./search-hit.ts";
import type { SearchResult, SearchStop } from "./search.ts";

const STOPPED: Readonly<Record<SearchStop, string>> = {
  limit: "There may be more: this is as many as were asked for. Search for something rarer.",
  size: "There may be more than fits here. Search for something rarer.",
  time: "The time was up before everything was searched. Search for a plain text, or for less.",
  aborted: "The search was stopped before everything was searched.",
};

/** A search as an agent gets it: hits by original as `grep -n` prints them, then what to do next. */
export function searchText(result: SearchResult): string {
  const { pattern, hits, searched, total, stopped } = result;
  const notice = resultNotice(
    { search: pattern, hits: hits.length, searched: searched.originals, of: total.originals },
    [
      ...(hits.length === 0 ? [nothingFound(stopped)] : []),
      ...(stopped === undefined ? [] : [STOPPED[stopped]]),
      ...(hits.length === 0
        ? []
        : ["To see more around a hit, recall its handle with a range of lines."]),
    ],
  );
  return [...searchLines(result), notice].join("\n");
}

/** The hits alone, by original, as `grep -n` prints them. */
export function searchLines({ hits }: SearchResult): readonly string[] {
  return [...byOriginal(hits).values()].flatMap(([first, ...rest]) =>
    first === undefined ? [] : [nameOf(first), ...hitLines(first), ...rest.flatMap(separated), ""],
  );
}

function nothingFound(stopped: SearchStop | undefined): string {
  return stopped === undefined
    ? "Nothing that was archived has this in a line. Asking again will not find it."
    : "Nothing was found so far.";
}

function byOriginal(hits: readonly SearchHit[]): ReadonlyMap<string, readonly SearchHit[]> {
  const groups = new Map<string, SearchHit[]>();
  for (const hit of hits) groups.set(hit.handle, [...(groups.get(hit.handle) ?? []), hit]);
  return groups;
}

function nameOf({ handle, path }: SearchHit): string {
  return path === undefined ? handle : `${handle} ${path}`;
}

/** With lines around them, hits are set apart. */
function separated(hit: SearchHit): readonly string[] {
  const isAlone = hit.before.length === 0 && hit.after.length === 0;
  return isAlone ? hitLines(hit) : ["--", ...hitLines(hit)];
}

function hitLines({ line, text, before, after }: SearchHit): readonly string[] {
  return [
    ...before.map((each, index) => `${line - before.length + index}-${each}`),
    `${line}:${text}`,
    ...after.map((each, index) => `${line + 1 + index}-${each}`),
  ];
}
