import { isObject, type JsonObject, objects } from "../json.ts";

/** A block of a message, and where it stands, e.g. `messages.1.content.0`. */
export interface Placed {
  readonly block: JsonObject;
  readonly at: string;
}

/** Neighbours of one role, which the API reads as one message. */
export interface Turn {
  readonly role: string;
  /** Where its first message stands, e.g. `messages.1`. */
  readonly at: string;
  readonly blocks: readonly Placed[];
}

/** Content as blocks: a string is one text block. */
export function blocksOf(content: unknown): JsonObject[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : objects(content);
}

export function turnsOf(messages: readonly unknown[]): Turn[] {
  const turns: Turn[] = [];
  messages.forEach((message, index) => {
    const { role, content } = isObject(message) ? message : {};
    const blocks = blocksOf(content).map((block, at) => ({
      block,
      at: `messages.${index}.content.${at}`,
    }));
    const last = turns.at(-1);
    if (last !== undefined && last.role === role)
      turns[turns.length - 1] = { ...last, blocks: [...last.blocks, ...blocks] };
    else turns.push({ role: String(role), at: `messages.${index}`, blocks });
  });
  return turns;
}

/** A block without its breakpoints, nested ones included, so that they make no difference. */
export function withoutBreakpoints(block: JsonObject): JsonObject {
  const { cache_control: _breakpoint, content, ...rest } = block;
  if (content === undefined) return rest;
  return { ...rest, content: blocksOf(content).map(withoutBreakpoints) };
}
