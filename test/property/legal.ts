import type { Message } from "../../src/core/message/index.ts";

/**
 * What providers refuse, written down once more from their documentation and apart from the sources,
 * so that a rule which both the engine and a dialect get wrong is seen all the same. Each checker says
 * the first thing that is wrong, or nothing.
 */
export type Refused = string | undefined;

type Wire = Readonly<Record<string, unknown>>;

/** The rules that all providers share. */
export function refusedByAll(messages: readonly Message[]): Refused {
  const seen = new Set<string>();
  let open = new Map<string, boolean>();
  for (const [index, { role, parts }] of messages.entries()) {
    if (parts.length === 0) return `message ${index} is empty`;
    if (role !== "tool") {
      if ([...open.values()].includes(false)) return `a call before message ${index} is unanswered`;
      open = new Map();
    }
    for (const part of parts) {
      const isSaid = part.type === "tool-call" || part.type === "reasoning";
      if (isSaid && role !== "assistant") return `${part.type} in message ${index}, of ${role}`;
      if (part.type === "tool-call") {
        const { toolCallId: id, pending = false } = part;
        if (id === "" || seen.has(id)) return `call id "${id}" in message ${index}`;
        seen.add(id);
        open.set(id, pending);
      } else if (part.type === "tool-result") {
        if (role !== "tool") return `result in message ${index}, of ${role}`;
        if (!open.delete(part.toolCallId)) return `stray result in message ${index}`;
      }
    }
  }
  return [...open.values()].includes(false) ? "the last call is unanswered" : undefined;
}

const list = (value: unknown): readonly Wire[] => (Array.isArray(value) ? (value as Wire[]) : []);
const isBlank = (value: unknown): boolean => typeof value !== "string" || value.trim() === "";

function blocksOf({ content }: Wire): readonly Wire[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : list(content);
}

/** Anthropic Messages; messages of one role in a row are one turn. */
export function refusedByAnthropic({ messages }: { readonly messages: unknown }): Refused {
  const turns: { role: unknown; blocks: Wire[] }[] = [];
  for (const message of list(messages)) {
    const blocks = blocksOf(message);
    if (blocks.length === 0) return "empty content";
    if (turns.at(-1)?.role === message["role"]) turns.at(-1)?.blocks.push(...blocks);
    else turns.push({ role: message["role"], blocks: [...blocks] });
  }
  if (turns[0]?.role !== "user") return "the first message is not the user's";
  const ids = new Set<unknown>();
  for (const [index, { role, blocks }] of turns.entries()) {
    if (blocks.some(({ type, text }) => type === "text" && isBlank(text))) return "blank text";
    const calls = role === "assistant" ? blocks.filter(({ type }) => type === "tool_use") : [];
    for (const { id, name, input } of calls) {
      if (typeof id !== "string" || !/^[\w-]+$/.test(id) || ids.has(id))
        return `call id ${String(id)}`;
      if (typeof name !== "string" || !/^[\w-]{1,128}$/.test(name)) return `name ${String(name)}`;
      if (typeof input !== "object" || input === null || Array.isArray(input)) return "input";
      ids.add(id);
    }
    const results = blocks.filter(({ type }) => type === "tool_result");
    const before = turns[index - 1]?.blocks ?? [];
    for (const { tool_use_id: id, content } of results) {
      if (!before.some((one) => one["id"] === id)) return "stray result";
      if (list(content).some(({ type, text }) => type === "text" && isBlank(text))) return "blank";
    }
    const next = turns[index + 1]?.blocks ?? [];
    for (const { id } of calls) {
      if (next.filter((one) => one["tool_use_id"] === id).length !== 1) return "unanswered call";
    }
    const others = blocks.findIndex(({ type }) => type !== "tool_result");
    if (others >= 0 && blocks.slice(others).some(({ type }) => type === "tool_result")) {
      return "a result behind other content";
    }
  }
  return undefined;
}

/** OpenAI Chat Completions. */
export function refusedByChat(messages: unknown): Refused {
  let open = new Set<unknown>();
  for (const { role, content, tool_calls: calls, tool_call_id: id } of list(messages)) {
    if (role === "tool") {
      if (!open.delete(id)) return "stray result";
      continue;
    }
    if (open.size > 0) return "unanswered call";
    const isEmpty = content === undefined || content === null || list(content).length === 0;
    if (isEmpty && typeof content !== "string" && list(calls).length === 0)
      return `empty ${String(role)}`;
    if (Array.isArray(calls) && calls.length === 0) return "an empty list of calls";
    open = new Set(list(calls).map((one) => one["id"]));
    if (open.size < list(calls).length || open.has("")) return "ids of calls";
    for (const { function: called } of list(calls)) {
      const { name, arguments: text } = (called ?? { name: "_", arguments: "{}" }) as Wire;
      if (typeof name !== "string" || !/^[\w-]{1,64}$/.test(name)) return `name ${String(name)}`;
      try {
        JSON.parse(text as string);
      } catch {
        return "arguments that are no JSON";
      }
    }
  }
  return open.size > 0 ? "unanswered call" : undefined;
}

/** OpenAI Responses: calls and outputs pair by id, each once, the call first. */
export function refusedByResponses(items: unknown): Refused {
  const open = new Set<unknown>();
  const seen = new Set<unknown>();
  for (const { type, call_id: id, name } of list(items)) {
    if (type === "function_call" || type === "custom_tool_call") {
      if (seen.has(id) || typeof id !== "string" || id.length > 64) return "id of a call";
      if (typeof name !== "string" || !/^[\w-]{1,128}$/.test(name)) return `name ${String(name)}`;
      seen.add(id);
      open.add(id);
    } else if (type === "function_call_output" || type === "custom_tool_call_output") {
      if (!open.delete(id)) return "stray output";
    }
  }
  return open.size > 0 ? "unanswered call" : undefined;
}

/** The AI SDK's model messages. */
export function refusedByAiSdk(messages: unknown): Refused {
  let open = new Set<unknown>();
  for (const { role, content } of list(messages)) {
    if (role === "system" && typeof content !== "string") return "system content";
    if (Array.isArray(content) && content.length === 0) return `empty ${String(role)}`;
    if (role !== "tool" && open.size > 0) return "unanswered call";
    if (role === "tool") {
      for (const { type, toolCallId: id } of list(content)) {
        if (type === "tool-result" && !open.delete(id)) return "stray result";
      }
    } else if (role === "assistant") {
      const calls = list(content).filter(({ type }) => type === "tool-call");
      open = new Set(calls.map(({ toolCallId: id }) => id));
      if (open.size < calls.length) return "ids of calls";
    }
  }
  return open.size > 0 ? "unanswered call" : undefined;
}
