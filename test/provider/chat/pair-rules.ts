import { type JsonObject, objects, text } from "../json.ts";
import type { Problems } from "../refusal.ts";

/** Calls that wait for their tool message. */
interface Open {
  readonly ids: ReadonlySet<string>;
  /** Index of the message that answered a call. */
  readonly answered: Map<string, number>;
}

const NONE: Open = { ids: new Set(), answered: new Map() };

/** Every call has one tool message before anything else is said, and no other is there. */
export function* pairProblems(messages: readonly JsonObject[]): Problems {
  let open = NONE;
  for (const [index, message] of messages.entries()) {
    if (message["role"] === "tool") {
      yield* resultProblems(open, text(message["tool_call_id"]), index);
      open.answered.set(text(message["tool_call_id"]), index);
      continue;
    }
    yield* unanswered(open, index);
    open = NONE;
    if (message["role"] !== "assistant") continue;
    const ids = objects(message["tool_calls"]).map(({ id }) => text(id));
    yield* repeated(ids, index);
    open = { ids: new Set(ids), answered: new Map() };
  }
  yield* unanswered(open, messages.length);
}

function* resultProblems(open: Open, id: string, index: number): Problems {
  if (open.ids.size === 0) {
    yield {
      message:
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
      param: `messages.[${index}].role`,
    };
  }
  if (!open.ids.has(id)) {
    yield {
      message: `Invalid parameter: 'tool_call_id' of '${id}' not found in 'tool_calls' of previous message.`,
      param: `messages.[${index}].tool_call_id`,
    };
  }
  const before = open.answered.get(id);
  if (before !== undefined) {
    yield {
      message: `Invalid parameter: Duplicate value for 'tool_call_id' of '${id}', in messages[${before}] and messages[${index}].`,
      param: `messages.[${index}].tool_call_id`,
    };
  }
}

function* unanswered(open: Open, index: number): Problems {
  const missing = [...open.ids].filter((id) => !open.answered.has(id));
  if (missing.length === 0) return;
  yield {
    message: `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${missing.join(", ")}`,
    param: `messages.[${index}].role`,
  };
}

function* repeated(ids: readonly string[], index: number): Problems {
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  if (twice === undefined) return;
  yield {
    message: `Invalid parameter: Duplicate value for 'id' of '${twice}' in 'tool_calls'.`,
    param: `messages.[${index}].tool_calls`,
  };
}
