import type { AgentHookEvent } from "../hook-options.ts";

/** Answers the hooks of Codex. */
export async function answerCodex(hook: AgentHookEvent): Promise<string | undefined> {
  switch (hook.event["hook_event_name"]) {
    case "PostToolUse":
      return (await import("./post-tool-use.ts")).answerPostToolUse(hook);
    case "SessionStart":
      if (hook.event["source"] !== "compact") return undefined;
      return (await import("../compaction.ts")).stateAgain("codex", hook);
    default:
      return undefined;
  }
}
