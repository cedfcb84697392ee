import { once } from "node:events";
import type { Cut } from "./finish.ts";
import type { Fault } from "./misbehave.ts";
import type { SseEvent } from "./protocol.ts";
import type { Refusal } from "./refusal.ts";
import { type Answering, frame, record, sendRefusal, startStream } from "./send.ts";
import type { Misbehave } from "./types.ts";

export interface FaultPlan extends Misbehave {
  readonly fault: Fault;
  /** Aborted when the client goes away. */
  readonly gone: AbortSignal;
}

/** Lets the transport fail; the record is there before the client can notice. */
export async function sendFault(to: Answering, cut: Cut, plan: FaultPlan): Promise<void> {
  const { fault } = plan;
  if (fault === "hang" || fault === "disconnect") return stall(to, cut, { ...plan, fault });
  const { view, promptTokens } = to.exchange;
  const known = { view, promptTokens, outcome: "misbehaved" as const };
  const seconds = plan.retryAfter ?? 1;
  const refusal: Refusal = {
    ...to.protocol.fault(fault),
    ...(fault !== "server-error" && { retryAfter: seconds }),
  };
  if (plan.at !== "middle" || !view.stream) return sendRefusal(to, refusal, known);
  const half = firstHalf(to.exchange.stream(cut.finished));
  startStream(to.response);
  await flush(to, half.map(frame).join(""));
  record(to, { ...known, status: 200, error: refusal.message });
  endWithError(to, refusal, half.length);
}

/** An error that OpenAI Responses tells in the stream, after a 200. */
export function sendErrorEvents(to: Answering, refusal: Refusal): void {
  const { view, promptTokens } = to.exchange;
  record(to, { outcome: "overflow", status: 200, error: refusal.message, view, promptTokens });
  to.response.setHeader(to.protocol.idHeader, to.requestId);
  startStream(to.response);
  endWithError(to, refusal, 0);
}

function endWithError(
  { response, exchange, requestId }: Answering,
  refusal: Refusal,
  sent: number,
): void {
  response.end(exchange.errorEvents(refusal, requestId, sent).map(frame).join(""));
}

/** Says nothing more, and either waits for the client to go or hangs up. */
async function stall(
  to: Answering,
  { finished }: Cut,
  { fault, at, gone }: FaultPlan & { readonly fault: "hang" | "disconnect" },
): Promise<void> {
  const { response, exchange } = to;
  const { view, promptTokens } = exchange;
  const isMiddle = (at ?? (fault === "disconnect" ? "middle" : "start")) === "middle";
  if (isMiddle && view.stream) {
    startStream(response);
    await flush(to, firstHalf(exchange.stream(finished)).map(frame).join(""));
  } else if (isMiddle) {
    const json = Buffer.from(JSON.stringify(exchange.render(finished)));
    response.writeHead(200, { "content-type": "application/json", "content-length": json.length });
    await flush(to, json.subarray(0, Math.floor(json.length / 2)));
  }
  record(to, { outcome: "misbehaved", status: isMiddle ? 200 : 0, view, promptTokens });
  if (fault === "hang" && !gone.aborted) await once(gone, "abort");
  response.destroy();
}

function firstHalf(events: readonly SseEvent[]): readonly SseEvent[] {
  return events.slice(0, Math.max(1, Math.floor(events.length / 2)));
}

function flush({ response }: Answering, bytes: string | Buffer): Promise<void> {
  return new Promise((resolve) => {
    response.write(bytes, () => resolve());
  });
}
