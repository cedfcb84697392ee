/** What is known about how a model's own token counts relate to the estimates. */
export interface Calibration {
  /** Multiply an estimate by this to get the tokens the provider will report; 1 when unknown. */
  readonly factor: number;
  /** How many reports the factor rests on. */
  readonly samples: number;
}

/** One request: what was estimated for it, and what the provider then reported, in tokens. */
export interface CalibrationSample {
  readonly estimated: number;
  readonly reported: number;
}

/**
 * The factor's clamp. The estimator is fitted to o200k; the tokenizers of newer Claude models give
 * up to about 1.6 tokens for each of those on prose and code and up to 2.2 on Chinese, older ones
 * 1.05 to 1.25. Below 0.5 or above 2.5 the report counts something else than the estimate does.
 */
const MIN_FACTOR = 0.5;
const MAX_FACTOR = 2.5;

/** Below this many estimated tokens a fixed overhead would pass for a property of the model. */
const MIN_ESTIMATE = 200;

/**
 * The weight of a new report never falls below this, so that the factor follows a change of
 * content (prose to Chinese) within about ten requests.
 */
const MIN_WEIGHT = 0.2;

/** A calibration that changes nothing: factor 1, no samples. */
export function createCalibration(): Calibration {
  return { factor: 1, samples: 0 };
}

/**
 * Learns from one report: a moving average of reported / estimated, clamped to 0.5 … 2.5. The first
 * report moves the factor half of the way, the second a third, and from the fourth on each one
 * moves it a fifth, so that no single report decides. A report that makes no sense (nothing
 * reported, not finite, under 200 estimated tokens) gives the same calibration back.
 */
export function calibrate(calibration: Calibration, sample: CalibrationSample): Calibration {
  const { estimated, reported } = sample;
  const ratio = reported / estimated;
  const sane = Number.isFinite(ratio) && Number.isFinite(estimated);
  if (!sane || estimated < MIN_ESTIMATE || reported <= 0) return calibration;
  const weight = Math.max(MIN_WEIGHT, 1 / (calibration.samples + 2));
  const factor = calibration.factor + weight * (clampFactor(ratio) - calibration.factor);
  return { factor: clampFactor(factor), samples: calibration.samples + 1 };
}

function clampFactor(value: number): number {
  return Math.min(MAX_FACTOR, Math.max(MIN_FACTOR, value));
}
