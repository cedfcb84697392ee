import { memoryArchive } from "../../archive/memory.ts";
import { type ContextOptions, createContext } from "../../context/index.ts";
import { langchain } from "../../dialects/langchain/langchain.ts";
import { createRecent } from "../recent.ts";
import { type Conversation, conversationOn } from "./conversation.ts";
import type { RunnableConfigLike, StateLike } from "./wire.ts";

/** What tells the conversations of one agent apart. */
export interface Scope {
  readonly threadId: string | undefined;
  /** The id of the message that the conversation begins with. */
  readonly firstId: string | undefined;
}

export interface Threads {
  /**
   * The conversation, opened if it is not; the one that was not used for longest gives way. `window`
   * is that of the agent's model; without it, what was given last.
   */
  of(scope: Scope, window?: number): Conversation;
}

export interface ThreadsOptions {
  readonly context: ContextOptions;
  readonly maxThreads: number;
  readonly onOpen: (conversation: Conversation, scope: Scope) => void;
}

export function createThreads({ context, maxThreads, onOpen }: ThreadsOptions): Threads {
  const open = createRecent<Conversation>(maxThreads, (dropped) => void dropped.context.close());
  let lastWindow: number | undefined;
  return {
    of(scope, window = lastWindow) {
      lastWindow = window;
      const key = keyOf(scope);
      return open.of(key, () => {
        const options = {
          traits: langchain.traits,
          ...(window !== undefined && { window }),
          ...context,
          ...archiveFor(context, scope, key),
        };
        const made = conversationOn(createContext(options));
        onOpen(made, scope);
        return made;
      });
    },
  };
}

/**
 * A thread may hold several conversations: those of sub-agents run in the thread of their caller,
 * and begin with another message.
 */
function keyOf({ threadId, firstId }: Scope): string {
  return `${threadId ?? ""}/${firstId ?? ""}`;
}

/** No conversation sees the originals of another; with a thread's id its journal is kept, too. */
function archiveFor(
  { archive }: ContextOptions,
  { threadId }: Scope,
  key: string,
): Pick<ContextOptions, "archive" | "conversation"> {
  if (archive === undefined) return { archive: memoryArchive() };
  return threadId !== undefined && archive.conversation !== undefined ? { conversation: key } : {};
}

export function scopeOf(
  config: RunnableConfigLike | undefined,
  state: StateLike | undefined,
): Scope {
  const id = config?.configurable?.thread_id;
  return {
    threadId: typeof id === "string" || typeof id === "number" ? String(id) : undefined,
    firstId: state?.messages?.[0]?.id,
  };
}
