import { stripVTControlCharacters } from "node:util";
import { directoryArchive } from "../archive/directory.ts";
import { everyConversation } from "../archive/every-conversation.ts";
import { archiveFolder } from "../archive/home.ts";
import {
  imagesOf,
  type RecallInput,
  recallTools,
  type SearchInput,
} from "../archive/recall-tools.ts";
import { memoryArchive } from "../archive/memory.ts";
import type { Archive } from "../archive/archive.ts";
import { ContextError } from "../core/error.ts";
import { type Fields, fieldsOf } from "../core/text/json.ts";
import type { InspectOptions } from "./inspection.ts";
import type { Io } from "./io.ts";
import type { McpOptions } from "./mcp.ts";

/** One call: what the model gave, and what the agent says about it. */
export interface McpCall {
  readonly input: Fields;
  readonly meta: Fields;
}

type Content =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly data: string; readonly mimeType: string };

/** A tool of the server. */
export interface McpTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** JSON Schema. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  run(call: McpCall): Promise<readonly Content[]>;
}

/** The three tools, each for the session that a call belongs to. */
export function mcpTools(io: Io, options: McpOptions): readonly McpTool[] {
  const scopeOf = (call: McpCall): Scope => scopeOfCall(io, options, call);
  const { recall, search_archive: search } = recallTools(memoryArchive());
  return [
    {
      name: "recall",
      title: "Recall an original",
      description: recall.description.replace("search_archive", "search"),
      inputSchema: { ...recall.inputSchema, required: ["handle"] },
      async run(call) {
        const { archive, input } = scopeOf(call);
        const asked = input as unknown as RecallInput;
        const text = await recallTools(archive).recall.execute(asked);
        const images = await imagesOf(archive, asked);
        const pictures = images.map(({ data, mediaType }) => ({
          type: "image" as const,
          data,
          mimeType: mediaType,
        }));
        return [{ type: "text", text }, ...pictures];
      },
    },
    {
      name: "search",
      title: "Search what left the context",
      description: search.description,
      inputSchema: { ...search.inputSchema, required: ["pattern"] },
      async run(call) {
        const scope = scopeOf(call);
        await keepSaid(io, scope);
        const asked = scope.input as unknown as SearchInput;
        return texts(await recallTools(scope.archive).search_archive.execute(asked));
      },
    },
    {
      name: "window",
      title: "How full the window is",
      description:
        "Says how full the context window of this session is and what fills it: by kind, by tool, the largest pieces.",
      inputSchema: NO_INPUT,
      run: async (call) => texts(await windowView(io, scopeOf(call))),
    },
  ];
}

function texts(text: string): readonly Content[] {
  return [{ type: "text", text }];
}

const NO_INPUT = { type: "object", properties: {}, additionalProperties: false };

/** What a call may see. */
interface Scope {
  readonly archive: Archive;
  /** Absent where everything is meant. */
  readonly session?: SessionName;
  /** What the model gave, without what a hook added. */
  readonly input: Fields;
}

interface SessionName {
  readonly id: string;
  /** Its file, where the agent names it. */
  readonly file?: string;
}

function scopeOfCall(io: Io, options: McpOptions, call: McpCall): Scope {
  const folder = archiveFolder(io.env);
  const { session: _, transcript: __, ...plain } = call.input;
  // A model must not choose whose session it reads: only a hook's word counts, where there is one.
  const input = options.sessionOfCall === true ? plain : call.input;
  if (options.all === true) return { archive: everyConversation(folder), input };
  const session = sessionOf(io, options, call);
  if (session === undefined) {
    throw new ContextError(
      "invalid-options",
      "This server does not know which session it belongs to. Start it with longhaul mcp --session ID, or with --all for everything that was archived.",
    );
  }
  return { archive: directoryArchive(folder, { conversation: session.id }), session, input };
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

/** What the agent compacted away is in its own file: it is archived, so that it is found, too. */
async function keepSaid(io: Io, { archive, session }: Scope): Promise<void> {
  const file = session && (await sessionFile(io, session));
  if (file === undefined || (file.agent !== "claude-code" && file.agent !== "codex")) return;
  const { keepHeads, readSessionState } = await import("../plugins/session-state.ts");
  try {
    const state = await readSessionState({ path: file.path, format: file.agent });
    await keepHeads(state.stretches.slice(0, -1), archive);
  } catch {
    // What is archived already can be searched nevertheless.
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
      import("./inspect.ts"),
      import("./settings.ts"),
    ]);
  const flags: InspectOptions = { json: true };
  const options = mergedSettings(await readSettings(io), flags);
  const loaded = await loadConversation(io, file.path, options);
  const inspection = inspect(file.path, loaded, options);
  return stripVTControlCharacters(windowLines(io, inspection).join("\n"));
}
