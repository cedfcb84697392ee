import { archiveFolder } from "../archive/home.ts";
import { carryOriginals } from "../archive/carry.ts";
import type { Namer } from "../archive/named.ts";
import { errorMessage } from "../core/error.ts";
import type { Io } from "./io.ts";
import type { Loaded } from "./load.ts";

/** Plugins that run inside these agents archive under their names. */
const INSIDE: ReadonlySet<string> = new Set(["opencode", "pi"]);

/** The conversation in which the tools of an agent look for the originals of a session. */
export function conversationOf(agent: string, id: string): string {
  return INSIDE.has(agent) ? `${agent}-${id}` : id;
}

/** Something that was made of a session. */
interface Made {
  readonly text: string;
  /** The conversation that its originals are kept in. @default that of the session */
  readonly conversation?: string | undefined;
  /** The file that it is; `true` if nobody here can look for it. */
  readonly namedBy: Namer;
}

/**
 * Keeps what a result or a written session names for as long as that is there. Returns why that
 * cannot be done; the result is good without it.
 */
export async function keepNamed(
  io: Pick<Io, "env">,
  { conversation: { id }, transcript }: Loaded,
  { text, conversation = id, namedBy }: Made,
): Promise<readonly string[]> {
  const from = [
    "default",
    ...(id === undefined ? [] : [id, conversationOf(transcript.format, id)]),
  ];
  try {
    await carryOriginals(archiveFolder(io.env), text, { from, to: conversation, namedBy });
    return [];
  } catch (error) {
    return [`What this names may be removed from the archive after 7 days: ${errorMessage(error)}`];
  }
}

/**
 * The time for which the originals are there, in words.
 * @param named What names them, if it can be looked for.
 * @param retention The person's own limits.
 */
export function keptWords(named: "file" | "session" | undefined, retention: unknown): string {
  const limits = Object.keys(retention || {});
  if (limits.length > 0) {
    return "the originals, within your limits (retention in longhaul.json; longhaul gc --dry-run)";
  }
  if (named === undefined) return "the originals, until you remove them (longhaul gc with a limit)";
  const what = named === "file" ? "this file" : "the session";
  return `the originals, as long as ${what} is there and you set no limit (longhaul gc)`;
}
