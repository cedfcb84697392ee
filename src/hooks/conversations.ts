import { sha256Hex } from "../archive/digest.ts";
import type { Usage } from "../core/message/index.ts";
import { fieldsOf } from "../core/text/json.ts";
import { isWireObject } from "../dialects/wire.ts";
import type { Hook } from "./hook.ts";
import {
  itself,
  type NativeContext,
  type NativeFormat,
  nativeContextOn,
  type NativePrepareOptions,
  others,
} from "./native-context.ts";
import { keepObjects, saysTheSame, withoutMarks } from "./follow-natives.ts";
import type { Context } from "../context/index.ts";

export interface Conversation<Whole> {
  readonly context: Context;
  /** The request itself; messages that say the same as known ones are those objects. */
  readonly given: Whole;
  /** The provider's report for the newest answer in it, as far as it was learned. */
  readonly reported: Usage | undefined;
  /** The conversation to send: the very {@link given} if nothing had to be done. */
  prepare(options?: NativePrepareOptions): Promise<Whole>;
  /** The conversation to send instead of what was refused, or `undefined`. */
  recover(error: unknown): Promise<Whole | undefined>;
  /** Takes in what the provider reported for this request. */
  learn(usage: Usage | undefined): void;
}

/** The parts of a request that tell its conversation. */
export interface ConversationRequest<Request> {
  /** For the caller's own `conversationOf`. */
  readonly request?: Request;
  /** The tools that are sent; `undefined` where nobody knows. */
  readonly tools?: unknown;
  /** The id of the model that is called, where the request says it. */
  readonly model?: unknown;
}

/** Finds the conversation of a request; `Whole` is its messages and what stands beside them. */
export type ConversationOf<Request, Whole> = (
  whole: Whole,
  request?: ConversationRequest<Request>,
) => Conversation<Whole>;

interface Entry<Native, Whole> {
  native?: NativeContext<Whole>;
  readonly keys: Set<string>;
  /** Nothing but a question so far, from somebody without tools: e.g. for a title. */
  isQuestion: boolean;
  messages: readonly Native[];
  model?: unknown;
  /** For the answer behind these messages. */
  usage?: { readonly messages: readonly Native[]; readonly reported: Usage };
}

/**
 * Tells the conversations apart that come through one client: those of sub-agents, questions for a
 * title. A conversation is known by its first message and its first answer; before there is an
 * answer, by its first message and the names of its tools, and the first answer that comes takes
 * that over. System prompts never count, and tools no more once there is an answer: both change in
 * the middle of a conversation. With `conversationOf` its id counts alone.
 *
 * The hook's own context is that of the first conversation, or, if that was a mere question, of the
 * first that goes on. Each other has one of its own. All start from the same journal: the edits
 * themselves say which list they were made for. `isTaken` tells that the hook's own context serves
 * somebody else.
 */
export function createConversations<Native extends object, Request, Whole = readonly Native[]>(
  hook: Hook<Request>,
  format: NativeFormat<Whole, Native>,
  isTaken: () => boolean = () => false,
): ConversationOf<Request, Whole> {
  const { messagesOf = itself, withMessages = others } = format;
  const own = hook.settings.conversation === undefined ? { archive: hook.context.archive } : {};
  const nativeOn = (context: Context): NativeContext<Whole> => nativeContextOn(context, format);
  const main = nativeOn(hook.context);
  const byKey = new Map<string, Entry<Native, Whole>>();
  let owner: Entry<Native, Whole> | undefined;
  hook.heed(hook.context, () => owner?.model);
  const nameAs = (entry: Entry<Native, Whole>, key: string): void => {
    byKey.set(key, entry);
    entry.keys.add(key);
  };
  const drop = (entry: Entry<Native, Whole>): void => {
    for (const key of entry.keys) if (byKey.get(key) === entry) byKey.delete(key);
    if (entry.native !== undefined) hook.close(entry.native.context);
  };
  const use = createRecent(hook.maxConversations, drop);
  const entryOf = (keys: Keys): Entry<Native, Whole> => {
    const { answer, questions } = keys;
    const open = questions.map((key) => byKey.get(key));
    const known = answer === undefined ? open[0] : (byKey.get(answer) ?? open[0] ?? open[1]);
    const entry = known ?? { keys: new Set<string>(), isQuestion: true, messages: [] };
    if (answer === undefined) for (const key of questions) nameAs(entry, key);
    else if (!entry.keys.has(answer)) {
      // The next answer to the same question is that of another conversation.
      for (const key of questions) if (byKey.get(key) === entry) byKey.delete(key);
      nameAs(entry, answer);
    }
    return entry;
  };
  const takeContext = (entry: Entry<Native, Whole>): void => {
    const isFree = owner === undefined || (owner.isQuestion && !entry.isQuestion);
    const isEdited = entry.native !== undefined && entry.native.context.journal().length > 0;
    if (owner === entry || !isFree || isEdited || isTaken()) return;
    if (owner !== undefined) owner.native = undefined;
    owner = entry;
    entry.native = main;
  };
  return (whole, { request, tools, model } = {}) => {
    const messages = messagesOf(whole);
    const id = request && hook.conversationOf(request);
    const keys = id === undefined ? keysOf(messages, tools) : { answer: `id ${id}`, questions: [] };
    const entry = entryOf(keys);
    const hasTools = !Array.isArray(tools) || tools.length > 0;
    if (keys.answer !== undefined || hasTools) entry.isQuestion = false;
    Object.assign(entry, { messages: keepObjects(messages, entry.messages), model });
    takeContext(entry);
    use(entry, owner);
    const name = id ?? keys.answer ?? "";
    entry.native ??= nativeOn(hook.open(name, own, () => entry.model));
    const given = withMessages(whole, entry.messages);
    return requestOf(entry, { native: entry.native, given }, (sent) => {
      // The caller may go on from there.
      const { answer } = keysOf(messagesOf(sent), tools);
      if (answer !== undefined && !byKey.has(answer)) nameAs(entry, answer);
    });
  };
}

