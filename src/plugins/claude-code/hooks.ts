import { fieldsOf, toJson } from "../../core/text/json.ts";
import type { AgentHookEvent } from "../hook-options.ts";

/** Answers the hooks of Claude Code. */
export async function answerClaudeCode(hook: AgentHookEvent): Promise<string | undefined> {
  switch (hook.event["hook_event_name"]) {
    case "PostToolUse":
      return (await import("./post-tool-use.ts")).answerPostToolUse(hook);
    case "PreToolUse":
      return ownToolCall(hook);
    case "PreCompact":
      return (await import("../compaction.ts")).summaryAdvice("claude-code", hook);
    case "SessionStart":
      if (hook.event["source"] !== "compact") return undefined;
      return (await import("../compaction.ts")).stateAgain("claude-code", hook);
    default:
      return undefined;
  }
}

/**
 * A call of one of our tools: it only reads what was in this very session, so nobody is asked, and it
 * is told which session that is.
 */
function ownToolCall({ event }: AgentHookEvent): string | undefined {
  const { tool_name: tool, tool_input: input, session_id: session, transcript_path } = event;
  if (typeof tool !== "string" || !OWN_TOOL.test(tool)) return undefined;
  const updatedInput = { ...fieldsOf(input), session, transcript: transcript_path };
  const allowed = { hookEventName: "PreToolUse", permissionDecision: "allow", updatedInput };
  return toJson({ hookSpecificOutput: allowed });
}

const OWN_TOOL = /^mcp__plugin_longhaul_longhaul__(?:recall|search|window)$/;
