import { fieldsOf } from "../../core/text/json.ts";
import { wholeCompletion } from "../../dialects/openai-chat/stream.ts";
import { objectsIn, parseInput, type WireObject } from "../../dialects/wire.ts";
import { type IsOwn, type RecallWire, type Sieve, textOf, type Verdict } from "./wire.ts";

/** Our calls in Chat Completions. */
export const recallInChat: RecallWire = {
  define: ({ name, description, schema }) => ({
    type: "function",
    function: { name, description, parameters: schema },
  }),
  mayOffer({ tool_choice: choice, response_format: format, n = 1, functions }) {
    const isFree = choice == null || choice === "auto" || choice === "required";
    const isText = format == null || fieldsOf(format)["type"] === "text";
    return isFree && isText && n === 1 && functions == null;
  },
  assemble: wholeCompletion,
  said(answer) {
    const { message } = choiceOf(answer);
    const { role = "assistant", content = null, ...rest } = fieldsOf(message);
    return [{ role, content, ...rest }];
  },
  spoken([message = {}]) {
    const calls = callsOf(message).map((call) => {
      const { name, arguments: input } = fieldsOf(call["function"]);
      return [call["id"], name, parseInput(input)];
    });
    const text = textOf(message["content"]);
    return { text, calls, extent: { said: text.length, thought: thoughtIn(message).length } };
  },
  own: ([message = {}], isOwn) => callsOf(message).filter(isOwnCall(isOwn)),
  callOf({ id, function: called }) {
    const { name, arguments: input } = fieldsOf(called);
    return { id: String(id), name: String(name), input: parseInput(input) };
  },
  results: (results) =>
    results.map(({ id, text }) => ({ role: "tool", tool_call_id: id, content: text })),
  merged(answers, isOwn) {
    const last = answers.at(-1) ?? {};
    const choice = choiceOf(last);
    const messages = answers.map((answer) => fieldsOf(choiceOf(answer).message));
    const texts = messages.map(({ content }) => textOf(content)).filter((text) => text !== "");
    const calls = messages.flatMap((message) => callsOf(withoutOwn(message, isOwn)));
    const thoughts = THOUGHTS.flatMap((field) => {
      const text = messages.map((message) => textOf(message[field])).join("");
      return text === "" ? [] : [[field, text] as const];
    });
    const { tool_calls: _, ...rest } = messages.at(-1) ?? {};
    const message = {
      ...rest,
      content: texts.length === 0 ? null : texts.join(BETWEEN),
      ...Object.fromEntries(thoughts),
      ...(calls.length > 0 && { tool_calls: calls }),
    };
    const { finish_reason: reason } = choice;
    const finish_reason = reason === "tool_calls" && calls.length === 0 ? "stop" : reason;
    return { ...last, choices: [{ ...choice, message, finish_reason }] };
  },
  sieve,
  fault: (refused) => (refused["error"] === undefined ? { error: refused } : refused),
  answerAt: (list, at) => (list[at]?.["role"] === "assistant" ? 1 : 0),
  restored([message = {}], { rounds, before, whole, hidden }) {
    const { content } = message;
    const thought = thoughtIn(message);
    const hasThoughts = thought.length === whole.thought;
    if (!hasThoughts && thought !== "") return undefined;
    if (typeof content !== "string" ? before.said > 0 : content.length < before.said) {
      return undefined;
    }
    const text = typeof content === "string" ? content.slice(before.said).trimStart() : content;
    const kept = THOUGHTS.flatMap((field) => {
      const own = message[field];
      return typeof own === "string" ? [[field, own.slice(before.thought)] as const] : [];
    });
    const calls = [...(hidden?.calls ?? []), ...callsOf(message)];
    const rest = {
      ...message,
      content: text === "" ? null : text,
      ...Object.fromEntries(kept),
      ...(calls.length > 0 && { tool_calls: calls }),
    };
    const all = rounds.flatMap(({ said, results }) => [
      ...(hasThoughts ? said : said.map(withoutThoughts)),
      ...results,
    ]);
    return rest.content === null && calls.length === 0 ? all : [...all, rest];
  },
  beside: (results, next) => ({ messages: results, next }),
};

