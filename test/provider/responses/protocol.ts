import { isObject, type JsonObject, objects, text } from "../json.ts";
import { openaiErrors } from "../openai-errors.ts";
import type { Exchange, Protocol, World } from "../protocol.ts";
import { firstRefusal, type Problems, type Refusal } from "../refusal.ts";
import { notFound, pairProblems } from "./pair-rules.ts";
import { failureEvents, renderResponse, type ReplyContext, responseEvents } from "./reply.ts";
import { requestProblems, typeOf } from "./rules.ts";
import { segmentsOf, viewOf } from "./view.ts";

/** `POST /v1/responses`. */
export const responses: Protocol = {
  ...openaiErrors,
  name: "openai-responses",
  receive({ body }, world) {
    if (!isObject(body)) return openaiErrors.badJson();
    const refusal = firstRefusal(requestProblems(body)) ?? firstRefusal(stateProblems(body, world));
    if (refusal !== undefined) return refusal;
    const items = conversationOf(body, world);
    const { responses: store, secret } = world;
    return firstRefusal(pairProblems(items, { store, secret })) ?? exchangeOf(body, items, world);
  },
  overflow: (): Refusal => ({
    status: 400,
    type: "invalid_request_error",
    message:
      "Your input exceeds the context window of this model. Please adjust your input and try again.",
    param: "input",
    code: "context_length_exceeded",
    overflow: true,
    inStream: true,
  }),
};

/** What the request names must be there. */
function* stateProblems(body: JsonObject, { responses: store }: World): Problems {
  const previous = body["previous_response_id"];
  if (previous != null && store.conversation(text(previous)) === undefined) {
    yield {
      message: `Previous response with id '${text(previous)}' not found.`,
      param: "previous_response_id",
      code: "previous_response_not_found",
    };
  }
  for (const item of objects(body["input"])) {
    const id = text(item["id"]);
    if (typeOf(item) === "item_reference" && store.item(id) === undefined) yield notFound(id);
  }
}

/** What is stored and what is sent, references resolved. */
function conversationOf(body: JsonObject, { responses: store }: World): JsonObject[] {
  const { input } = body;
  const own = typeof input === "string" ? [{ role: "user", content: input }] : objects(input);
  return [
    ...(store.conversation(text(body["previous_response_id"])) ?? []),
    ...own.map((item) =>
      typeOf(item) === "item_reference" ? (store.item(text(item["id"])) ?? item) : item,
    ),
  ];
}

function exchangeOf(body: JsonObject, items: readonly JsonObject[], world: World): Exchange {
  const segments = segmentsOf(body, items, world);
  const view = viewOf(body, items, world.secret);
  const context: ReplyContext = { world, body, items };
  return {
    view,
    promptTokens: segments.reduce((sum, { tokens }) => sum + tokens, 0),
    cacheUse: world.cache.automatic(view.model, segments),
    render: (answer) => renderResponse(answer, context),
    stream: (answer) => responseEvents(answer, context),
    errorEvents: (refusal, _requestId, sent) => failureEvents(refusal, context, sent),
  };
}
