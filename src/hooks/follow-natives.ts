import type { Message, Usage } from "../core/message/index.ts";
import type { Decoder } from "../dialects/dialect.ts";
import { isWireObject } from "../dialects/wire.ts";
import type { TruncationOptions } from "../tools/index.ts";

/** A list of native messages, and what they say. */
interface Told<Native> {
  readonly list: readonly Native[];
  readonly messages: readonly Message[];
}

/** A list that only grows, and its messages, decoded. */
interface Followed<Native> extends Told<Native> {
  readonly list: Native[];
  readonly messages: Message[];
  readonly decode: Decoder<Native>;
  /** Messages that may still grow, and the same with what was reported for them. */
  readonly reported: WeakMap<Message, Message>;
}

/**
 * Turns growing lists of native messages into neutral ones, each native message once. Two lists are
 * followed from call to call: the history that the caller builds, and the one that was returned last.
 * A message stays decoded as long as its list still begins with the very same objects; a list that
 * begins otherwise is decoded anew. `onCut` hears of a list out of whose middle or beginning
 * something is gone. Throws what the decoder throws.
 */
export function followNatives<Native>(
  createDecoder: () => Decoder<Native>,
  onCut: () => void = () => undefined,
) {
  const open = (): Followed<Native> => ({
    list: [],
    messages: [],
    decode: createDecoder(),
    reported: new WeakMap(),
  });
  let given = open();
  let returned: Followed<Native> | undefined;
  let told: Told<Native> | undefined;
  /** The newest returned list, if this list goes on from it. */
  const adopted = (list: readonly Native[]): Followed<Native> | undefined => {
    if (told === undefined || !goesOn(told, list)) return undefined;
    const followed = open();
    // Decoding has to go on from here, so the decoder must have seen all of it.
    for (const native of told.list) followed.decode(native);
    if ((followed.decode.open?.() ?? []).length > 0) return undefined;
    return { ...followed, list: [...told.list], messages: [...told.messages] };
  };
  return {
    /**
     * The list, decoded; the result may grow with the next call. `usage` is the provider's report for
     * the request that the newest answer of the assistant came from; it counts only where the list
     * says what the one before said, and more.
     */
    decode(list: readonly Native[], usage?: Usage): readonly Message[] {
      if (returned === undefined || !goesOn(returned, list)) returned = adopted(list) ?? returned;
      const known = [returned, given].find((one) => one !== undefined && goesOn(one, list));
      const lists = [given, returned, told];
      // Somebody else took something out, or a store gave back copies.
      const isOther = known === undefined && !lists.some((one) => saysMore(one, list));
      if (isOther && lists.some((one) => isCut(one, list))) onCut();
      if (known === undefined) given = open();
      const followed = known ?? given;
      const growing = extend(followed, list, isOther ? undefined : usage);
      // A copy of a long list costs more than all the rest of a step.
      return growing.length === 0 ? followed.messages : [...followed.messages, ...growing];
    },
    /** Notes that `list`, which is returned, says what `messages` say: callers may go on from it. */
    adopt(list: readonly Native[], messages: readonly Message[]): void {
      // Loops push their next messages into the list that they were given.
      told = { list: [...list], messages };
    },
  };
}

function goesOn<Native>({ list: known }: Told<Native>, list: readonly Native[]): boolean {
  return beginsWith(list, known, Object.is);
}

/** Tells whether a list begins as another one is, by the very objects, or by what they say. */
export function beginsWith<Native>(
  list: readonly Native[],
  start: readonly Native[],
  isSame: (one: Native, other: Native) => boolean = saysTheSame,
): boolean {
  return start.length <= list.length && start.every((one, at) => isSame(one, list[at] as Native));
}

function saysMore<Native>(told: Told<Native> | undefined, list: readonly Native[]): boolean {
  return told !== undefined && beginsWith(list, told.list);
}

/** The last message is still there, and not all that stood before it. */
function isCut<Native>(told: Told<Native> | undefined, list: readonly Native[]): boolean {
  const last = told?.list.at(-1);
  return last !== undefined && list.some((native) => saysTheSame(native, last));
}

/** Takes in what is new, and returns the message that later natives may still join. */
function extend<Native>(
  followed: Followed<Native>,
  list: readonly Native[],
  usage: Usage | undefined,
): readonly Message[] {
  const fresh = list.slice(followed.list.length);
  const decoded = fresh.flatMap((native) => followed.decode(native));
  const open = followed.decode.open?.() ?? [];
  const known = [...decoded, ...open].map((message) => followed.reported.get(message) ?? message);
  const messages = fresh.length === 0 ? known : withUsage(known, usage);
  // One by one: a call takes only so many arguments.
  for (const native of fresh) followed.list.push(native);
  for (const message of messages.slice(0, decoded.length)) followed.messages.push(message);
  const reported = messages.slice(decoded.length);
  open.forEach((message, at) => followed.reported.set(message, reported[at] ?? message));
  return reported;
}

