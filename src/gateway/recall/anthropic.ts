import { fieldsOf } from "../../core/text/json.ts";
import { wholeMessage } from "../../dialects/anthropic/stream.ts";
import { objectsIn, type WireObject } from "../../dialects/wire.ts";
import {
  createPlaces,
  cutOf,
  extentOf,
  type IsOwn,
  type PieceKind,
  putBefore,
  type RecallWire,
  type Sieve,
} from "./wire.ts";

/** Our calls in Anthropic Messages. */
export const recallInMessages: RecallWire = {
  define: ({ name, description, schema }) => ({ name, description, input_schema: schema }),
  mayOffer({ tool_choice: choice, output_format, output_config }) {
    const isFree = choice == null || /^(?:auto|any)$/.test(String(fieldsOf(choice)["type"]));
    return isFree && output_format == null && fieldsOf(output_config)["format"] == null;
  },
  assemble: wholeMessage,
  said({ content: given }) {
    const content = blocksOf(given).filter((block) => kindOf(block) !== "empty");
    return [{ role: "assistant", content }];
  },
  spoken(said) {
    const blocks = said.flatMap(({ content }) => blocksOf(content));
    return {
      text: blocks.map(({ type, text }) => (type === "text" ? String(text) : "")).join(""),
      calls: blocks.filter(isCall).map(({ id, name, input }) => [id, name, input]),
      extent: extentOf(blocks.map(kindOf)),
    };
  },
  own: (said, isOwn) => said.flatMap(({ content }) => blocksOf(content).filter(isOwnBlock(isOwn))),
  callOf: ({ id, name, input }) => ({ id: String(id), name: String(name), input }),
  results(results) {
    const content = results.map(({ id, text }) => ({
      type: "tool_result",
      tool_use_id: id,
      content: text,
    }));
    return [{ role: "user", content }];
  },
  merged(answers, isOwn) {
    const last = answers.at(-1) ?? {};
    const isOurs = isOwnBlock(isOwn);
    const blocks = answers.flatMap((answer) => blocksOf(answer["content"]));
    const content = blocks.filter((block) => !isOurs(block));
    // An answer that calls nothing of the client's has ended for it.
    const hasEnded = last["stop_reason"] === "tool_use" && !content.some(isCall);
    return { ...last, content, stop_reason: hasEnded ? "end_turn" : last["stop_reason"] };
  },
  sieve,
  fault: (refused) =>
    refused["type"] === "error"
      ? refused
      : { type: "error", error: { type: "api_error", ...refused } },
  answerAt: (list, at) => (list[at]?.["role"] === "assistant" ? 1 : 0),
  restored([message = {}], answered) {
    const blocks = blocksOf(message["content"]);
    const cut = cutOf(blocks.map(kindOf), answered);
    if (cut === undefined) return undefined;
    const rounds = answered.rounds.flatMap(({ said, results }) => [
      ...(cut.hasThoughts ? said : said.map(withoutThoughts)),
      ...results,
    ]);
    const calls = answered.hidden?.calls ?? [];
    const content = putBefore(blocks.slice(cut.at), calls, isCall);
    return content.length === 0 ? rounds : [...rounds, { ...message, content }];
  },
  beside(results, next) {
    const blocks = results.flatMap(({ content }) => blocksOf(content));
    if (next?.["role"] !== "user") return { messages: results, next };
    return { messages: [], next: { ...next, content: [...blocks, ...blocksOf(next["content"])] } };
  },
};

function blocksOf(content: unknown): readonly WireObject[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return objectsIn(content);
}

function kindOf({ type, text }: WireObject): PieceKind {
  if (type === "thinking" || type === "redacted_thinking") return "thought";
  return type === "text" && String(text).trim() === "" ? "empty" : "said";
}

function isCall({ type }: WireObject): boolean {
  return type === "tool_use";
}

function isOwnBlock(isOwn: IsOwn): (block: WireObject) => boolean {
  return (block) => isCall(block) && isOwn(block["name"]);
}

function withoutThoughts(message: WireObject): WireObject {
  const blocks = blocksOf(message["content"]);
  return { ...message, content: blocks.filter((block) => kindOf(block) !== "thought") };
}

function sieve(isOwn: IsOwn): Sieve {
  const places = createPlaces();
  const isOurs = isOwnBlock(isOwn);
  return {
    take(event) {
      const { type, index } = event;
      if (type === "message_start") return places.isFirst() ? "pass" : {};
      if (type === "message_delta" || type === "message_stop") {
        return places.isWhole() ? "pass" : { hold: event };
      }
      if (typeof index !== "number") return "pass";
      if (type === "content_block_start") {
        places.begin(index, isOurs(fieldsOf(event["content_block"])));
      }
      const at = places.of(index);
      if (at === undefined) return {};
      return at === index ? "pass" : { send: { ...event, index: at } };
    },
    next: () => places.next(),
    finish(held, answer) {
      const { delta } = held;
      if (held["type"] !== "message_delta") return held;
      return { ...held, delta: { ...fieldsOf(delta), stop_reason: answer["stop_reason"] } };
    },
  };
}
