import { directoryArchive } from "../../archive/directory.ts";
import { archiveFolder } from "../../archive/home.ts";
import { toJson } from "../../core/text/json.ts";
import type { AgentHookEvent } from "../hooks.ts";
import { keepHeads, readSessionState, stateBlock, summaryInstructions } from "../session-state.ts";

/** What is printed before Claude Code compacts becomes part of the instructions for its summary. */
export async function answerPreCompact({ event }: AgentHookEvent): Promise<string | undefined> {
  const { transcript_path: path } = event;
  if (typeof path !== "string") return undefined;
  return summaryInstructions(await readSessionState({ path, format: "claude-code" }));
}

/**
 * What must not be lost, said again when Claude Code has compacted. Its file does not say so yet: all
 * that is in it is what was compacted.
 */
export async function answerCompacted({ event, env }: AgentHookEvent): Promise<string | undefined> {
  const { transcript_path: path, session_id: conversation } = event;
  if (typeof path !== "string" || typeof conversation !== "string") return undefined;
  const state = await readSessionState({ path, format: "claude-code" });
  const archive = directoryArchive(archiveFolder(env), { conversation });
  const additionalContext = stateBlock(state, await keepHeads(state.stretches, archive));
  return toJson({ hookSpecificOutput: { hookEventName: "SessionStart", additionalContext } });
}
