/** What a piece of a stream of server-sent events says. */
export interface SeenEvents {
  /** The newest `usage` in it. */
  readonly usage?: unknown;
  /** Once it is clear whether the stream answers: the error that it begins with, if it does not. */
  readonly opening?: { readonly error?: unknown };
}

export interface EventReader {
  read(piece: Uint8Array): SeenEvents;
}

/** Events of the Responses API that come before an answer or a refusal. */
const LEAD_IN: ReadonlySet<unknown> = new Set([
  "response.created",
  "response.queued",
  "response.in_progress",
]);

/** Reads the events of both APIs as they pass; only what may report usage is parsed. */
export function createEventReader(): EventReader {
  const decoder = new TextDecoder();
  let rest = "";
  let opening: SeenEvents["opening"];
  return {
    read(piece) {
      const lines = (rest + decoder.decode(piece, { stream: true })).split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? "";
      let usage: unknown;
      for (const line of lines) {
        const isAsked = opening === undefined || /"usage"\s*:\s*\{/.test(line);
        const event = line.startsWith("data:") && isAsked ? eventOf(line) : undefined;
        if (event === undefined) continue;
        usage = event.usage ?? event.response?.usage ?? usage;
        opening ??= openingOf(event);
      }
      return { ...(usage != null && { usage }), ...(opening !== undefined && { opening }) };
    },
  };
}

interface Event {
  readonly type?: unknown;
  readonly usage?: unknown;
  readonly error?: unknown;
  readonly response?: { readonly usage?: unknown };
}

function eventOf(line: string): Event | undefined {
  try {
    const event: unknown = JSON.parse(line.slice("data:".length));
    return typeof event === "object" && event !== null ? event : undefined;
  } catch {
    // `[DONE]`, or something that is for the client to complain about.
    return undefined;
  }
}

function openingOf(event: Event): SeenEvents["opening"] {
  if (LEAD_IN.has(event.type)) return undefined;
  const isError = event.type === "error" || event.type === "response.failed" || event.error != null;
  return isError ? { error: event } : {};
}
