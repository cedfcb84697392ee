import { toJson } from "../core/text/json.ts";
import { homeArchive } from "../settings/home-archive.ts";
import type { AgentHookEvent } from "./hook-options.ts";
import {
  keepHeads,
  readSessionState,
  type SessionFile,
  stateBlock,
  summaryInstructions,
} from "./session-state.ts";

/** Instructions about what a summary must keep, for an agent that adds them to its own. */
export async function summaryAdvice(
  format: SessionFile["format"],
  { event }: AgentHookEvent,
): Promise<string | undefined> {
  const { transcript_path: path } = event;
  if (typeof path !== "string") return undefined;
  return summaryInstructions(await readSessionState({ path, format }));
}

/**
 * The facts that must not be lost, said again when an agent has compacted. Its file need not say so yet: all
 * that is in it is what was compacted.
 */
export async function stateAgain(
  format: SessionFile["format"],
  { event, env }: AgentHookEvent,
): Promise<string | undefined> {
  const { transcript_path: path, session_id: conversation } = event;
  if (typeof path !== "string" || typeof conversation !== "string") return undefined;
  const state = await readSessionState({ path, format });
  const archive = homeArchive(env, { conversation, namedBy: path });
  const additionalContext = stateBlock(state, await keepHeads(state.stretches, archive));
  return toJson({ hookSpecificOutput: { hookEventName: "SessionStart", additionalContext } });
}
