import { fieldsOf } from "../../core/text/json.ts";
import { objectsIn, parseInput, type WireObject } from "../../dialects/wire.ts";
import { isSaid } from "../results.ts";
import {
  createPlaces,
  cutOf,
  extentOf,
  type IsOwn,
  type PieceKind,
  putBefore,
  type RecallWire,
  type Sieve,
  textOf,
  type Verdict,
} from "./wire.ts";

/** Our calls in OpenAI Responses. */
export const recallInResponses: RecallWire = {
  define: ({ name, description, schema }) => ({
    type: "function",
    name,
    description,
    parameters: schema,
    strict: true,
  }),
  mayOffer({ tool_choice: choice, text }) {
    const isFree = choice == null || choice === "auto" || choice === "required";
    const { type = "text" } = fieldsOf(fieldsOf(text)["format"]);
    return isFree && type === "text";
  },
  assemble: (events) => fieldsOf(events.findLast(isTerminal)?.["response"]),
  // An item that is not stored can only be sent again with what it was sealed with.
  said: ({ output }, { store }) =>
    objectsIn(output).filter((item) => {
      const isSealed = item["type"] === "reasoning" && item["encrypted_content"] == null;
      return !(store === false && isSealed);
    }),
  spoken: (said) => ({
    text: said.map(({ content }) => textOf(content)).join(""),
    calls: said.filter(isCall).map((item) => {
      const { name = item["type"], arguments: written, input = written } = item;
      return [item["call_id"], name, parseInput(input)];
    }),
    extent: extentOf(said.map(kindOf)),
  }),
  own: (said, isOwn) => said.filter(isOwnItem(isOwn)),
  callOf: ({ call_id: id, name, arguments: input }) => ({
    id: String(id),
    name: String(name),
    input: parseInput(input),
  }),
  results: (results) =>
    results.map(({ id, text }) => ({ type: "function_call_output", call_id: id, output: text })),
  merged(answers, isOwn) {
    const isOurs = isOwnItem(isOwn);
    const items = answers.flatMap((answer) => objectsIn(answer["output"]));
    return { ...answers.at(-1), output: items.filter((item) => !isOurs(item)) };
  },
  sieve,
  fault(refused) {
    const { code = null, message = "", param = null } = fieldsOf(refused["error"] ?? refused);
    return { type: "error", code, message, param };
  },
  answerAt(list, at) {
    const end = list.findIndex((item, index) => index >= at && !isSaid(item));
    return (end < 0 ? list.length : end) - at;
  },
  restored(items, answered) {
    const cut = cutOf(items.map(kindOf), answered);
    if (cut === undefined) return undefined;
    const rounds = answered.rounds.flatMap(({ said, results }) => [
      ...said.filter((item) => cut.hasThoughts || kindOf(item) !== "thought"),
      ...results,
    ]);
    const calls = answered.hidden?.calls ?? [];
    return [...rounds, ...putBefore(items.slice(cut.at), calls, isCall)];
  },
  beside: (results, next) => ({ messages: results, next }),
};

function kindOf({ type }: WireObject): PieceKind {
  return type === "reasoning" ? "thought" : "said";
}

function isCall({ type }: WireObject): boolean {
  return typeof type === "string" && type.endsWith("_call");
}

function isOwnItem(isOwn: IsOwn): (item: WireObject) => boolean {
  return ({ type, name }) => type === "function_call" && isOwn(name);
}

function isTerminal({ type }: WireObject): boolean {
  return /^response\.(?:completed|incomplete|failed)$/.test(String(type));
}

/** Events with which every answer begins. */
const BEGINS = /^response\.(?:created|queued|in_progress)$/;

function sieve(isOwn: IsOwn): Sieve {
  const places = createPlaces();
  let sequence = 0;
  const numbered = (event: WireObject): WireObject => {
    const { sequence_number: given } = event;
    if (typeof given !== "number") return event;
    sequence = places.isWhole() ? given + 1 : sequence + 1;
    return given === sequence - 1 ? event : { ...event, sequence_number: sequence - 1 };
  };
  const sent = (event: WireObject, made: WireObject): Verdict => {
    const send = numbered(made);
    return send === event ? "pass" : { send };
  };
  const take = (event: WireObject): Verdict => {
    const { type, output_index: index } = event;
    if (isTerminal(event)) return places.isWhole() ? "pass" : { hold: event };
    if (!places.isFirst() && BEGINS.test(String(type))) return {};
    if (typeof index !== "number") return sent(event, event);
    if (type === "response.output_item.added") {
      places.begin(index, isOwnItem(isOwn)(fieldsOf(event["item"])));
    }
    const at = places.of(index);
    if (at === undefined) return {};
    return sent(event, at === index ? event : { ...event, output_index: at });
  };
  return {
    take,
    next: () => places.next(),
    finish: (held, answer) => (isTerminal(held) ? numbered({ ...held, response: answer }) : held),
  };
}
