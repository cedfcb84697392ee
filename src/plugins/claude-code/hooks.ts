import type { AgentHookEvent } from "../hooks.ts";

/** Answers the hooks of Claude Code. */
export async function answerClaudeCode(hook: AgentHookEvent): Promise<string | undefined> {
  switch (hook.event["hook_event_name"]) {
    case "PostToolUse":
      return (await import("./post-tool-use.ts")).answerPostToolUse(hook);
    case "PreCompact":
      return (await import("./compaction.ts")).answerPreCompact(hook);
    case "SessionStart":
      if (hook.event["source"] !== "compact") return undefined;
      return (await import("./compaction.ts")).answerCompacted(hook);
    default:
      return undefined;
  }
}
