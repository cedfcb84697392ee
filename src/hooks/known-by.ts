import { isWireObject } from "../dialects/wire.ts";
import { isSameValue } from "./same-values.ts";

/** What a request carries beside its messages. */
export interface Beside {
  readonly instructions?: unknown;
  readonly tools?: unknown;
}

/** How a list of messages begins: its first answer of the assistant, and all before it. */
export interface Opening {
  /** Without the system messages that stand first. */
  readonly messages: readonly unknown[];
  readonly isAnswered: boolean;
  /** What may change from request to request, tools by name; `undefined` where nobody said. */
  readonly beside:
    | { readonly instructions: unknown; readonly tools: readonly unknown[] }
    | undefined;
}

export function openingOf(messages: readonly unknown[], beside?: Beside): Opening {
  const found = messages.findIndex((message) => !isSystem(message));
  const start = found < 0 ? messages.length : found;
  const answer = messages.findIndex(isAnswer);
  const end = answer < 0 ? messages.length : answer + 1;
  return {
    messages: messages.slice(start, end),
    isAnswered: answer >= 0,
    beside: beside && {
      instructions: [beside.instructions, ...messages.slice(0, start)],
      tools: toolNames(beside.tools),
    },
  };
}

/** How sure it is that a request goes on from another one. */
export type Likeness = 0 | 1 | 2 | 3 | 4;

/**
 * How alike two requests begin; 0 for those of different conversations. Once both have an answer,
 * that and what stands before it are enough: no two conversations have the same, while system
 * prompts and tools change in the middle of one. Before that, instructions and tools tell agents
 * apart that get the same first message: both have to be the same, as long as there is no answer;
 * the first answer goes to the request that is most like it.
 */
export function likeness(known: Opening, later: Opening): Likeness {
  if (!begins(known, later)) return 0;
  if (known.isAnswered) return 4;
  const same = agreement(known.beside, later.beside);
  if (same === 2) return 3;
  if (!later.isAnswered) return 0;
  return same === 1 ? 2 : 1;
}

function begins(known: Opening, { messages, isAnswered }: Opening): boolean {
  const { length } = known.messages;
  const isWhole = known.isAnswered || length === 0;
  if (isWhole && (messages.length !== length || isAnswered !== known.isAnswered)) return false;
  return known.messages.every((message, at) => isSameSaid(message, messages[at]));
}

function agreement(known: Opening["beside"], later: Opening["beside"]): 0 | 1 | 2 {
  if (known === undefined || later === undefined) return 2;
  const isSame = (name: keyof Beside): boolean => isSameContent(known[name], later[name]);
  if (isSame("instructions")) return isSame("tools") ? 2 : 1;
  return isSame("tools") ? 1 : 0;
}

/** Descriptions and schemas may change while the tools stay what they are. */
function toolNames(tools: unknown): readonly unknown[] {
  return Array.isArray(tools) ? tools.map(toolName) : [];
}

function toolName(tool: unknown): unknown {
  if (!isWireObject(tool)) return tool;
  const { function: called } = tool;
  const own = isWireObject(called) ? called["name"] : tool["name"];
  return own ?? tool["toolName"] ?? tool["type"];
}

/** What is no message at all is for the decoder to complain about. */
function isSystem(message: unknown): boolean {
  const role = isWireObject(message) ? message["role"] : undefined;
  return role === "system" || role === "developer";
}

/** A message of the assistant, or an item that has no role: a call, or reasoning. */
export function isAnswer(message: unknown): boolean {
  if (!isWireObject(message)) return false;
  const { role, type } = message;
  if (role !== undefined) return role === "assistant";
  return typeof type === "string" && !/_(?:output|result|response)$/.test(type);
}

/** Marks for caches move on with every request, and a text may have to become a part for one. */
export function isSameSaid(one: unknown, other: unknown): boolean {
  return isSameValue(one, other) || isSameValue(withoutMarks(one), withoutMarks(other));
}

/** The same for instructions: a text, parts of one, or messages of the system. */
function isSameContent(one: unknown, other: unknown): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return isSameSaid(one, other);
  return one.length === other.length && one.every((part, at) => isSameContent(part, other[at]));
}

function withoutMarks(message: unknown): unknown {
  const content = isWireObject(message) ? message["content"] : undefined;
  if (typeof content === "string") return { ...unmarked(message), content: [textPart(content)] };
  if (!Array.isArray(content)) return isWireObject(message) ? unmarked(message) : message;
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
