import { type Context, type ContextOptions, createContext } from "../context/index.ts";
import type { Usage } from "../core/message/index.ts";
import {
  type Beside,
  isAnswer,
  isSameSaid,
  likeness,
  type Opening,
  openingOf,
} from "./known-by.ts";
import { type NativeContext, type NativeFormat, nativeContextOn } from "./native-context.ts";
import { keepObjects } from "./same-values.ts";

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

/** The conversation of a request; `beside` is what it carries beside its messages, if that is known. */
export type ConversationOf<Native, Whole = readonly Native[]> = (
  messages: readonly Native[],
  beside?: Beside,
) => Conversation<Native, Whole>;

export interface ConversationsOptions<Native, Whole = readonly Native[]> {
  /** The context of the conversation that comes first. */
  readonly context: Context;
  /** What that was made with, for the contexts of the others. */
  readonly settings: ContextOptions;
  readonly format: NativeFormat<Whole, Native>;
}

/** What is remembered of a conversation. */
interface Track<Native, Whole> {
  native?: NativeContext<Whole>;
  /** How its first request began, its newest one, and what was sent instead of that. */
  readonly first: Opening;
  newest: Opening;
  sent?: Opening;
  /** Whether a request has brought an answer to one before. */
  goesOn: boolean;
  messages: readonly Native[];
  /** For the answer behind these messages. */
  usage?: { readonly messages: readonly Native[]; readonly reported: Usage };
}

/** How many conversations are remembered. */
const MOST = 17;

/**
 * Tells conversations apart that come through one client: those of sub-agents, questions for a
 * title. What belongs together is decided by {@link likeness}. One conversation has the context: the
 * first that comes, or, if that was a mere question, the first that goes on. Each other has one of
 * its own. All of them start from the same journal, and keep theirs in the same place: the
 * edits themselves say which list they were made for.
 */
export function createConversations<Native extends object, Whole = readonly Native[]>(
  options: ConversationsOptions<Native, Whole>,
): ConversationOf<Native, Whole> {
  const { context, format } = options;
  const main = nativeContextOn(context, format);
  /** The one that was not used for longest is the first. */
  const known: Track<Native, Whole>[] = [];
  let owner: Track<Native, Whole> | undefined;
  const takeContext = (track: Track<Native, Whole>): void => {
    const isFree = owner === undefined || (isQuestion(owner) && track.goesOn && !isEdited(track));
    if (owner === track || !isFree) return;
    if (owner !== undefined) owner.native = undefined;
    owner = track;
    track.native = main;
  };
  const note = (track: Track<Native, Whole>): void => {
    const at = known.indexOf(track);
    if (at >= 0) known.splice(at, 1);
    known.push(track);
    const oldest = known.length > MOST ? known.find((one) => one !== owner) : undefined;
    if (oldest === undefined) return;
    known.splice(known.indexOf(oldest), 1);
    void oldest.native?.context.close();
  };
  return (messages, beside) => {
    const opening = openingOf(messages, beside);
    const track: Track<Native, Whole> = mostAlike(known, opening) ?? {
      first: opening,
      newest: opening,
      goesOn: false,
      messages: [],
    };
    track.newest = { ...opening, beside: opening.beside ?? track.newest.beside };
    track.goesOn ||= opening.isAnswered;
    track.messages = keepObjects(messages, track.messages);
    takeContext(track);
    note(track);
    track.native ??= nativeContextOn(openOther(options), format);
    return requestOf(track, track.native);
  };
}

/** Of those that are alike, the one that was used last. */
function mostAlike<Native, Whole>(
  tracks: readonly Track<Native, Whole>[],
  opening: Opening,
): Track<Native, Whole> | undefined {
  let best: Track<Native, Whole> | undefined;
  let most = 1;
  for (const track of tracks) {
    const { first, newest, sent } = track;
    // Instructions are compared with those of now.
    const all = [{ ...first, beside: newest.beside }, newest, ...(sent ? [sent] : [])];
    const alike = Math.max(...all.map((one) => likeness(one, opening)));
    if (alike >= most) [best, most] = [track, alike];
  }
  return best;
}

/** An agent with tools may be waiting for another one that is a tool. */
function isQuestion<Native, Whole>({ goesOn, newest }: Track<Native, Whole>): boolean {
  return !goesOn && newest.beside?.tools.length === 0;
}

function isEdited<Native, Whole>({ native }: Track<Native, Whole>): boolean {
  return native !== undefined && native.context.journal().length > 0;
}

function openOther<Native, Whole>({
  context,
  settings,
}: ConversationsOptions<Native, Whole>): Context {
  const isStored = settings.conversation !== undefined;
  return createContext({
    ...settings,
    ...(!isStored && { archive: context.archive }),
    // Who listens to the client's context hears of all that fails.
    onUnheardFailure: (failure) => void context.fail(failure),
  });
}

function requestOf<Native, Whole>(
  track: Track<Native, Whole>,
  native: NativeContext<Whole>,
): Conversation<Native, Whole> {
  const { messages, usage } = track;
  return {
    native,
    messages,
    reported: usage && isAnsweredIn(usage.messages, messages) ? usage.reported : undefined,
    learn: (reported) => void (track.usage = { messages, reported }),
    goesOn: (sent) => void (track.sent = { ...openingOf(sent), beside: track.newest.beside }),
  };
}

/**
 * Whether the newest answer is the one to that list. What was reported for another list that began
 * alike says nothing; and for one before the newest edit, too much.
 */
function isAnsweredIn<Native>(before: readonly Native[], messages: readonly Native[]): boolean {
  const { length } = before;
  if (messages.length <= length || !isSameSaid(messages[length - 1], before[length - 1])) {
    return false;
  }
  const newer = messages.slice(length);
  const answers = newer.findIndex((message) => !isAnswer(message));
  return answers < 0 || !newer.slice(answers).some(isAnswer);
}
