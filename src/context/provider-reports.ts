import {
  type Calibration,
  calibrate,
  type CalibrationSample,
  createCalibration,
  isPlausible,
  type Scale,
  scaleOf,
} from "../core/tokens/calibrate.ts";

/** One report of a provider, and the list up to it as it was counted. */
export interface Report {
  readonly reported: number;
  /** Without the answer. */
  readonly input: number;
  /** Counted before the answer, and up to its end. */
  readonly estimated: number;
  readonly upTo: number;
}

/** A report that is not believed, in tokens. */
export interface Doubt {
  readonly reported: number;
  /** The estimate of the list up to it. */
  readonly estimated: number;
  /** The size of the request that it was made for, where that was another list. */
  readonly meant?: number;
}

/** The reports of a provider about the requests of one conversation. */
export interface Reports {
  readonly hasAny: boolean;
  /** The way from counted tokens to the provider's, for a request of this size. */
  readonly scale: (counted: number) => Scale;
  /** Learns from the newest report of a list; says why it does not, where it is not believed. */
  take(report: Report): Doubt | undefined;
  readonly observe: (sample: CalibrationSample) => void;
  /** A request of so many counted tokens goes out. */
  sends(counted: number): void;
}

/** A list that holds less than this share of what was sent is another one. */
const SAME_LIST_SHARE = 0.9;

/** `accept` hears of requests that were sent from here and answered, in the provider's tokens. */
export function createReports(
  expected: number | undefined,
  accept: (tokens: number) => void,
): Reports {
  let calibration: Calibration = createCalibration(expected);
  let believed: Report | undefined;
  let sent = 0;
  /** The reason to doubt a report, if there is one. */
  const doubtOf = ({ reported, input, estimated, upTo }: Report): Doubt | undefined => {
    if (!isPlausible({ estimated: upTo, reported })) return { reported, estimated: upTo };
    const isKnown = believed?.reported === reported && believed.input === input;
    const meant = isKnown ? (believed?.upTo ?? 0) : sent;
    const held = isKnown ? upTo : estimated;
    return held < meant * SAME_LIST_SHARE ? { reported, estimated: upTo, meant } : undefined;
  };
  const observe = (sample: CalibrationSample): void => {
    calibration = calibrate(calibration, sample);
  };
  return {
    get hasAny() {
      return calibration.samples > 0;
    },
    scale: (counted) => scaleOf(calibration, counted),
    take(report) {
      const doubt = doubtOf(report);
      const isKnown = believed?.reported === report.reported && believed.upTo === report.upTo;
      if (doubt === undefined) believed = report;
      // From the input alone: output may hold thinking that the message does not.
      const { estimated, input: reported } = report;
      if (!isKnown && doubt?.meant === undefined) observe({ estimated, reported });
      // A request that was answered before may have been another model's.
      if (doubt === undefined && sent > 0) accept(reported);
      return doubt;
    },
    observe,
    sends(counted) {
      sent = counted;
    },
  };
}
