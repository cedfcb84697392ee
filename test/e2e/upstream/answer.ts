import { once } from "node:events";
import { type Cut, finishAnswer } from "./finish.ts";
import { type Fault, spoil } from "./misbehave.ts";
import type { Exchange, SseEvent, World } from "./protocol.ts";
import type { Refusal } from "./refusal.ts";
import { type Answerable, frame, record, sendJson, sendRefusal, startStream } from "./send.ts";
import type { Answer, LoggedRequest, Misbehave, Reply } from "./types.ts";

export interface Answering extends Answerable {
  readonly exchange: Exchange;
  readonly world: World;
  readonly nextTurn: () => number;
}

/** Asks the script, unless the prompt does not fit, and sends what it wants. */
export async function answerExchange(to: Answering): Promise<void> {
  const { response, protocol, exchange, world } = to;
  const { view, promptTokens } = exchange;
  const known = { view, promptTokens };
  if (needed(to) > world.window(view.model)) {
    return sendRefusal(to, protocol.overflow(exchange, world), known);
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

function needed({ exchange: { promptTokens, view }, world }: Answering): number {
  const output = world.options.counts === "prompt-and-output" ? (view.maxOutput ?? 0) : 0;
  return promptTokens + output;
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

function cut({ exchange, world }: Answering, answer: Answer, unlimited = false): Cut {
  const { view, promptTokens, cacheUse } = exchange;
  const maxOutput = unlimited ? Infinity : (view.maxOutput ?? Infinity);
  const room = unlimited ? Infinity : world.window(view.model) - promptTokens;
  const isCached = world.options.cache !== false;
  const cacheRead = isCached ? cacheUse.read : 0;
  const cacheWrite = isCached ? cacheUse.write : 0;
  return finishAnswer(answer, {
    counter: world.counter,
    promptTokens,
    cacheRead,
    cacheWrite,
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

interface FaultPlan extends Misbehave {
  readonly fault: Fault;
  readonly gone: AbortSignal;
}

async function sendFault(to: Answering, { finished }: Cut, plan: FaultPlan): Promise<void> {
  const { response, protocol, exchange, requestId } = to;
  const { view, promptTokens } = exchange;
  const { fault, gone } = plan;
  const at = plan.at ?? (fault === "disconnect" ? "middle" : "start");
  const isMiddle = at === "middle" && (view.stream || fault === "hang" || fault === "disconnect");
  const known = { view, promptTokens, outcome: "misbehaved" as const };
  if (fault !== "hang" && fault !== "disconnect") {
    const refusal: Refusal = { ...protocol.fault(fault), ...retryAfter(plan) };
    if (!isMiddle) return sendRefusal(to, refusal, known);
    await writeHalf(to, exchange.stream(finished));
    record(to, { ...known, status: 200, error: refusal.message });
    for (const event of protocol.errorEvents(refusal, requestId, false))
      response.write(frame(event));
    response.end();
    return;
  }
  if (isMiddle && view.stream) await writeHalf(to, exchange.stream(finished));
  if (isMiddle && !view.stream) await writeHalfBody(to, exchange.render(finished));
  if (fault === "hang" && !gone.aborted) await once(gone, "abort");
  record(to, { ...known, status: isMiddle ? 200 : 0 });
  response.destroy();
}

function retryAfter({ misbehave, retryAfter: seconds = 1 }: FaultPlan): Partial<Refusal> {
  return misbehave === "server-error" ? {} : { retryAfter: seconds };
}

/** The first half of the events, at least one, flushed. */
async function writeHalf({ response }: Answering, events: readonly SseEvent[]): Promise<void> {
  startStream(response);
  const half = events.slice(0, Math.max(1, Math.floor(events.length / 2)));
  await flush(response, half.map(frame).join(""));
}

async function writeHalfBody({ response }: Answering, body: unknown): Promise<void> {
  const json = Buffer.from(JSON.stringify(body));
  response.writeHead(200, { "content-type": "application/json", "content-length": json.length });
  await flush(response, json.subarray(0, Math.floor(json.length / 2)));
}

function flush(response: Answering["response"], bytes: string | Buffer): Promise<void> {
  return new Promise((resolve) => {
    response.write(bytes, () => resolve());
  });
}
