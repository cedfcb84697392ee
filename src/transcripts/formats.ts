import {
  plainConversations,
  type PlainConversation,
  recordConversations,
} from "./plain/plain-conversation.ts";
import * as signs from "./signs.ts";
import type { Detection, TranscriptFormat } from "./transcript.ts";
import type { WriteTarget } from "./write.ts";

/**
 * Every format that can be read, in the order in which content is held against them: those that
 * are hard to mistake first, plain message lists and text last. A format that is kept in two shapes
 * stands here twice. Names and signs are here; a reader is loaded when it is to read.
 */
export const transcriptFormats: readonly TranscriptFormat[] = [
  {
    name: "qwen-code",
    title: "Qwen Code session",
    location: "~/.qwen/projects/<folder>/chats/<session>.jsonl",
    shape: "records",
    detect: signs.isQwenCode,
    load: async () => (await import("./qwen-code/qwen-code.ts")).qwenCode,
  },
  {
    name: "claude-code",
    title: "Claude Code session",
    location: "~/.claude/projects/<folder>/<session>.jsonl",
    shape: "records",
    detect: signs.isClaudeCode,
    load: async () => (await import("./claude-code/claude-code.ts")).claudeCode,
  },
  {
    name: "codex",
    title: "Codex CLI rollout",
    location: "~/.codex/sessions/<year>/<month>/<day>/rollout-*.jsonl",
    shape: "records",
    detect: signs.isCodex,
    load: async () => (await import("./codex/codex.ts")).codex,
  },
  {
    name: "copilot-cli",
    title: "GitHub Copilot CLI session",
    location: "~/.copilot/session-state/<session>/events.jsonl",
    shape: "records",
    detect: signs.isCopilotCli,
    load: async () => (await import("./copilot-cli/copilot-cli.ts")).copilotCli,
  },
  {
    name: "opencode",
    title: "opencode session export",
    location: "opencode export <session> > session.json",
    shape: "document",
    detect: signs.isOpencode,
    load: async () => (await import("./opencode/opencode.ts")).opencode,
  },
  {
    name: "pi",
    title: "pi session",
    location: "~/.pi/agent/sessions/--<folder>--/<time>_<id>.jsonl",
    shape: "records",
    detect: signs.isPi,
    load: async () => (await import("./pi/pi.ts")).pi,
  },
  {
    name: "gemini-cli",
    title: "Gemini CLI chat",
    location: "~/.gemini/tmp/<project>/chats/session-*.json",
    shape: "document",
    detect: signs.isGeminiCli,
    load: async () => (await import("./gemini-cli/gemini-cli.ts")).geminiCli,
  },
  {
    name: "gemini-cli",
    title: "Gemini CLI chat",
    location: "~/.gemini/tmp/<project>/chats/session-*.jsonl",
    shape: "records",
    detect: signs.isGeminiCliLines,
    load: async () => (await import("./gemini-cli/gemini-cli.ts")).geminiCliLines,
  },
  {
    name: "swe-agent",
    title: "SWE-agent or mini-swe-agent trajectory",
    location: "trajectories/…/*.traj",
    shape: "document",
    detect: signs.isSweAgent,
    load: async () => (await import("./swe-agent/swe-agent.ts")).sweAgent,
  },
  {
    name: "atif",
    title: "ATIF trajectory",
    location: "trajectory.json of a Harbor or Terminal-Bench run",
    shape: "document",
    detect: signs.isAtif,
    load: async () => (await import("./atif/atif.ts")).atif,
  },
  {
    name: "openhands",
    title: "OpenHands run",
    location: "evaluation outputs …/output.jsonl",
    shape: "records",
    detect: signs.isOpenHandsLines,
    load: async () => (await import("./openhands/openhands.ts")).openhandsLines,
  },
  {
    name: "openhands",
    title: "OpenHands run",
    location: "~/.openhands/sessions/…",
    shape: "document",
    detect: signs.isOpenHandsDocument,
    load: async () => (await import("./openhands/openhands.ts")).openhandsDocument,
  },
  {
    name: "cline",
    title: "Cline or Roo Code session",
    location: "<extension storage>/tasks/<id>/api_conversation_history.json",
    shape: "document",
    detect: signs.isCline,
    load: async () => (await import("./cline/cline.ts")).cline,
  },
  ...plain("neutral", "Longhaul messages", signs.isNeutral),
  ...plain("ai-sdk", "AI SDK messages", signs.isAiSdk),
  ...plain("anthropic", "Anthropic messages", signs.isAnthropic),
  ...plain("openai-responses", "OpenAI Responses items", signs.isOpenAIResponses),
  ...plain("openai-chat", "OpenAI chat messages", signs.isOpenAIChat),
  {
    name: "aider",
    title: "aider chat history",
    location: ".aider.chat.history.md in the folder aider ran in",
    shape: "text",
    detect: signs.isAider,
    load: async () => (await import("./aider/aider.ts")).aider,
  },
];

/** Plain messages of one dialect: as one document, or by lines. */
function plain(
  name: WriteTarget,
  title: string,
  isOf: (conversation: PlainConversation) => Detection,
): readonly TranscriptFormat[] {
  const detect = (conversations: readonly PlainConversation[]): Detection => {
    const detections = conversations.map(isOf);
    return detections.includes(true) || (detections[0] ?? NO_MESSAGES);
  };
  const load = async () => (await import("./plain/plain-format.ts")).plainReader(name);
  const isDocument = (value: unknown): Detection => detect(plainConversations(value));
  const areLines = (values: readonly unknown[]): Detection => detect(recordConversations(values));
  return [
    { name, title, shape: "document", detect: isDocument, load },
    { name, title: `${title}, by lines`, shape: "records", detect: areLines, load },
  ];
}

const NO_MESSAGES = "there is no list of messages with a role and content";
