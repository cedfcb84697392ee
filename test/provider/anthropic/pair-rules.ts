import type { Problems } from "../refusal.ts";
import type { Placed, Turn } from "./turns.ts";

/** Every call is answered in the next turn, first thing and once; nothing else is answered. */
export function* pairProblems(turns: readonly Turn[]): Problems {
  const seen = new Set<string>();
  for (const [index, turn] of turns.entries()) {
    const calls = turn.role === "assistant" ? callIds(turn) : [];
    for (const { id, at } of calls) {
      if (seen.has(id)) yield { message: `${at}: \`tool_use\` ids must be unique` };
      seen.add(id);
    }
    yield* unansweredCalls(turn, calls, turns[index + 1]);
    yield* foreignResults(turn, turns[index - 1]);
  }
}

function callIds({ blocks }: Turn): { readonly id: string; readonly at: string }[] {
  return blocks.flatMap(({ block, at }) =>
    block["type"] === "tool_use" ? [{ id: String(block["id"]), at }] : [],
  );
}

function* unansweredCalls(
  turn: Turn,
  calls: readonly { readonly id: string }[],
  next: Turn | undefined,
): Problems {
  const answered = next?.role === "user" ? leadingResults(next) : [];
  const missing = calls.filter(({ id }) => !answered.includes(id)).map(({ id }) => id);
  if (missing.length === 0) return;
  yield {
    message: `${turn.at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  };
}

/** Results behind other content do not count. */
function leadingResults({ blocks }: Turn): string[] {
  const end = blocks.findIndex(({ block }) => block["type"] !== "tool_result");
  const leading = end === -1 ? blocks : blocks.slice(0, end);
  return leading.map(({ block }) => String(block["tool_use_id"]));
}

function* foreignResults(turn: Turn, before: Turn | undefined): Problems {
  const open = new Set(before?.role === "assistant" ? callIds(before).map(({ id }) => id) : []);
  const answered = new Set<string>();
  for (const { id, at } of turn.blocks.flatMap(resultId)) {
    if (!open.has(id)) {
      yield {
        message: `${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      };
    }
    if (answered.has(id)) {
      yield {
        message: `${at}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
      };
    }
    answered.add(id);
  }
}

function resultId({ block, at }: Placed): { readonly id: string; readonly at: string }[] {
  return block["type"] === "tool_result" ? [{ id: String(block["tool_use_id"]), at }] : [];
}
