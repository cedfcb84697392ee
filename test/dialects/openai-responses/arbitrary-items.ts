import * as fc from "fast-check";
import type { ResponsesItem } from "../../../src/dialects/openai-responses/wire.ts";

export type Item = ResponsesItem & Readonly<Record<string, unknown>>;

/** One piece of a reply: what it is, and how much it says. */
type Piece = "message" | "function_call" | "custom_tool_call" | "web_search_call" | "code_call";

interface Reply {
  readonly thoughts: number;
  readonly pieces: readonly Piece[];
  /** Whether each output stands directly behind its call. */
  readonly isInterleaved: boolean;
  readonly isSealed: boolean;
}

const reply: fc.Arbitrary<Reply> = fc.record({
  thoughts: fc.nat(2),
  pieces: fc.array(
    fc.constantFrom<Piece>(
      "message",
      "function_call",
      "custom_tool_call",
      "web_search_call",
      "code_call",
    ),
    { minLength: 1, maxLength: 4 },
  ),
  isInterleaved: fc.boolean(),
  isSealed: fc.boolean(),
});

/** Conversations as the API gives them: every item has its id. */
export const nativeItems: fc.Arbitrary<Item[]> = fc
  .array(fc.array(reply, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 })
  .map((turns) => {
    let count = 0;
    const next = (prefix: string): string => `${prefix}_${++count}`;
    return turns.flatMap((replies, turn) => [
      { role: "user", content: `Do the task number ${turn}.` },
      ...replies.flatMap((one) => replyItems(one, next)),
    ]);
  });

function replyItems({ thoughts, pieces, isInterleaved, isSealed }: Reply, next: Next): Item[] {
  const sealed = isSealed ? { encrypted_content: "c2VhbGVk".repeat(20) } : {};
  const items: Item[] = Array.from({ length: thoughts }, () => ({
    type: "reasoning",
    id: next("rs"),
    summary: [],
    ...sealed,
  }));
  const late: Item[] = [];
  for (const piece of pieces) {
    const [item, output] = pieceItems(piece, next);
    items.push(item);
    if (output !== undefined) (isInterleaved ? items : late).push(output);
  }
  return [...items, ...late];
}

type Next = (prefix: string) => string;

function pieceItems(piece: Piece, next: Next): [Item, Item?] {
  const call_id = next("call");
  const output = { call_id, output: `output of ${call_id} `.repeat(40) };
  switch (piece) {
    case "message": {
      const content = [{ type: "output_text", text: `I said ${call_id}.`, annotations: [] }];
      return [{ type: piece, id: next("msg"), role: "assistant", status: "completed", content }];
    }
    case "function_call":
      return [
        {
          type: piece,
          id: next("fc"),
          call_id,
          name: "read",
          arguments: `{ "path":"${call_id}" }`,
        },
        { type: "function_call_output", id: next("fco"), ...output },
      ];
    case "custom_tool_call":
      return [
        { type: piece, id: next("ctc"), call_id, name: "exec", input: `run(${call_id})` },
        { type: "custom_tool_call_output", ...output },
      ];
    case "web_search_call":
      return [{ type: piece, id: next("ws"), status: "completed", action: { type: "search" } }];
    case "code_call":
      return [
        {
          type: "code_interpreter_call",
          id: next("ci"),
          container_id: "cntr_1",
          code: "1",
          outputs: [],
          status: "completed",
        },
      ];
  }
}

/** Items that the model made: reasoning, and what it led to. */
function isSaid(item: Item): boolean {
  return item["role"] === "assistant" || /^(?:reasoning|.+_call)$/.test(String(item.type));
}

/**
 * What the API holds against a list whose items it made itself, as it answers `was provided without
 * its required …`: reasoning that is named by its id must stand before the item that followed it,
 * and an item that is named by its id behind the reasoning it came from.
 */
export function brokenBonds(made: readonly Item[], sent: readonly Item[]): string[] {
  const place = new Map(sent.map((item, at) => [item.id, at]));
  const problems: string[] = [];
  made.forEach((item, at) => {
    const here = place.get(item.id);
    if (item.id === undefined || here === undefined || !isSaid(item)) return;
    const follower = made.slice(at + 1).find((other) => other.type !== "reasoning");
    const next = sent.slice(here + 1).find((other) => other.type !== "reasoning");
    if (item.type === "reasoning" && next?.id !== follower?.id) {
      problems.push(`${item.id} was provided without its following item ${follower?.id}`);
    }
    for (const thought of thoughtsOf(made, at)) {
      const before = place.get(thought.id);
      if (item.type !== "reasoning" && (before === undefined || before > here)) {
        problems.push(`${item.id} was provided without its reasoning ${thought.id}`);
      }
    }
  });
  return problems;
}

/** The reasoning that an item came from: the nearest before it in what was said without input. */
function thoughtsOf(made: readonly Item[], at: number): Item[] {
  let from = at;
  while (from > 0 && made[from - 1]?.role !== "user") from--;
  const before = made.slice(from, at);
  const last = before.findLastIndex((item) => item.type === "reasoning");
  const first = before.slice(0, last + 1).findLastIndex((item) => item.type !== "reasoning") + 1;
  return last < 0 ? [] : before.slice(first, last + 1);
}
