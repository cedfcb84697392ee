import { claudeCode } from "./claude-code/index.ts";
import { codex } from "./codex/index.ts";
import type { TranscriptFormat } from "./transcript.ts";

/**
 * Every format that can be read, in the order in which content is held against them: those that
 * are hard to mistake first, plain message lists and text last.
 */
export const transcriptFormats: readonly TranscriptFormat[] = [claudeCode, codex];
