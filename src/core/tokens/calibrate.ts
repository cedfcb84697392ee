import type { TokenCounter } from "./count.ts";

/**
 * The relation of a model's own token counts to the estimates: a request of E estimated tokens
 * holds about `outside + factor × E` of the provider's.
 */
export interface Calibration {
  /** The provider's tokens for one estimated token; 1 when unknown. */
  readonly factor: number;
  /**
   * The provider's tokens of what the estimates leave out, e.g. a system prompt that nobody named;
   * 0 when unknown, below 0 when the estimates hold what the requests do not.
   */
  readonly outside: number;
  /** The number of reports behind it. */
  readonly samples: number;
  /** The factor that is expected before the first report. */
  readonly expected: number;
  /** The evidence that the next report is compared with; absent before the first. */
  readonly evidence?: CalibrationEvidence;
  /** The state by a report alone that does not fit the others; the next one says which is right. */
  readonly doubted?: Calibration;
}

/** One request: what was estimated for it, and what the provider then reported, in tokens. */
export interface CalibrationSample {
  readonly estimated: number;
  readonly reported: number;
}

/** The evidence of the reports so far. */
export interface CalibrationEvidence {
  readonly last: CalibrationSample;
  /** The smallest request: of that the largest share is from outside. */
  readonly smallest: CalibrationSample;
  /** By how much requests differed from the ones before them: what is outside plays no part. */
  readonly change: CalibrationSample;
}

/**
 * The factor's clamp. The estimator is fitted to o200k; the tokenizers of newer Claude models give
 * up to about 1.6 tokens for each of those on prose and code and up to 2.2 on Chinese, older ones
 * 1.05 to 1.25. Below 0.5 or above 2.5 the report counts something else than the estimate does.
 */
export const MIN_FACTOR = 0.5;
export const MAX_FACTOR = 2.5;

/** The most that is believed to be outside; more than that is usage of another context. */
export const MAX_OUTSIDE = 50_000;

/** No window is near this many tokens. */
const MAX_COUNT = 1e9;

/**
 * The expectation before the first report, as standard deviations: the factor is 1, or what the
 * model's family is known for, give or take 0.25 (tokenizers, see above), and up to some 10,000 tokens (an agent's system prompt and tools) are
 * outside. So a short request that cost far more than estimated shows what is outside, a long one
 * shows the factor.
 */
const FACTOR_SPREAD = 0.25;
const OUTSIDE_SPREAD = 10_000;

/** A report that differs by more than this from what is foretold has to be confirmed by the next. */
const DOUBTED_SHARE = 0.3;
const DOUBTED_TOKENS = 2_000;

/** Squared error for one token of new text: 10 % of 1,000 tokens, 2 % of 30,000. */
const CHANGE_VARIANCE = 10;

/**
 * About so many estimated tokens of change are remembered, so that the factor follows a change of
 * content (prose to Chinese).
 */
const MEMORY = 30_000;

/** The state before the first report: the expected factor, nothing outside, no samples. */
export function createCalibration(expected = 1): Calibration {
  return { factor: expected, outside: 0, samples: 0, expected };
}

/**
 * Learns from one report. The factor is the likeliest one (a weighted mean, clamped to 0.5 … 2.5)
 * by three kinds of evidence: by how much requests differ, the smallest request, and what was
 * expected. The rest of the smallest request, which no factor explains, is outside, at most 50,000.
 * A report that fits the others badly changes nothing until the next one confirms it, and one that
 * makes no sense (see {@link isPlausible}) never does.
 */
export function calibrate(calibration: Calibration, sample: CalibrationSample): Calibration {
  if (!isCount(sample.estimated) || !isCount(sample.reported)) return calibration;
  const { expected, factor, samples, doubted } = calibration;
  if (!isPlausible(sample)) {
    // A provider that leaves out tokens once may have done so before.
    return factor < Math.min(1, expected) ? createCalibration(expected) : calibration;
  }
  if (samples === 0 || isLike(sample, calibration)) return learnt(calibration, sample);
  if (doubted !== undefined && isLike(sample, doubted)) return learnt(doubted, sample);
  return { ...calibration, doubted: learnt(createCalibration(expected), sample) };
}