/** Notes a use; where too many were used, the one that was not for longest gives way. */
export function createRecent<Value>(
  most: number,
  drop: (value: Value) => void,
): (value: Value, kept?: Value) => void {
  const recent = new Set<Value>();
  return (value, kept) => {
    recent.delete(value);
    recent.add(value);
    if (recent.size <= most) return;
    for (const oldest of recent) {
      if (oldest === kept) continue;
      recent.delete(oldest);
      return drop(oldest);
    }
  };
}

interface Keys {
  /** By the first answer; absent as long as there is none. */
  readonly answer?: string;
  /** By the first message with the tools, and by the first message alone. */
  readonly questions: readonly string[];
}

function keysOf(messages: readonly unknown[], tools: unknown): Keys {
  const body = messages.findIndex((message) => !isSystem(message));
  const start = Math.max(0, body);
  const end = messages.findIndex(isAnswer);
  const first = digestOf(messages[start]);
  const names = Array.isArray(tools) ? tools.map(toolName) : [];
  const questions = [`asked ${sha256Hex(textOf([first, names]))}`, `asked ${first}`];
  if (end < 0) return { questions };
  const said = messages.slice(start, end + 1).map(digestOf);
  return { answer: `said ${said.join(" ")}`, questions };
}

/** The same for messages that say the same, whatever marks they carry. */
export function digestOf(message: unknown): string {
  return sha256Hex(textOf(withoutMarks(message)));
}

/**
 * The same text for what says the same: SDKs store messages and give them back with their fields in
 * another order. Bytes count by their length alone: their digits would be most of the work.
 */
function textOf(value: unknown): string {
  const short = (_: string, one: unknown): unknown => {
    if (ArrayBuffer.isView(one)) return `${one.byteLength} bytes`;
    if (!isWireObject(one)) return one;
    return Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)));
  };
  try {
    return JSON.stringify(value, short) ?? "";
  } catch {
    // A message that is no JSON is for the decoder to complain about.
    return "";
  }
}

/** Descriptions and schemas may change while the tools stay what they are. */
function toolName(tool: unknown): unknown {
  if (!isWireObject(tool)) return tool;
  const { name, toolName, type } = tool;
  const own = isWireObject(tool["function"]) ? tool["function"]["name"] : name;
  return own ?? toolName ?? type;
}

/** A value that is no message at all is for the decoder to complain about. */
export function isSystem(message: unknown): boolean {
  const { role } = fieldsOf(message);
  return role === "system" || role === "developer";
}

/** A message of the assistant, or an item that has no role: a call, or reasoning. */
function isAnswer(message: unknown): boolean {
  if (!isWireObject(message)) return false;
  const { role, type } = message;
  if (role !== undefined) return role === "assistant";
  return typeof type === "string" && !/_(?:output|result|response)$/.test(type);
}

function requestOf<Native, Whole>(
  entry: Entry<Native, Whole>,
  { native, given }: { readonly native: NativeContext<Whole>; readonly given: Whole },
  goesOn: (sent: Whole) => void,
): Conversation<Whole> {
  const { messages, usage } = entry;
  const reported =
    usage && goesOnByOneAnswer(usage.messages, messages) ? usage.reported : undefined;
  return {
    context: native.context,
    given,
    reported,
    async prepare(options = {}) {
      const usage = options.usage ?? reported;
      const { conversation } = await native.prepare(given, { ...options, usage });
      if (conversation !== given) goesOn(conversation);
      return conversation;
    },
    async recover(error) {
      const recovered = await native.recover(given, error);
      if (recovered !== undefined) goesOn(recovered.conversation);
      return recovered?.conversation;
    },
    learn(usage) {
      if (usage !== undefined) entry.usage = { messages, reported: usage };
    },
  };
}

/**
 * A report for another list that began alike says nothing; one from before the newest edit, too
 * much.
 */
export function goesOnByOneAnswer<Native>(
  before: readonly Native[],
  messages: readonly Native[],
): boolean {
  const { length } = before;
  const [last, then] = [messages[length - 1], before[length - 1]];
  if (messages.length <= length || !saysTheSame(last, then)) return false;
  const newer = messages.slice(length);
  const answers = newer.findIndex((message) => !isAnswer(message));
  return answers < 0 || !newer.slice(answers).some(isAnswer);
}
