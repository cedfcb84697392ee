import { toJson } from "../../core/text/json.ts";
import type { AgentHookEvent } from "../hooks.ts";

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
  } = hook.event;
  if (toJson(response).length < SMALL_UNITS) return undefined;
  const [{ truncateResponse }, { directoryArchive }, { archiveFolder }] = await Promise.all([
    import("./tool-response.ts"),
    import("../../archive/directory.ts"),
    import("../../archive/home.ts"),
  ]);
  const conversation = typeof id === "string" ? id : undefined;
  const updatedToolOutput = await truncateResponse(response, {
    toolName: String(tool),
    input,
    limits: hook.limits,
    archive: directoryArchive(archiveFolder(hook.env), { conversation }),
  });
  if (updatedToolOutput === response) return undefined;
  return toJson({ hookSpecificOutput: { hookEventName: "PostToolUse", updatedToolOutput } });
}
