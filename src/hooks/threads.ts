import type { Context, ContextOptions } from "../context/index.ts";
import { createRecent } from "./conversations.ts";
import type { AboutModel, Hook } from "./hook.ts";

/** A conversation that has a name. */
export interface Thread {
  readonly id: string;
  /** Other processes know it by that name, too. */
  readonly isLasting: boolean;
}

/** The conversations behind a hook that serves many by name. */
export function createThreads<Conversation extends { readonly context: Context }, Request>(
  hook: Hook<Request>,
  make: (context: Context) => Conversation,
) {
  const open = new Map<string, Conversation>();
  let last: AboutModel | undefined;
  const use = createRecent<string>(hook.maxConversations, (id) => {
    const oldest = open.get(id);
    open.delete(id);
    if (oldest !== undefined) hook.close(oldest.context);
  });
  return {
    find: (id: string) => open.get(id),
    /**
     * Opens what is not open; the one unused for longest gives way. `about` is the model that is
     * called.
     */
    of(thread: Thread, about = last): Conversation {
      last = about;
      const { id } = thread;
      const known = open.get(id) ?? make(hook.open(id, ownSettings(hook.settings, thread, about)));
      open.set(id, known);
      use(id);
      return known;
    },
  };
}

/**
 * No thread sees the originals of another; where its name lasts, its journal is kept, too. Elsewhere
 * what the hook was given holds: edits themselves say which list they were made for.
 */
function ownSettings(
  { archive, window, model }: ContextOptions,
  { id, isLasting }: Thread,
  about: AboutModel | undefined,
): ContextOptions {
  const hasJournals = typeof archive === "string" || archive?.conversation !== undefined;
  const isKept = isLasting && hasJournals;
  return {
    window: window ?? about?.window,
    model: model ?? about?.model,
    ...(isKept && { conversation: id, journal: undefined }),
  };
}
