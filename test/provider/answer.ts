import { once } from "node:events";
import { type Cut, finishAnswer } from "./finish.ts";
import { sendErrorEvents, sendFault } from "./faults.ts";
import { spoil } from "./misbehave.ts";
import { type Answering, frame, record, sendJson, sendRefusal, startStream } from "./send.ts";
import type { Answer, LoggedRequest, Misbehave, Reply } from "./types.ts";

/** Asks the script, unless the prompt does not fit, and sends what it wants. */
export async function answerExchange(to: Answering): Promise<void> {
  const { response, protocol, exchange, world } = to;
  const { view, promptTokens } = exchange;
  const known = { view, promptTokens };
  if (promptTokens > world.window(view.model)) {
    const refusal = protocol.overflow(exchange, world);
    if (view.stream && refusal.inStream === true) return sendErrorEvents(to, refusal);
    return sendRefusal(to, refusal, known);
  }
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const reply = await askScript(to, gone.signal);
  if (gone.signal.aborted) return record(to, { ...known, outcome: "aborted", status: 0 });
  if ("error" in reply) return sendFailure(to, reply.error);
  exchange.cacheUse.commit();
  response.setHeader(protocol.idHeader, to.requestId);
  await sendReply(to, reply, gone.signal);
}

async function askScript(
  { exchange: { view, promptTokens }, world, nextTurn }: Answering,
  signal: AbortSignal,
): Promise<Exclude<Reply, string> | { readonly error: unknown }> {
  try {
    const window = world.window(view.model);
    const context = { turn: nextTurn(), promptTokens, window, signal };
    const reply = await Promise.race([world.options.script(view, context), whenGone(signal)]);
    return typeof reply === "string" ? { parts: [{ type: "text", text: reply }] } : reply;
  } catch (error) {
    return { error };
  }
}

/** Ends the wait for a script when nobody waits for its answer any more. */
async function whenGone(signal: AbortSignal): Promise<Answer> {
  await once(signal, "abort");
  return { parts: [] };
}

/** A script that throws is a mistake of the test, so no client may retry it. */
function sendFailure(to: Answering, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  to.response.setHeader("x-should-retry", "false");
  sendRefusal(
    to,
    { status: 500, type: "api_error", message: `The script failed: ${message}` },
    { outcome: "failed", view: to.exchange.view },
  );
}

async function sendReply(
  to: Answering,
  reply: Answer | Misbehave,
  gone: AbortSignal,
): Promise<void> {
  const { view } = to.exchange;
  if (!("misbehave" in reply)) return sendAnswer(to, cut(to, reply), "answered");
  const spoiled = spoil(reply, view);
  if (spoiled.fault === undefined) {
    return sendAnswer(to, cut(to, spoiled.answer, spoiled.unlimited), "misbehaved");
  }
  await sendFault(to, cut(to, spoiled.answer), { ...reply, fault: spoiled.fault, gone });
}

function cut({ exchange, world }: Answering, wanted: Answer, unlimited = false): Cut {
  const answer = exchange.complete?.(wanted) ?? wanted;
  const { view, promptTokens, cacheUse } = exchange;
  const maxOutput = unlimited ? Infinity : (view.maxOutput ?? Infinity);
  const room = unlimited ? Infinity : world.window(view.model) - promptTokens;
  return finishAnswer(answer, {
    counter: world.counter,
    promptTokens,
    cacheRead: cacheUse.read,
    cacheWrite: cacheUse.write,
    maxOutput,
    room,
  });
}

function sendAnswer(
  to: Answering,
  { finished, usage }: Cut,
  outcome: LoggedRequest["outcome"],
): void {
  const { response, exchange } = to;
  const { view, promptTokens } = exchange;
  record(to, { outcome, status: 200, view, promptTokens, usage });
  if (!view.stream) return sendJson(response, 200, exchange.render(finished));
  startStream(response);
  for (const event of exchange.stream(finished)) response.write(frame(event));
  response.end();
}
