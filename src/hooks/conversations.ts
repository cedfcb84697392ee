import { type Context, type ContextOptions, createContext } from "../context/index.ts";
import type { Usage } from "../core/message/index.ts";
import { isWireObject } from "../dialects/wire-value.ts";
import { type NativeContext, type NativeFormat, nativeContextOn } from "./native-context.ts";
import { isSameValue, keepObjects } from "./same-values.ts";

/** One request of a conversation; `Whole` is its messages and what stands beside them. */
export interface Conversation<Native, Whole = readonly Native[]> {
  readonly native: NativeContext<Whole>;
  /** The messages of the request: objects that say the same as known ones are those. */
  readonly messages: readonly Native[];
  /** What the provider reported for the newest answer among them, as far as it was learned. */
  readonly reported: Usage | undefined;
  /** Takes in what the provider reported for this request. */
  readonly learn: (usage: Usage) => void;
  /** Notes what is sent instead: the caller may go on from there. */
  readonly goesOn: (sent: readonly Native[]) => void;
}

export interface ConversationsOptions<Native, Whole = readonly Native[]> {
  /** The context of the conversation that comes first. */
  readonly context: Context;
  /** For the contexts of the others. */
  readonly settings: ContextOptions;
  readonly format: NativeFormat<Whole, Native>;
}

/** What is remembered of a conversation. */
interface Track<Native, Whole> {
  readonly native: NativeContext<Whole>;
  /** The first messages of the caller's list, and of what was sent for it. */
  readonly begins: (Native | undefined)[];
  messages: readonly Native[];
  /** For the answer behind these messages. */
  usage?: { readonly messages: readonly Native[]; readonly reported: Usage };
}

/** How many conversations beside the first are remembered. */
const MOST_OTHERS = 16;

/**
 * Tells conversations apart that come through one client, such as those of sub-agents: by the first
 * message that is not the system's. The one that comes first has the context; each other gets one of
 * its own, with the same settings and archive.
 */
export function createConversations<Native extends object, Whole = readonly Native[]>(
  options: ConversationsOptions<Native, Whole>,
): (messages: readonly Native[]) => Conversation<Native, Whole> {
  const known: Track<Native, Whole>[] = [];
  const make = (begin: Native | undefined): Track<Native, Whole> => {
    const own = known.length === 0 ? options.context : openOther(options);
    const native = nativeContextOn(own, options.format);
    const track = { native, begins: [begin], messages: [] };
    known.push(track);
    // The first one stays, whatever comes.
    if (known.length > MOST_OTHERS + 1) known.splice(1, 1);
    return track;
  };
  return (messages) => {
    const begin = firstOf(messages);
    const track =
      known.find(({ begins }) => begins.some((one) => isSameSaid(one, begin))) ?? make(begin);
    track.messages = keepObjects(messages, track.messages);
    return requestOf(track);
  };
}

function openOther<Native, Whole>({
  context,
  settings,
}: ConversationsOptions<Native, Whole>): Context {
  const { conversation: _c, journal: _j, ...rest } = settings;
  return createContext({ ...rest, archive: context.archive });
}

function requestOf<Native, Whole>(track: Track<Native, Whole>): Conversation<Native, Whole> {
  const { native, messages, usage } = track;
  return {
    native,
    messages,
    reported: usage && goesOnFrom(messages, usage.messages) ? usage.reported : undefined,
    learn: (reported) => void (track.usage = { messages, reported }),
    goesOn: (sent) => void (track.begins[1] = firstOf(sent)),
  };
}

/** What was reported for another list that began alike, e.g. with other instructions, says nothing. */
function goesOnFrom<Native>(messages: readonly Native[], before: readonly Native[]): boolean {
  const { length } = before;
  return messages.length > length && isSameSaid(messages[length - 1], before[length - 1]);
}

function firstOf<Native>(messages: readonly Native[]): Native | undefined {
  return messages.find((native) => {
    // What is no message at all is for the decoder to complain about.
    const role = isWireObject(native) ? native["role"] : undefined;
    return role !== "system" && role !== "developer";
  });
}

/** Marks for caches move on with every request, and a text may have to become a part for one. */
function isSameSaid(one: unknown, other: unknown): boolean {
  return isSameValue(one, other) || isSameValue(withoutMarks(one), withoutMarks(other));
}

function withoutMarks(message: unknown): unknown {
  const content = isWireObject(message) ? message["content"] : undefined;
  if (typeof content === "string") return { ...unmarked(message), content: [textPart(content)] };
  if (!Array.isArray(content)) return message;
  return { ...unmarked(message), content: content.map(unmarked) };
}

/** Without the marks of the wire, and those of the AI SDK among the options of a provider. */
function unmarked(value: unknown): object {
  if (!isWireObject(value)) return { value };
  const { cache_control: _, providerOptions: _options, ...rest } = value;
  return rest;
}

function textPart(text: string): object {
  return { type: "text", text };
}
