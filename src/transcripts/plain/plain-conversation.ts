import { isRecord } from "../content.ts";
import type { Conversation } from "../transcript.ts";

/** A conversation as a file of native messages holds it. */
export interface PlainConversation {
  readonly messages: readonly unknown[];
  /** The `system` that stands beside the messages (Anthropic requests). */
  readonly system?: unknown;
  readonly about: Partial<Conversation>;
}

/** Keys under which programs keep a list of messages; `traj` is tau-bench's. */
const LISTS = ["messages", "traj"] as const;

/** Whether a value looks like a native message of any plain format. */
export function isPlainMessage(value: unknown): boolean {
  if (!isRecord(value) || typeof value["role"] !== "string") return false;
  return ["content", "parts", "tool_calls", "function_call"].some((field) => field in value);
}

/** The conversation in an object with a list of messages; undefined when it has none. */
export function wrappedConversation(value: unknown): PlainConversation | undefined {
  if (!isRecord(value)) return undefined;
  for (const key of LISTS) {
    const messages = value[key];
    if (!Array.isArray(messages) || !messages.slice(0, 10).some(isPlainMessage)) continue;
    return { messages: messages as unknown[], system: value["system"], about: aboutOf(value) };
  }
  return undefined;
}

/**
 * The conversations in a document: a list of messages, an object around one, a list of such
 * objects, or a list of lists. `onOdd` is told the place of each entry that is none of them.
 */
export function plainConversations(
  document: unknown,
  onOdd: (at: number) => void = () => {},
): readonly PlainConversation[] {
  const wrapped = wrappedConversation(document);
  if (wrapped !== undefined) return [wrapped];
  if (!Array.isArray(document)) return [];
  const values = document as unknown[];
  const first = values.find((value) => isPlainMessage(value) || conversationIn(value));
  if (first === undefined) return [];
  if (isPlainMessage(first)) return [{ messages: values, about: {} }];
  return values.flatMap((value, at) => {
    const conversation = conversationIn(value);
    if (conversation === undefined) onOdd(at);
    return conversation === undefined ? [] : [conversation];
  });
}

function conversationIn(value: unknown): PlainConversation | undefined {
  if (!Array.isArray(value)) return wrappedConversation(value);
  const messages = value as unknown[];
  return messages.slice(0, 10).some(isPlainMessage) ? { messages, about: {} } : undefined;
}

/** What stands beside the messages: a name (tau-bench: task and trial), a title, the model. */
function aboutOf(wrapper: Readonly<Record<string, unknown>>): Partial<Conversation> {
  const { id, task_id, trial, title, model } = wrapper;
  const trialName = trial === undefined ? "" : `/${String(trial)}`;
  const task = task_id === undefined ? undefined : `${String(task_id)}${trialName}`;
  const name = typeof id === "string" ? id : task;
  return {
    ...(name === undefined ? {} : { id: name }),
    ...(typeof title === "string" ? { title } : {}),
    ...(typeof model === "string" ? { model } : {}),
  };
}
