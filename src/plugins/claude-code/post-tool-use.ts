import { toJson } from "../../core/text/json.ts";
import type { ToolLimitOverrides } from "../../core/truncate/limits.ts";
import type { AgentHookEvent } from "../hook-options.ts";

/** Nothing that is smaller has more lines or bytes than any limit that makes sense. */
const SMALL_UNITS = 1_000;

/**
 * T15 for what a tool of Claude Code gave back: an answer with the same object and shorter texts in
 * it. Claude Code passes over an answer of another shape without a word.
 */
export async function answerPostToolUse(hook: AgentHookEvent): Promise<string | undefined> {
  const {
    tool_response: response,
    tool_name: tool,
    tool_input: input,
    session_id: id,
    transcript_path: file,
  } = hook.event;
  const json = toJson(response);
  if (json.length < SMALL_UNITS) return undefined;
  const [{ truncateResponse }, { homeArchive }] = await Promise.all([
    import("./tool-response.ts"),
    import("../../settings/home-archive.ts"),
  ]);
  const conversation = typeof id === "string" ? id : undefined;
  const namedBy = typeof file === "string" ? file : true;
  const updatedToolOutput = await truncateResponse(response, {
    toolName: String(tool),
    input,
    limits: hook.limits,
    toolLimits: await toolLimitsOf(hook, json),
    archive: homeArchive(hook.env, { conversation, namedBy }),
  });
  if (updatedToolOutput === response) return undefined;
  return toJson({ hookSpecificOutput: { hookEventName: "PostToolUse", updatedToolOutput } });
}

/** The person's limit, else what the window has room for. */
async function toolLimitsOf(
  { event, limits, env, settings }: AgentHookEvent,
  json: string,
): Promise<ToolLimitOverrides | undefined> {
  const { toolLimits, window = windowTold(env) } = await settings();
  const { transcript_path: file } = event;
  if (limits.maxBytes !== undefined || typeof file !== "string") return toolLimits;
  const [{ bytesWithin }, { limitsUpTo }] = await Promise.all([
    import("./room.ts"),
    import("../../core/truncate/limits.ts"),
  ]);
  return limitsUpTo(await bytesWithin(json, { file, window }), toolLimits);
}

/** The window that Claude Code was told to compact in, where it was told one. */
function windowTold({
  CLAUDE_CODE_AUTO_COMPACT_WINDOW: told,
}: AgentHookEvent["env"]): number | undefined {
  return Number(told) > 0 ? Number(told) : undefined;
}
