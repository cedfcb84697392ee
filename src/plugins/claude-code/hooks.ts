import type { AgentHookEvent } from "../hooks.ts";

/** Answers the hooks of Claude Code. */
export async function answerClaudeCode(hook: AgentHookEvent): Promise<string | undefined> {
  switch (hook.event["hook_event_name"]) {
    case "PostToolUse":
      return (await import("./post-tool-use.ts")).answerPostToolUse(hook);
    default:
      return undefined;
  }
}
