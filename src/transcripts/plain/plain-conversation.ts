import { isRecord } from "../../core/text/json.ts";
import type { Conversation } from "../transcript.ts";

export interface PlainConversation {
  readonly messages: readonly unknown[];
  /** The object around the messages, without fields where there is none. */
  readonly wrapper: Readonly<Record<string, unknown>>;
}

/** Keys under which programs keep a list of messages; `traj` is tau-bench's, `input` OpenAI's. */
const LISTS = ["messages", "traj", "input"] as const;

export function isPlainMessage(value: unknown): boolean {
  if (!isRecord(value) || typeof value["role"] !== "string") return false;
  return ["content", "parts", "tool_calls", "function_call"].some((field) => field in value);
}

/** Whether an object is a conversation that we wrote in the neutral format. */
export function isOurs({ format }: Readonly<Record<string, unknown>>): boolean {
  return format === "longhaul";
}

/** The conversation in an object with a list of messages; undefined when it has none. */
export function wrappedConversation(value: unknown): PlainConversation | undefined {
  if (!isRecord(value)) return undefined;
  for (const key of LISTS) {
    const messages = value[key];
    if (!Array.isArray(messages)) continue;
    if (isOurs(value) || messages.slice(0, 10).some(isPlainMessage)) {
      return { messages: messages as unknown[], wrapper: value };
    }
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
  if (isPlainMessage(first)) return [{ messages: values, wrapper: {} }];
  return values.flatMap((value, at) => {
    const conversation = conversationIn(value);
    if (conversation === undefined) onOdd(at);
    return conversation === undefined ? [] : [conversation];
  });
}

function conversationIn(value: unknown): PlainConversation | undefined {
  if (!Array.isArray(value)) return wrappedConversation(value);
  const messages = value as unknown[];
  return messages.slice(0, 10).some(isPlainMessage) ? { messages, wrapper: {} } : undefined;
}

function isName(value: unknown): value is string | number {
  return typeof value === "string" || typeof value === "number";
}

/** The fields beside the messages: a name (tau-bench: task and trial), a title, the model,
 * the system prompt of a Responses request. */
export function aboutConversation({ wrapper }: PlainConversation): Partial<Conversation> {
  const { id, task_id, trial } = wrapper;
  const task = isName(task_id) ? `${task_id}${isName(trial) ? `/${trial}` : ""}` : undefined;
  const name = typeof id === "string" ? id : task;
  return {
    id: name,
    title: textOf(wrapper["title"]),
    model: textOf(wrapper["model"]),
    instructions: textOf(wrapper["instructions"]),
  };
}

/** The conversations in lines: messages of one, or whole ones (as for fine-tuning). */
export function recordConversations(records: readonly unknown[]): readonly PlainConversation[] {
  const messages = records.filter(isPlainMessage);
  const wrapped = records.flatMap((value) => wrappedConversation(value) ?? []);
  return messages.length === 0 ? wrapped : [...wrapped, { messages, wrapper: {} }];
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
