/** The real code of others, on the same messages. */
import type { Contestant } from "../contestants.ts";
import { ADK } from "./adk.ts";
import { AI_SDK } from "./ai-sdk.ts";
import { LANGCHAIN } from "./langchain.ts";
import { MASTRA } from "./mastra.ts";
import { PI } from "./pi.ts";
import { STRANDS } from "./strands.ts";

export const PEERS: readonly Contestant[] = [
  ...AI_SDK,
  ...LANGCHAIN,
  ...PI,
  ...MASTRA,
  ...STRANDS,
  ...ADK,
];

/** Who should be here and is not. */
export const ABSENT: readonly { readonly name: string; readonly why: string }[] = [
  {
    name: "OpenAI Agents, OpenAIResponsesCompactionSession",
    why: "the whole of it is one call of the provider (`responses.compact`), whose answer only its model can read; without that call it keeps everything",
  },
  {
    name: "Anthropic's clear_tool_uses and compaction on the server",
    why: "they run at the provider; LangChain's ClearToolUsesEdit is a port of the first, and Claude Code (emulated) is near to the second",
  },
  {
    name: "AI SDK 7, pi 1.5",
    why: "they need Node 22, and these figures were made on the oldest Node that we support",
  },
];
