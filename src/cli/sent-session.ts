import { directoryArchive } from "../archive/directory.ts";
import { archiveFolder } from "../archive/home.ts";
import type { SentList } from "../context/sent-lists.ts";
import type { Message } from "../core/message/index.ts";
import type { Io } from "./io.ts";
import { type Loaded, loadConversation, type LoadOptions } from "./load.ts";
import type { ChosenSession } from "./sessions/find-session.ts";

/** A session as its model is sent it. */
export interface SentSession extends Loaded {
  /** The lists that were sent, edit by edit, where its agent had these before its own edits. */
  readonly sentAfter: (before: readonly (readonly Message[])[]) => Promise<readonly SentList[]>;
}

/**
 * Reads a session with the edits that a plugin of Longhaul made inside its agent, which the session
 * file does not hold: they are in the journal of the archive. Throws what `readTranscript` throws.
 */
export async function loadSent(
  io: Io,
  session: ChosenSession,
  options: LoadOptions,
): Promise<SentSession> {
  const loaded = await loadConversation(io, await session.load(), options);
  const { conversation, transcript } = loaded;
  const { editsInside, sentByAgent } = await import("../plugins/inside/sent-lists.ts");
  const { format } = transcript;
  const isEdited = editsInside(format) && conversation.id !== undefined;
  const journal = isEdited ? await journalOf(io, `${format}-${conversation.id}`) : [];
  const { messages } = conversation;
  const sentAfter: SentSession["sentAfter"] = (before) =>
    sentByAgent(format, [...before, messages], journal);
  const now = (await sentAfter([])).at(-1)?.messages ?? [];
  return { ...loaded, conversation: { ...conversation, messages: now }, sentAfter };
}

/** A journal that cannot be read tells of no edits: the session is shown as its file has it. */
async function journalOf({ env }: Pick<Io, "env">, conversation: string) {
  const archive = directoryArchive(archiveFolder(env), { conversation, observe: true });
  return (await archive.journal?.read().catch(() => [])) ?? [];
}
