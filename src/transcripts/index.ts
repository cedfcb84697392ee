export * from "./transcript.ts";
export * from "./read.ts";
export * from "./formats.ts";
export * from "./limits.ts";
export * from "./names.ts";
export type { TranscriptInput } from "./source.ts";
export * from "./write.ts";
export * from "./write-file.ts";
