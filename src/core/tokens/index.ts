export { calibrate, createCalibration, scaleFor, scaleOf } from "./calibrate.ts";
export type { Calibration, CalibrationEvidence, CalibrationSample, Scale } from "./calibrate.ts";
export {
  messageTokens,
  MESSAGE_OVERHEAD,
  TOOL_OVERHEAD,
  valueTokens,
  guardedCounter,
} from "./count.ts";
export type { TokenCounter } from "./count.ts";
export { fileTokens, imageSize } from "./media.ts";
export type { ImageSize } from "./media.ts";
export { createMessageMeter } from "./meter.ts";
export type { MessageMeter, MessageSize } from "./meter.ts";
