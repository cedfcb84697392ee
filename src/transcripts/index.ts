export { transcriptFormats } from "./formats.ts";
export { DEFAULT_TRANSCRIPT_LIMITS } from "./limits.ts";
export type { TranscriptLimits } from "./limits.ts";
export { readTranscript } from "./read.ts";
export type { ReadTranscriptOptions } from "./read.ts";
export type { TranscriptInput } from "./source.ts";
export type {
  ContextSample,
  Conversation,
  Detection,
  DocumentFormat,
  DocumentState,
  FormatName,
  Reading,
  RecordReader,
  RecordsFormat,
  RequestUsage,
  TextFormat,
  Transcript,
  TranscriptFormat,
  TranscriptWarning,
} from "./transcript.ts";
export { writeConversation, writeTraits, WRITE_TARGETS } from "./write.ts";
export type { WriteTarget } from "./write.ts";
