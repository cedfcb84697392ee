import { readdir } from "node:fs/promises";
import path from "node:path";
import { conversationFolder } from "../../archive/conversation.ts";
import { archiveFolder } from "../../archive/home.ts";
import { fieldsOf } from "../../core/text/json.ts";
import type { AgentHookEvent } from "../hook-options.ts";

const CELLS = 10;

/**
 * One line on how full the window is, as Claude Code itself measures it, and how many originals of the
 * session are kept. Nothing where Claude Code does not say how full it is.
 */
export async function statusLine({ event, env }: AgentHookEvent): Promise<string | undefined> {
  const { context_window_size: size, used_percentage: used } = fieldsOf(event["context_window"]);
  if (typeof size !== "number" || typeof used !== "number") return undefined;
  const full = Math.min(CELLS, Math.round((used / 100) * CELLS));
  const bar = "▰".repeat(full) + "▱".repeat(CELLS - full);
  const kept = await originals(event["session_id"], env);
  return `${bar} ${Math.round(used)} % of ${Math.round(size / 1000)}k${kept === 0 ? "" : ` · ${kept} kept`}\n`;
}

async function originals(session: unknown, env: AgentHookEvent["env"]): Promise<number> {
  if (typeof session !== "string") return 0;
  const folder = conversationFolder(path.resolve(archiveFolder(env)), session);
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => /^[a-z]+_[0-9a-f]{16}\./.test(name)).length;
}
