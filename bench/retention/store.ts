/** What was measured, line by line, so that a run that was ended goes on where it was. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";

const FOLDER = new URL("../results/", import.meta.url);
const FILE = new URL("retention.jsonl", FOLDER);

export interface Store {
  /** What was measured under this name, or what `make` gives now. */
  get<T>(key: string, make: () => Promise<T>): Promise<T>;
}

/** A new store, or with `resume` what an earlier run left. */
export function openStore(resume: boolean): Store {
  mkdirSync(FOLDER, { recursive: true });
  if (!resume) rmSync(FILE, { force: true });
  const known = new Map<string, unknown>(existsSync(FILE) ? readLines() : []);
  return {
    async get<T>(key: string, make: () => Promise<T>) {
      if (known.has(key)) return known.get(key) as T;
      const value = await make();
      appendFileSync(FILE, `${JSON.stringify([key, value], markUnknown)}\n`);
      return value;
    },
  };
}

function readLines(): readonly (readonly [string, unknown])[] {
  const lines = readFileSync(FILE, "utf8").split("\n");
  return lines.flatMap((line) => {
    try {
      return [JSON.parse(line, findUnknown) as [string, unknown]];
    } catch {
      // The last line of a run that was ended.
      return [];
    }
  });
}

/** JSON has no word for a share of nothing. */
function markUnknown(_: string, value: unknown): unknown {
  return Number.isNaN(value) ? "NaN" : value;
}

function findUnknown(_: string, value: unknown): unknown {
  return value === "NaN" ? NaN : value;
}
