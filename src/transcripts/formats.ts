import {
  plainConversations,
  type PlainConversation,
  recordConversations,
} from "./plain/plain-conversation.ts";
import type { PlainStyle } from "./plain/plain-format.ts";
import {
  isAider,
  isAiSdk,
  isAnthropic,
  isClaudeCode,
  isCline,
  isCodex,
  isGeminiCli,
  isGeminiCliLines,
  isNeutral,
  isOpenAIChat,
  isOpenAIResponses,
  isOpencode,
  isOpenHandsDocument,
  isOpenHandsLines,
  isPi,
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

/**
 * Every format that can be read, in the order in which content is held against them: those that
 * are hard to mistake first, plain message lists and text last. A format that is kept in two shapes
 * stands here twice. Names and signs are here; a reader is loaded when it is to read.
 */
export const transcriptFormats: readonly TranscriptFormat[] = [
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
  ...plain({ name: "neutral", title: "Longhaul messages" }, isNeutral, async () => {
    const { plainStyle } = await import("./plain/styles.ts");
    return plainStyle((await import("../dialects/neutral/neutral.ts")).neutral);
  }),
  ...plain({ name: "ai-sdk", title: "AI SDK messages" }, isAiSdk, async () => {
    const { aiSdkStyle } = await import("./plain/styles.ts");
    return aiSdkStyle();
  }),
  ...plain({ name: "anthropic", title: "Anthropic messages" }, isAnthropic, async () => {
    const { anthropicStyle } = await import("./plain/styles.ts");
    return anthropicStyle();
  }),
  ...plain(
    { name: "openai-responses", title: "OpenAI Responses items" },
    isOpenAIResponses,
    async () => {
      const { plainStyle } = await import("./plain/styles.ts");
      const responses = await import("../dialects/openai-responses/openai-responses.ts");
      return plainStyle(responses.openaiResponses);
    },
  ),
  ...plain({ name: "openai-chat", title: "OpenAI chat messages" }, isOpenAIChat, async () => {
    const { plainStyle } = await import("./plain/styles.ts");
    return plainStyle((await import("../dialects/openai-chat/openai-chat.ts")).openaiChat);
  }),
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
  about: FormatName,
  isOf: (conversation: PlainConversation) => Detection,
  load: () => Promise<PlainStyle>,
): readonly TranscriptFormat[] {
  const detect = (conversations: readonly PlainConversation[]): Detection => {
    const detections = conversations.map(isOf);
    return detections.includes(true) || (detections[0] ?? NO_MESSAGES);
  };
  const reader = async () => (await import("./plain/plain-format.ts")).plainReader(await load());
  return [
    document(about, (value) => detect(plainConversations(value)), reader),
    lines(
      { ...about, title: `${about.title}, by lines` },
      (records) => detect(recordConversations(records)),
      reader,
    ),
  ];
}

const NO_MESSAGES = "there is no list of messages with a role and content";
