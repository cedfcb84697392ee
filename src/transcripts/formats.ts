import { aider } from "./aider/index.ts";
import { claudeCode } from "./claude-code/index.ts";
import { cline } from "./cline/index.ts";
import { codex } from "./codex/index.ts";
import { geminiCli, geminiCliLines } from "./gemini-cli/index.ts";
import { opencode } from "./opencode/index.ts";
import { openhands, openhandsDocument } from "./openhands/index.ts";
import {
  aiSdk,
  aiSdkLines,
  anthropicMessages,
  anthropicMessagesLines,
  neutral,
  neutralLines,
  openaiChat,
  openaiChatLines,
  openaiResponses,
  openaiResponsesLines,
} from "./plain/index.ts";
import { pi } from "./pi/index.ts";
import { sweAgent } from "./swe-agent/index.ts";
import type { TranscriptFormat } from "./transcript.ts";

/**
 * Every format that can be read, in the order in which content is held against them: those that
 * are hard to mistake first, plain message lists and text last. A format that is kept in two shapes
 * stands here twice.
 */
export const transcriptFormats: readonly TranscriptFormat[] = [
  claudeCode,
  codex,
  opencode,
  pi,
  geminiCli,
  geminiCliLines,
  sweAgent,
  openhands,
  openhandsDocument,
  cline,
  neutral,
  neutralLines,
  aiSdk,
  aiSdkLines,
  anthropicMessages,
  anthropicMessagesLines,
  openaiResponses,
  openaiResponsesLines,
  openaiChat,
  openaiChatLines,
  aider,
];
