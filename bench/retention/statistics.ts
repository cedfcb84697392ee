/** Means of sessions and how sure they are. */

export interface Sample {
  readonly session: string;
  readonly value: number;
}

export interface Interval {
  readonly low: number;
  readonly high: number;
}

const DRAWS = 2_000;

/** The mean of the means of sessions, so that a long session with many cuts does not outweigh others. */
export function meanOfSessions(samples: readonly Sample[]): number {
  const means = sessionMeans(samples);
  return means.reduce((sum, one) => sum + one, 0) / means.length;
}

/** 95 % of the means of sessions drawn again with replacement; the same in every run. */
export function interval(samples: readonly Sample[]): Interval {
  const means = sessionMeans(samples);
  let state = 1;
  const draw = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return means[Math.floor((state / 2 ** 32) * means.length)] ?? NaN;
  };
  const drawn = Array.from({ length: DRAWS }, () => {
    let sum = 0;
    for (let index = 0; index < means.length; index++) sum += draw();
    return sum / means.length;
  }).toSorted((a, b) => a - b);
  return {
    low: drawn[Math.floor(DRAWS * 0.025)] ?? NaN,
    high: drawn[Math.floor(DRAWS * 0.975)] ?? NaN,
  };
}

/** One mean a session; what is not known (NaN) is left out. */
function sessionMeans(samples: readonly Sample[]): readonly number[] {
  const groups = new Map<string, Sample[]>();
  for (const sample of samples) {
    if (Number.isNaN(sample.value)) continue;
    groups.set(sample.session, [...(groups.get(sample.session) ?? []), sample]);
  }
  return [...groups.values()].map(
    (group) => group.reduce((sum, { value }) => sum + value, 0) / group.length,
  );
}
