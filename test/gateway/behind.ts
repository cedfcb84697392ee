import { gatewayForTest, rawRequest, type RawUpstream, rawUpstream } from "./raw-upstream.ts";

const WINDOW = 16_000;
/** So many are too long for it. */
export const STEPS = 40;
export const TOOL = { name: "read", input_schema: { type: "object" } };
const OUTPUT = "a line of output\n".repeat(120);

export interface Message {
  readonly role: string;
  readonly content: string | readonly object[];
}

/** A task with the result of a tool after each call. */
export function history(steps: number): Message[] {
  const list = Array.from({ length: steps }, (_, at): Message[] => [
    {
      role: "assistant",
      content: [{ type: "tool_use", id: `toolu_${at}`, name: "read", input: {} }],
    },
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: `toolu_${at}`, content: OUTPUT }],
    },
  ]);
  return [{ role: "user", content: "Read all of it." }, ...list.flat()];
}

/** The same as items. */
export function items(steps: number): object[] {
  const list = Array.from({ length: steps }, (_, at) => [
    { type: "function_call", call_id: `call_${at}`, name: "read", arguments: "{}" },
    { type: "function_call_output", call_id: `call_${at}`, output: OUTPUT },
  ]);
  return [{ role: "user", content: "Read all of it." }, ...list.flat()];
}

export interface Behind {
  readonly upstream: RawUpstream;
  /** Sends this text; what went on, and what came back. */
  readonly send: (
    path: string,
    body: string | Uint8Array,
    method?: string,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<{ readonly sent: string; readonly answer: string }>;
  readonly failed: () => number;
}

/** A gateway with a small window and tools of its own, before a provider that always says this. */
export async function behind(said: string, recall: "file" | "tool" = "file"): Promise<Behind> {
  const upstream = await rawUpstream((_, response) => {
    const type = said.startsWith("{") ? "application/json" : "text/event-stream";
    response.writeHead(200, { "content-type": type }).end(said);
  });
  const { url, metrics } = await gatewayForTest(upstream, { window: WINDOW, recall });
  return {
    upstream,
    failed: () => metrics.counted("failed_open") + metrics.counted("prefix_violations"),
    async send(path, body, method = "POST", headers = {}) {
      const { body: answer } = await rawRequest(url + path, { method, body, headers });
      const sent = upstream.requests.at(-1)?.body.toString("latin1") ?? "";
      return { sent, answer: answer.toString() };
    },
  };
}

export const OK =
  '{"type":"message","role":"assistant","content":[{"type":"text","text":"ok"}],"stop_reason":"end_turn","usage":{"input_tokens":9,"output_tokens":1}}';
