import type { LoggedRequest, Upstream, Usage } from "./types.ts";

export interface Log {
  readonly requests: readonly LoggedRequest[];
  add(entry: LoggedRequest): void;
  totals(): Upstream["totals"];
  refusals(): string[];
}

const NOTHING: Usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 };

export function createLog(): Log {
  const requests: LoggedRequest[] = [];
  return {
    requests,
    add: (entry) => requests.push(entry),
    totals() {
      const used = requests.flatMap(({ usage }) => (usage === undefined ? [] : [usage]));
      return { ...used.reduce(sum, NOTHING), requests: used.length };
    },
    refusals: () =>
      requests.flatMap(({ outcome, status, error }) =>
        outcome === "refused" || outcome === "overflow" ? [`${status} ${error}`] : [],
      ),
  };
}

function sum(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    output: a.output + b.output,
    reasoning: a.reasoning + b.reasoning,
  };
}