/** Stands between the texts of two rounds. */
const BETWEEN = "\n\n";

/** Fields in which servers show reasoning, and want it back. */
const THOUGHTS = ["reasoning_content", "reasoning"] as const;

function choiceOf({ choices }: WireObject): WireObject {
  return fieldsOf(Array.isArray(choices) ? choices[0] : undefined);
}

function callsOf({ tool_calls: calls }: WireObject): readonly WireObject[] {
  return objectsIn(calls);
}

function thoughtIn(message: WireObject): string {
  return THOUGHTS.map((field) => textOf(message[field])).join("");
}

function withoutThoughts(message: WireObject): WireObject {
  const { reasoning_content: _, reasoning: _r, ...rest } = message;
  return rest;
}

function isOwnCall(isOwn: IsOwn): (call: WireObject) => boolean {
  return (call) => isOwn(fieldsOf(call["function"])["name"]);
}

function withoutOwn(message: WireObject, isOwn: IsOwn): WireObject {
  const { tool_calls: _, ...rest } = message;
  const isOurs = isOwnCall(isOwn);
  const calls = callsOf(message).filter((call) => !isOurs(call));
  return calls.length === 0 ? rest : { ...rest, tool_calls: calls };
}

function sieve(isOwn: IsOwn): Sieve {
  const own = new Set<unknown>();
  const theirs = new Map<unknown, number>();
  const first: { head?: WireObject; hasText: boolean; isOnly: boolean } = {
    hasText: false,
    isOnly: true,
  };
  let [offset, hasSaid] = [0, false];
  const theirsOf = (piece: WireObject): readonly WireObject[] => {
    const { index = 0 } = piece;
    if (!own.has(index) && !theirs.has(index)) {
      if (isOwnCall(isOwn)(piece)) own.add(index);
      else theirs.set(index, offset + theirs.size);
    }
    return own.has(index) ? [] : [{ ...piece, index: theirs.get(index) }];
  };
  const deltaOf = (delta: WireObject): WireObject => {
    const { tool_calls, content, ...rest } = delta;
    const calls = callsOf({ tool_calls }).flatMap(theirsOf);
    const isLater = first.hasText && !hasSaid && typeof content === "string" && content !== "";
    hasSaid ||= typeof content === "string" && content !== "";
    return {
      ...rest,
      ...(content !== undefined && { content: isLater ? `${BETWEEN}${content}` : content }),
      ...(calls.length > 0 && { tool_calls: calls }),
    };
  };
  const take = (event: WireObject): Verdict => {
    const { head = event } = (first.head ??= event) && first;
    const choice = choiceOf(event);
    const given = fieldsOf(choice["delta"]);
    const delta = deltaOf(given);
    const isOwnRound = own.size > 0 || !first.isOnly;
    if (!isOwnRound) return "pass";
    const { id, created } = head;
    const named = { ...event, id, created };
    if (choice["delta"] === undefined) return { hold: named };
    const isEnd = choice["finish_reason"] != null;
    const send = { ...named, choices: [{ ...choice, delta, finish_reason: null }] };
    const hold = { ...named, choices: [{ ...choice, delta: {} }] };
    return { ...(isFilled(delta) && { send }), ...(isEnd && { hold }) };
  };
  return {
    take,
    next() {
      first.hasText ||= hasSaid;
      first.isOnly = false;
      offset += theirs.size;
      hasSaid = false;
      own.clear();
      theirs.clear();
    },
    finish(held, answer) {
      const choice = choiceOf(held);
      if (choice["finish_reason"] == null) return held;
      const { finish_reason } = choiceOf(answer);
      return { ...held, choices: [{ ...choice, finish_reason }] };
    },
  };
}

function isFilled({ role: _, ...delta }: WireObject): boolean {
  return Object.values(delta).some((value) => value != null && value !== "");
}
