import type { Usage } from "../../core/message/index.ts";
import { isWireObject } from "../../dialects/wire-value.ts";

/** The usage that a message reports. */
export async function usageOfBody(response: Response): Promise<Usage | undefined> {
  const body: unknown = await response.json();
  return isWireObject(body) ? usageOf(body["usage"]) : undefined;
}

/** The usage of a streamed message: the input is in its first event, the output in the last ones. */
export async function usageOfStream(response: Response): Promise<Usage | undefined> {
  let usage: Readonly<Record<string, unknown>> = {};
  for (const event of (await response.text()).split("\n")) {
    if (!event.startsWith("data:") || !event.includes('"usage"')) continue;
    const data: unknown = JSON.parse(event.slice("data:".length));
    if (!isWireObject(data)) continue;
    const message = isWireObject(data["message"]) ? data["message"] : data;
    if (isWireObject(message["usage"])) usage = { ...usage, ...message["usage"] };
  }
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