/** A report belongs to the newest answer, and only if that has just come. */
function withUsage(fresh: readonly Message[], usage: Usage | undefined): readonly Message[] {
  if (usage === undefined) return fresh;
  const newest = fresh.findLastIndex(({ role }) => role === "assistant");
  return fresh.map((message, index) => (index === newest ? { ...message, usage } : message));
}

/** A look at messages as they arrive. */
export interface ArrivalFormat<Native> {
  /**
   * T15 for the message at a place in a list, where results of tools come to the model by themselves;
   * the very message if nothing in it is too long.
   */
  readonly truncate?: (
    at: number,
    list: readonly Native[],
    truncation: TruncationOptions,
  ) => Native | Promise<Native>;
  /** The sign in a message that the provider manages the conversation itself. */
  readonly managedBy?: (message: Native) => string | undefined;
}

/** Looks at each message of a growing list once; a list that begins otherwise is seen anew. */
export function followArrivals<Native extends object>(
  { truncate, managedBy: look }: ArrivalFormat<Native>,
  truncation: TruncationOptions,
) {
  const truncated = new WeakMap<Native, Native>();
  let isWhole = true;
  let seen: { readonly last?: Native; readonly length: number; readonly managedBy?: string } = {
    length: 0,
  };
  return async (list: readonly Native[]) => {
    const isLonger = seen.length > 0 && list[seen.length - 1] === seen.last;
    let managedBy = isLonger ? seen.managedBy : undefined;
    for (let at = isLonger ? seen.length : 0; at < list.length; at++) {
      const native = list[at] as Native;
      managedBy ??= look?.(native);
      if (truncate === undefined || truncated.has(native)) continue;
      const kept = await truncate(at, list, truncation);
      if (kept === native) continue;
      truncated.set(native, kept);
      isWhole = false;
    }
    seen = { length: list.length, last: list.at(-1), managedBy };
    const messages = isWhole ? list : list.map((native) => truncated.get(native) ?? native);
    return { messages, managedBy };
  };
}

/**
 * The objects of an earlier list stay wherever both say the same, and so does what was made of
 * them.
 */
export function keepObjects<Value>(list: readonly Value[], before: readonly Value[]): Value[] {
  return list.map((value, index) => {
    const known = before[index];
    return known !== undefined && isSameValue(value, known) ? known : value;
  });
}

/** The marks of two messages may differ. */
export function saysTheSame(one: unknown, other: unknown): boolean {
  return one === other || isSameValue(withoutMarks(one), withoutMarks(other));
}

/** Marks for caches move on with every request, and a text may have to become a part for one. */
export function withoutMarks(message: unknown): unknown {
  if (!isWireObject(message)) return message;
  const { content } = message;
  if (typeof content === "string") {
    return { ...unmarked(message), content: [{ type: "text", text: content }] };
  }
  return Array.isArray(content)
    ? { ...unmarked(message), content: content.map(unmarked) }
    : unmarked(message);
}

/**
 * Without the marks of the wire, those of the AI SDK among the options of a provider, and the ids of
 * items, which the Agents SDK leaves out of what it stores.
 */
function unmarked(value: unknown): object {
  if (!isWireObject(value)) return { value };
  const { cache_control: _, providerOptions: _o, id: _i, providerData: _d, ...rest } = value;
  return rest;
}

/** For JSON, and for what messages hold beside it: bytes, and addresses, whose fields say nothing. */
export function isSameValue(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object") return false;
  if (one === null || other === null || Array.isArray(one) !== Array.isArray(other)) return false;
  if (ArrayBuffer.isView(one) || ArrayBuffer.isView(other)) return isSameBytes(one, other);
  if ("toJSON" in one || "toJSON" in other) return JSON.stringify(one) === JSON.stringify(other);
  const entries = Object.entries(one);
  if (entries.length !== Object.keys(other).length) return false;
  const fields = other as Readonly<Record<string, unknown>>;
  return entries.every(
    ([key, value]) => Object.hasOwn(fields, key) && isSameValue(value, fields[key]),
  );
}

function isSameBytes(one: object, other: object): boolean {
  if (!ArrayBuffer.isView(one) || !ArrayBuffer.isView(other)) return false;
  const [bytes, others] = [bytesOf(one), bytesOf(other)];
  return bytes.length === others.length && bytes.every((byte, at) => byte === others[at]);
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
