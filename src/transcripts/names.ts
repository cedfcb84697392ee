/**
 * Names of formats, for whoever has to name them before a session is read: this loads no reader and
 * no writer.
 */

/** The formats that can be read, in the order of `transcriptFormats`. */
export const FORMAT_NAMES: readonly string[] = [
  "claude-code",
  "codex",
  "opencode",
  "pi",
  "gemini-cli",
  "swe-agent",
  "openhands",
  "cline",
  "neutral",
  "ai-sdk",
  "anthropic-messages",
  "openai-responses",
  "openai-chat",
  "aider",
];

/** The formats that a conversation can be written in. */
export type WriteTarget = "neutral" | "openai-chat" | "openai-responses" | "anthropic" | "ai-sdk";

/** All of them; the one that loses least stands first. */
export const WRITE_TARGETS: readonly WriteTarget[] = [
  "neutral",
  "ai-sdk",
  "anthropic",
  "openai-responses",
  "openai-chat",
];