/** Whether a report is what the calibration foretells, nearly. */
function isLike({ estimated, reported }: CalibrationSample, { factor, outside }: Scale): boolean {
  const foretold = outside + factor * estimated;
  return Math.abs(reported - foretold) <= Math.max(DOUBTED_TOKENS, foretold * DOUBTED_SHARE);
}

function learnt(calibration: Calibration, sample: CalibrationSample): Calibration {
  const evidence = gather(calibration.evidence, sample);
  const { smallest } = evidence;
  const { expected, samples } = calibration;
  const factor = likelyFactor(evidence, expected);
  const unexplained = (by: number): number => smallest.reported - by * smallest.estimated;
  const least = Math.min(0, unexplained(expected + FACTOR_SPREAD));
  const outside = clamp(unexplained(factor), least, MAX_OUTSIDE);
  return { factor, outside, samples: samples + 1, expected, evidence };
}

/** The way from estimated tokens to a provider's: `outside` once for a request, `factor` for each of them. */
export type Scale = Pick<Calibration, "factor" | "outside">;

/**
 * The scale for requests into so many usable tokens. It never leaves less room than the clamp of the
 * factor alone would, so that a report that counts something else does not leave a conversation
 * without any.
 */
export function scaleFor({ factor, outside }: Scale, usable: number): Scale {
  const isRoomy = (usable - outside) / factor >= usable / MAX_FACTOR;
  return isRoomy ? { factor, outside } : { factor: MAX_FACTOR, outside: 0 };
}

/** The scale for a request of so many estimated tokens: the larger one, as long as one is doubted. */
export function scaleOf(calibration: Calibration, estimated: number): Scale {
  const { doubted } = calibration;
  if (doubted === undefined) return calibration;
  const foretold = ({ factor, outside }: Scale): number => outside + factor * estimated;
  return foretold(doubted) > foretold(calibration) ? doubted : calibration;
}

/** The same counter in a provider's tokens, which are `factor` for each of its own. */
export function scaledCounter(counter: TokenCounter, factor: number): TokenCounter {
  if (factor === 1) return counter;
  return { name: counter.name, count: (text) => Math.ceil(counter.count(text) * factor) };
}

/** Whether a report can be about these messages at all: no tokenizer counts so much less, or more. */
export function isPlausible({ estimated, reported }: CalibrationSample): boolean {
  const most = estimated * MAX_FACTOR + MAX_OUTSIDE;
  return reported >= estimated * MIN_FACTOR && reported <= most;
}

function isCount(value: number): boolean {
  return value > 0 && value <= MAX_COUNT;
}

function gather(
  evidence: CalibrationEvidence | undefined,
  sample: CalibrationSample,
): CalibrationEvidence {
  if (evidence === undefined) {
    return { last: sample, smallest: sample, change: { estimated: 0, reported: 0 } };
  }
  const { last, smallest, change } = evidence;
  const estimated = Math.abs(sample.estimated - last.estimated);
  const sign = Math.sign(sample.estimated - last.estimated);
  const difference = sample.reported - last.reported;
  const reported = clamp(sign * difference, MIN_FACTOR * estimated, MAX_FACTOR * estimated);
  // Tokens that no factor explains came or went outside, e.g. tools that were loaded later.
  const jump = difference - sign * reported;
  const kept = MEMORY / (MEMORY + estimated);
  const isSmallest = sample.estimated <= smallest.estimated;
  return {
    last: sample,
    smallest: isSmallest ? sample : { ...smallest, reported: smallest.reported + jump },
    change: {
      estimated: kept * (change.estimated + estimated),
      reported: kept * (change.reported + reported),
    },
  };
}

/** The mean of what each kind of evidence says, each weighted by how sure it is. */
function likelyFactor({ smallest, change }: CalibrationEvidence, expected: number): number {
  const prior = 1 / FACTOR_SPREAD ** 2;
  const absolute = smallest.estimated / OUTSIDE_SPREAD ** 2;
  const relative = 1 / CHANGE_VARIANCE;
  const reported = prior * expected + absolute * smallest.reported + relative * change.reported;
  const estimated = prior + absolute * smallest.estimated + relative * change.estimated;
  return clamp(reported / estimated, MIN_FACTOR, MAX_FACTOR);
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
