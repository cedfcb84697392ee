export { longhaulProcessor } from "./processor.ts";
export type { LonghaulProcessor, LonghaulProcessorOptions } from "./processor.ts";
