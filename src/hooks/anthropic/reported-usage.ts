import { createParser } from "eventsource-parser";
import type { Usage } from "../../core/message/index.ts";
import { isWireObject } from "../../dialects/wire.ts";

/** The usage that a message reports. */
export async function usageOfBody(response: Response): Promise<Usage | undefined> {
  const body: unknown = await response.json();
  return isWireObject(body) ? usageOf(body["usage"]) : undefined;
}

/**
 * The usage of a streamed message: the input is in its first event, the output in its last. What
 * comes behind that is not waited for: the caller may have the whole answer, and go on or hang up.
 */
export async function usageOfStream({ body }: Response): Promise<Usage | undefined> {
  let usage: Readonly<Record<string, unknown>> = {};
  let isWhole = false;
  const parser = createParser({
    onEvent({ data }) {
      const event: unknown = data.includes('"usage"') ? JSON.parse(data) : undefined;
      if (!isWireObject(event)) return;
      const message = isWireObject(event["message"]) ? event["message"] : event;
      if (isWireObject(message["usage"])) usage = { ...usage, ...message["usage"] };
      isWhole ||= isWireObject(event["delta"]) && event["delta"]["stop_reason"] != null;
    },
  });
  const decoder = new TextDecoder();
  const reader = body?.getReader();
  for (;;) {
    const piece = await reader?.read();
    if (piece?.value === undefined) break;
    parser.feed(decoder.decode(piece.value, { stream: true }));
    if (isWhole) break;
  }
  // Ends with the caller's own reading.
  void reader?.cancel().catch(() => undefined);
  return usageOf(usage);
}

function usageOf(usage: unknown): Usage | undefined {
  if (!isWireObject(usage)) return undefined;
  const { input_tokens: input, output_tokens: output } = usage;
  if (typeof input !== "number" || typeof output !== "number") return undefined;
  return {
    input,
    output,
    cacheRead: numberOf(usage["cache_read_input_tokens"]),
    cacheWrite: numberOf(usage["cache_creation_input_tokens"]),
  };
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}
