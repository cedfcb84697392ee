import { namedOriginal } from "../message/handle.ts";
import { messageText } from "../message/message.ts";
import { startsTurn, toolCalls, waitingCalls } from "../message/structure.ts";
import { mediaNames } from "../message/media-names.ts";
import type { FilePart, Message, OutputPart } from "../message/index.ts";

/**
 * - `auto`: what the run state asks for is added.
 * - `ask`: nothing is added; the report has its text, for whoever decides.
 * - `never`: nothing is added, and no text is offered.
 */
export type ContinuationPolicy = "auto" | "ask" | "never";

/** Marks every message that a compaction added, so that a UI can hide it. */
export const CONTINUE_MARK = "compaction_continue";
/** Marks a user message whose images or files were replaced by descriptions. */
export const MEDIA_MARK = "had_media";

/** The text of the synthetic user message of a run that was cut in the middle. */
export const CONTINUE_TEXT =
  "Continue the task from where the record above ends. Do not repeat finished work and do not ask what to do next.";

/** The result of a compaction, as far as the continuation depends on it. */
export interface ContinuationOptions {
  /** @default "auto" */
  readonly policy?: ContinuationPolicy;
  /**
   * The messages, of those before the compaction, that the new context holds behind its summary.
   * @default none: there is only the summary
   */
  readonly kept?: readonly Message[];
  /** Whether a request may not end with an assistant message. @default true */
  readonly endsWithInput?: boolean;
  /** The handle of a file that is not sent again. @default nowhere */
  readonly handleOf?: (file: FilePart) => string | undefined;
}

/** The way a run goes on after a compaction. */
export interface Continuation {
  readonly state: RunState;
  /** Whether the run would not go on by itself, whatever the policy says. */
  readonly needed: boolean;
  /** Whether the policy lets it be added. */
  readonly added: boolean;
  /** The words of the message; absent where nothing is needed, and under the policy `never`. */
  readonly text?: string;
  /** The message to put at the end of the new context; present if `added`. */
  readonly message?: Message;
}

/**
 * The way a run goes on (T11), from the messages before a compaction. A message of the user without
 * a reply that is not kept is said again, its images and files described (`had_media`); a run in
 * the middle of its task gets a synthetic message where the list would hold no user message at all,
 * or would end with an assistant message and may not. After a finished answer the user speaks next.
 * Every message is marked with `compaction_continue`.
 * @example
 * import { buildContinuation } from "longhaul/core";
 *
 * const { state, message } = buildContinuation([
 *   { role: "user", parts: [{ type: "text", text: "Fix the build." }] },
 * ]);
 * console.log(state, message?.metadata?.["compaction_continue"]); // unanswered true
 */
export function buildContinuation(
  messages: readonly Message[],
  options: ContinuationOptions = {},
): Continuation {
  const { policy = "auto" } = options;
  const state = runState(messages);
  const message = neededMessage(messages, state, options);
  if (message === undefined) return { state, needed: false, added: false };
  if (policy === "never") return { state, needed: true, added: false };
  const text = messageText(message);
  if (policy === "ask") return { state, needed: true, added: false, text };
  return { state, needed: true, added: true, text, message };
}

/** The message that the new context lacks; `undefined` where the run goes on by itself. */
function neededMessage(
  messages: readonly Message[],
  state: RunState,
  { kept = [], endsWithInput = true, handleOf }: ContinuationOptions,
): Message | undefined {
  if (state === "answered") return undefined;
  if (state === "mid-task") {
    const endsWithAssistant = kept.at(-1)?.role === "assistant";
    const hasUserMessage = kept.some(({ role }) => role === "user");
    return hasUserMessage && !(endsWithAssistant && endsWithInput) ? undefined : goOn();
  }
  const asked = messages.findLast(startsTurn);
  const isKept = asked === undefined || kept.includes(asked);
  return isKept ? undefined : saidAgain(asked, handleOf);
}

function goOn(): Message {
  return {
    role: "user",
    kind: "continuation",
    parts: [{ type: "text", text: CONTINUE_TEXT }],
    metadata: { [CONTINUE_MARK]: true },
  };
}

/** The user's words as they were, without bytes and links that may have expired. */
function saidAgain(
  { parts, metadata }: Message,
  handleOf: ContinuationOptions["handleOf"],
): Message {
  const hadMedia = parts.some(({ type }) => type === "file");
  return {
    role: "user",
    parts: parts.map((part) =>
      part.type === "file" ? { type: "text", text: describeMedia([part], handleOf?.(part)) } : part,
    ),
    metadata: { ...metadata, [CONTINUE_MARK]: true, ...(hadMedia && { [MEDIA_MARK]: true }) },
  };
}

/**
 * The text that stands for images, files and opaque pieces that are not sent again: links expire
 * and bytes are heavy. Pieces of text are no matter of it; `""` where there is nothing else.
 */
export function describeMedia(
  pieces: readonly OutputPart[],
  handle: string | undefined,
  recall?: boolean,
): string {
  const { named, count } = mediaNames(pieces);
  if (count === 0) return "";
  const verbs = count === 1 ? ["was", "is"] : ["were", "are"];
  const where = handle === undefined ? "" : `; ${namedOriginal(handle, recall)}`;
  return `[${named} ${verbs[0]} attached here and ${verbs[1]} not sent again${where}]`;
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
