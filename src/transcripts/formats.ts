import {
  plainConversations,
  type PlainConversation,
  recordConversations,
} from "./plain/plain-conversation.ts";
import {
  isAider,
  isAiSdk,
  isAnthropic,
  isAtif,
  isClaudeCode,
  isCline,
  isCodex,
  isCopilotCli,
  isGeminiCli,
  isGeminiCliLines,
  isNeutral,
  isOpenAIChat,
  isOpenAIResponses,
  isOpencode,
  isOpenHandsDocument,
  isOpenHandsLines,
  isPi,
  isQwenCode,
  isSweAgent,
} from "./signs.ts";
import type {
  Detection,
  DocumentFormat,
  DocumentReader,
  FormatName,
  RecordsFormat,
  RecordsReader,
  TranscriptFormat,
} from "./transcript.ts";
import type { WriteTarget } from "./write.ts";

/**
 * Every format that can be read, in the order in which content is held against them: those that
 * are hard to mistake first, plain message lists and text last. A format that is kept in two shapes
 * stands here twice. Names and signs are here; a reader is loaded when it is to read.
 */
export const transcriptFormats: readonly TranscriptFormat[] = [
  lines(
    {
      name: "qwen-code",
      title: "Qwen Code session",
      location: "~/.qwen/projects/<folder>/chats/<session>.jsonl",
    },
    isQwenCode,
    async () => (await import("./qwen-code/qwen-code.ts")).qwenCode,
  ),
  lines(
    {
      name: "claude-code",
      title: "Claude Code session",
      location: "~/.claude/projects/<folder>/<session>.jsonl",
    },
    isClaudeCode,
    async () => (await import("./claude-code/claude-code.ts")).claudeCode,
  ),
  lines(
    {
      name: "codex",
      title: "Codex CLI rollout",
      location: "~/.codex/sessions/<year>/<month>/<day>/rollout-*.jsonl",
    },
    isCodex,
    async () => (await import("./codex/codex.ts")).codex,
  ),
  lines(
    {
      name: "copilot-cli",
      title: "GitHub Copilot CLI session",
      location: "~/.copilot/session-state/<session>/events.jsonl",
    },
    isCopilotCli,
    async () => (await import("./copilot-cli/copilot-cli.ts")).copilotCli,
  ),
  document(
    {
      name: "opencode",
      title: "opencode session export",
      location: "opencode export <session> > session.json",
    },
    isOpencode,
    async () => (await import("./opencode/opencode.ts")).opencode,
  ),
  lines(
    {
      name: "pi",
      title: "pi session",
      location: "~/.pi/agent/sessions/--<folder>--/<time>_<id>.jsonl",
    },
    isPi,
    async () => (await import("./pi/pi.ts")).pi,
  ),
  document(
    {
      name: "gemini-cli",
      title: "Gemini CLI chat",
      location: "~/.gemini/tmp/<project>/chats/session-*.json",
    },
    isGeminiCli,
    async () => (await import("./gemini-cli/gemini-cli.ts")).geminiCli,
  ),
  lines(
    {
      name: "gemini-cli",
      title: "Gemini CLI chat",
      location: "~/.gemini/tmp/<project>/chats/session-*.jsonl",
    },
    isGeminiCliLines,
    async () => (await import("./gemini-cli/gemini-cli.ts")).geminiCliLines,
  ),
  document(
    {
      name: "swe-agent",
      title: "SWE-agent or mini-swe-agent trajectory",
      location: "trajectories/…/*.traj",
    },
    isSweAgent,
    async () => (await import("./swe-agent/swe-agent.ts")).sweAgent,
  ),
  document(
    {
      name: "atif",
      title: "ATIF trajectory",
      location: "trajectory.json of a Harbor or Terminal-Bench run",
    },
    isAtif,
    async () => (await import("./atif/atif.ts")).atif,
  ),
  lines(
    { name: "openhands", title: "OpenHands run", location: "evaluation outputs …/output.jsonl" },
    isOpenHandsLines,
    async () => (await import("./openhands/openhands.ts")).openhandsLines,
  ),
  document(
    { name: "openhands", title: "OpenHands run", location: "~/.openhands/sessions/…" },
    isOpenHandsDocument,
    async () => (await import("./openhands/openhands.ts")).openhandsDocument,
  ),
  document(
    {
      name: "cline",
      title: "Cline or Roo Code session",
      location: "<extension storage>/tasks/<id>/api_conversation_history.json",
    },
    isCline,
    async () => (await import("./cline/cline.ts")).cline,
  ),
  ...plain("neutral", "Longhaul messages", isNeutral),
  ...plain("ai-sdk", "AI SDK messages", isAiSdk),
  ...plain("anthropic", "Anthropic messages", isAnthropic),
  ...plain("openai-responses", "OpenAI Responses items", isOpenAIResponses),
  ...plain("openai-chat", "OpenAI chat messages", isOpenAIChat),
  {
    name: "aider",
    title: "aider chat history",
    location: ".aider.chat.history.md in the folder aider ran in",
    shape: "text",
    detect: isAider,
    open: async () => (await import("./aider/aider.ts")).aider.open(),
  },
];

function lines(
  about: FormatName,
  detect: RecordsFormat["detect"],
  load: () => Promise<RecordsReader>,
): RecordsFormat {
  return { ...about, shape: "records", detect, open: async () => (await load()).open() };
}

function document(
  about: FormatName,
  detect: DocumentFormat["detect"],
  load: () => Promise<DocumentReader>,
): DocumentFormat {
  const read: DocumentFormat["read"] = async (value, state) => (await load()).read(value, state);
  return { ...about, shape: "document", detect, read };
}

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
    document({ name, title }, isDocument, load),
    lines({ name, title: `${title}, by lines` }, areLines, load),
  ];
}

const NO_MESSAGES = "there is no list of messages with a role and content";
