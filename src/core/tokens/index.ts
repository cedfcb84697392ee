export { calibrate, createCalibration, isPlausible, scaledCounter, scaleFor } from "./calibrate.ts";
export type { Calibration, CalibrationEvidence, CalibrationSample, Scale } from "./calibrate.ts";
export {
  isEstimator,
  messageTokens,
  MESSAGE_OVERHEAD,
  partTokens,
  TOOL_OVERHEAD,
  valueTokens,
  guardedCounter,
} from "./count.ts";
export type { TokenCounter } from "./count.ts";
export { fileTokens, imageSize } from "./media.ts";
export type { ImageSize } from "./media.ts";
export { createMessageMeter, scaledMeter } from "./meter.ts";
export type { MessageMeter, MessageSize } from "./meter.ts";
