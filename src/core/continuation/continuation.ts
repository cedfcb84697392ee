import { toolCalls, waitingCalls } from "../message/structure.ts";
import { clipLine } from "../text/clip.ts";
import type { FilePart, Message } from "../message/index.ts";

/**
 * - `auto`: what the run state asks for is added.
 * - `ask`: nothing is added; the report says what would have been, so that the caller can ask.
 * - `never`: nothing is added.
 */
export type ContinuationPolicy = "auto" | "ask" | "never";

/** Marks every message that a compaction added, so that a UI can hide it. */
export const CONTINUE_MARK = "compaction_continue";
/** Marks a user message whose images or files were replaced by descriptions. */
export const MEDIA_MARK = "had_media";

/** The text of the synthetic user message of a run that was cut in the middle. */
export const CONTINUE_TEXT =
  "Continue the task from where the record above ends. Do not repeat finished work and do not ask what to do next.";

/** The new context, as far as the continuation depends on it. */
export interface ContinuationContext {
  readonly state: RunState;
  readonly policy: ContinuationPolicy;
  /** The last message that is kept, if any. */
  readonly last: Message | undefined;
  /** The new context holds a message of the user. */
  readonly hasUserMessage: boolean;
  /** The dialect refuses a request that ends with an assistant message. */
  readonly endsWithInput: boolean;
}

/**
 * The message to add after a compaction (T11), or `undefined`. Only a run in the middle of its task
 * can need one: when the list would hold no user message at all, or when it would end with an
 * assistant message and the dialect forbids that. A user message without a reply is in the new
 * context already, word for word; after a finished answer the user speaks next.
 */
export function buildContinuation(context: ContinuationContext): Message | undefined {
  return context.policy === "auto" && needsContinuation(context)
    ? continuationMessage()
    : undefined;
}

/** True when the run would not go on by itself, whatever the policy says. */
export function needsContinuation(context: Omit<ContinuationContext, "policy">): boolean {
  if (context.state !== "mid-task") return false;
  const endsWithAssistant = context.last?.role === "assistant";
  return !context.hasUserMessage || (endsWithAssistant && context.endsWithInput);
}

function continuationMessage(): Message {
  return {
    role: "user",
    kind: "continuation",
    parts: [{ type: "text", text: CONTINUE_TEXT }],
    metadata: { [CONTINUE_MARK]: true },
  };
}

const NAME_UNITS = 200;
const TYPE_UNITS = 100;

/** The text that stands for an image or file that is not sent again: links expire and bytes are heavy. */
export function describeMedia(file: FilePart, handle: string | undefined): string {
  // Names and types come from whoever attached the file: one line, and no half of a character.
  const name = file.filename === undefined ? "" : ` "${clipLine(file.filename, NAME_UNITS)}"`;
  const size = file.data === undefined ? "" : `, ${Math.ceil((file.data.length * 3) / 4)} bytes`;
  const recall = handle === undefined ? "" : `; recall ${handle}`;
  return `[${clipLine(file.mediaType, TYPE_UNITS)}${name}${size} was attached here and is not sent again${recall}]`;
}

/**
 * The state of the run, read from the messages before a compaction (T11).
 * - `unanswered`: the person wrote something that has no reply yet.
 * - `media`: the same, and it holds images or files.
 * - `mid-task`: the agent is in the middle of its work.
 * - `answered`: the agent has finished, or waits for a word on a call; the person speaks next.
 */
export type RunState = "unanswered" | "media" | "mid-task" | "answered";

/** Decides the run state from a conversation; an empty one is `answered`. */
export function runState(messages: readonly Message[]): RunState {
  let index = messages.length - 1;
  while (isBystander(messages[index])) index--;
  const last = messages[index];
  if (last === undefined) return "answered";
  if (last.role === "user") return isMedia(last) ? "media" : "unanswered";
  const step = messages.findLastIndex(({ role }) => role === "assistant");
  if (waitingCalls(messages.slice(Math.max(step, 0))).size > 0) return "answered";
  if (last.role === "tool" || toolCalls(last).length > 0) return "mid-task";
  return last.metadata?.["finish"] === "length" ? "mid-task" : "answered";
}

/** Messages that programs add around a run; they neither ask nor answer. */
function isBystander(message: Message | undefined): boolean {
  if (message === undefined) return false;
  return message.role === "system" || (message.role === "user" && message.kind !== undefined);
}

function isMedia(message: Message): boolean {
  return message.parts.some((part) => part.type === "file");
}
