import { stripVTControlCharacters } from "node:util";
import { homeArchive } from "../settings/home-archive.ts";
import { everyConversation, everyIn } from "../archive/every-conversation.ts";
import { archiveFolder } from "../archive/home.ts";
import type { OpenArchive } from "../archive/open.ts";
import { ContextError, wrongUse } from "../core/error.ts";
import { fieldsOf } from "../core/text/json.ts";
import {
  archiveTools,
  type McpCall,
  type McpScope,
  type McpTool,
  windowTool,
} from "../mcp/tools.ts";
import type { Io } from "./io.ts";
import type { LoadOptions } from "./load.ts";

/** Options of a server of tools. */
export interface McpOptions {
  readonly all?: boolean;
  readonly session?: string;
  readonly sessionOfCall?: boolean;
  /** The store of originals, if it is not the archive of the command line. */
  readonly store?: OpenArchive;
}

/** The three tools, each for the session that a call belongs to. */
export function mcpTools(io: Io, options: McpOptions): readonly McpTool[] {
  const scopeOf = (call: McpCall): Scope => scopeOfCall(io, options, call);
  const tools = archiveTools({ scopeOf, beforeSearch: (call) => keepSaid(io, scopeOf(call)) });
  return [...tools, windowTool((call) => windowView(io, scopeOf(call)))];
}

/** The view of a call. */
interface Scope extends McpScope {
  /** Absent where everything is meant. */
  readonly session?: SessionName;
}

interface SessionName {
  readonly id: string;
  /** Its file, where the agent names it. */
  readonly file?: string;
}

function scopeOfCall(io: Io, options: McpOptions, call: McpCall): Scope {
  const folder = archiveFolder(io.env);
  const { session: _, transcript: __, ...plain } = call.input;
  const { store } = options;
  if (options.all === true) {
    // The plugin's hook names a session whoever the server is for; everything is everybody's here.
    const archive = store === undefined ? everyConversation(folder) : everyIn(store);
    return { archive, input: plain };
  }
  // A model must not choose whose session it reads: only a hook's word counts, where there is one.
  const input = options.sessionOfCall === true ? plain : call.input;
  const session = sessionOf(io, options, call);
  if (session === undefined) {
    throw wrongUse(
      "This server does not know which session it belongs to. Start it with longhaul mcp --session ID, or with --all for everything that was archived.",
    );
  }
  const archive =
    store?.conversation(session.id) ?? homeArchive(io.env, { conversation: session.id });
  return { archive, session, input };
}

function sessionOf(io: Io, options: McpOptions, { input, meta }: McpCall): SessionName | undefined {
  const { session, transcript } = input;
  if (options.session !== undefined) return { id: options.session };
  if (options.sessionOfCall === true && typeof session === "string") {
    return { id: session, ...(typeof transcript === "string" && { file: transcript }) };
  }
  const ofCodex = fieldsOf(meta["x-codex-turn-metadata"]);
  const known = [
    meta["sessionId"],
    ofCodex["session_id"],
    meta["threadId"],
    io.env["CLAUDE_CODE_SESSION_ID"],
  ];
  const id = known.find((one): one is string => typeof one === "string" && one !== "");
  return id === undefined ? undefined : { id };
}

/** The file of a session, as its agent keeps it; `undefined` where there is none. */
async function sessionFile(
  io: Io,
  { id, file }: SessionName,
): Promise<{ readonly path: string; readonly agent: string } | undefined> {
  if (file !== undefined) return { path: file, agent: "claude-code" };
  const { findSessions } = await import("./sessions/sessions.ts");
  const { sessions } = await findSessions(io);
  const found = sessions.find(({ name }) => name.replace(/\.jsonl$/, "").endsWith(id));
  return found?.path === undefined ? undefined : { path: found.path, agent: found.agent };
}

/** Messages that the agent compacted away are in its own file: they are archived, so that they are found, too. */
async function keepSaid(io: Io, { archive, session }: Scope): Promise<void> {
  const file = session && (await sessionFile(io, session));
  if (file === undefined || (file.agent !== "claude-code" && file.agent !== "codex")) return;
  const { keepHeads, readSessionState } = await import("../plugins/session-state.ts");
  try {
    const state = await readSessionState({ path: file.path, format: file.agent });
    await keepHeads(state.stretches.slice(0, -1), archive);
  } catch {
    // The archive can be searched nevertheless.
  }
}

async function windowView(io: Io, { session }: Scope): Promise<string> {
  const file = session && (await sessionFile(io, session));
  if (file === undefined) {
    throw new ContextError(
      "unreadable-file",
      "There is no file of this session yet, or this server is for all of them (--all).",
    );
  }
  const [{ loadConversation }, { inspect }, { windowLines }, { mergedSettings, readSettings }] =
    await Promise.all([
      import("./load.ts"),
      import("./inspection.ts"),
      import("./inspect-view.ts"),
      import("../settings/settings.ts"),
    ]);
  const flags: LoadOptions = { json: true };
  const options = mergedSettings(await readSettings(io), flags);
  const loaded = await loadConversation(io, file.path, options);
  const inspection = inspect(file.path, loaded, options);
  return stripVTControlCharacters(windowLines(io, inspection).join("\n"));
}
