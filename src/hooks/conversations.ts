import { type Context, type ContextOptions, createContext } from "../context/index.ts";
import type { Usage } from "../core/message/index.ts";
import type { Dialect } from "../dialects/dialect.ts";
import { isWireObject } from "../dialects/wire-value.ts";
import { type NativeContext, nativeContextOn } from "./native-context.ts";
import { isSameValue, keepObjects } from "./same-values.ts";

/** One request of a conversation. */
export interface Conversation<Native> {
  readonly native: NativeContext<readonly Native[]>;
  /** The messages of the request: objects that say the same as known ones are those. */
  readonly messages: readonly Native[];
  /** What the provider reported for the newest answer among them, as far as it was learned. */
  readonly reported: Usage | undefined;
  /** Takes in what the provider reported for this request. */
  readonly learn: (usage: Usage) => void;
  /** Notes what is sent instead: the caller may go on from there. */
  readonly goesOn: (sent: readonly Native[]) => void;
}

export interface ConversationsOptions<Native> {
  /** The context of the conversation that comes first. */
  readonly context: Context;
  /** For the contexts of the others. */
  readonly settings: ContextOptions;
  readonly dialect: Dialect<readonly Native[], Native>;
}

/** What is remembered of a conversation. */
interface Track<Native> {
  readonly native: NativeContext<readonly Native[]>;
  /** The first messages of the caller's list, and of what was sent for it. */
  readonly begins: (Native | undefined)[];
  messages: readonly Native[];
  /** For the answer behind so many messages. */
  usage?: { readonly length: number; readonly reported: Usage };
}

/** How many conversations beside the first are remembered. */
const MOST_OTHERS = 16;

/**
 * Tells conversations apart that come through one client, such as those of sub-agents: by the first
 * message that is not the system's. The one that comes first has the context; each other gets one of
 * its own, with the same settings and archive.
 */
export function createConversations<Native extends object>(
  options: ConversationsOptions<Native>,
): (messages: readonly Native[]) => Conversation<Native> {
  const known: Track<Native>[] = [];
  return (messages) => {
    const begin = firstOf(messages);
    let track = known.find(({ begins }) => begins.some((one) => isSameValue(one, begin)));
    if (track === undefined) {
      const native = open(options, known.length === 0);
      track = { native, begins: [begin], messages: [] };
      known.push(track);
      // The first one stays, whatever comes.
      if (known.length > MOST_OTHERS + 1) known.splice(1, 1);
    }
    track.messages = keepObjects(messages, track.messages);
    return requestOf(track);
  };
}

function open<Native>(
  { context, settings, dialect }: ConversationsOptions<Native>,
  isFirst: boolean,
): NativeContext<readonly Native[]> {
  const { conversation: _c, journal: _j, ...rest } = settings;
  const own = isFirst ? context : createContext({ ...rest, archive: context.archive });
  return nativeContextOn(own, { dialect, messagesOf: (messages) => messages });
}

function requestOf<Native>(track: Track<Native>): Conversation<Native> {
  const { native, messages, usage } = track;
  const { length } = messages;
  return {
    native,
    messages,
    reported: usage !== undefined && length > usage.length ? usage.reported : undefined,
    learn: (reported) => void (track.usage = { length, reported }),
    goesOn: (sent) => void (track.begins[1] = firstOf(sent)),
  };
}

function firstOf<Native>(messages: readonly Native[]): Native | undefined {
  return messages.find((native) => {
    // What is no message at all is for the decoder to complain about.
    const role = isWireObject(native) ? native["role"] : undefined;
    return role !== "system" && role !== "developer";
  });
}
