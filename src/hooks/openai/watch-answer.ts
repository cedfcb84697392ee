import { recoveringStream } from "../recovering-stream.ts";

interface AnswerWatch {
  /** Hears every `usage` that the answer reports. */
  readonly learn: (reported: unknown) => void;
  /** Another answer, if this error is one that a shorter request does not have. */
  readonly again?: (error: unknown) => Promise<Response | undefined>;
}

/**
 * The same answer, byte for byte, while somebody looks on: nothing is read before the caller reads
 * it. A stream that ends in an error before it said anything is replaced if `again` has another.
 */
export function watchAnswer(response: Response, watch: AnswerWatch): Response {
  const { body, status, statusText, headers, url } = response;
  if (body === null || typeof body.getReader !== "function") return response;
  const isStream = headers.get("content-type")?.includes("text/event-stream") === true;
  const watched = isStream ? watchEvents(body, watch) : watchJson(body, watch);
  const answer = new Response(watched, { status, statusText, headers });
  return Object.defineProperty(answer, "url", { value: url });
}

type Bytes = ReadableStream<Uint8Array<ArrayBuffer>>;

function watchJson(body: Bytes, { learn }: AnswerWatch): Bytes {
  const decoder = new TextDecoder();
  let text = "";
  return recoveringStream(body, {
    sign: () => "answer",
    again: async () => undefined,
    onPart: (piece) => void (text += decoder.decode(piece, { stream: true })),
    onEnd() {
      const answer = parsed(text + decoder.decode()) as
        | { readonly usage?: unknown }
        | null
        | undefined;
      if (answer?.usage != null) learn(answer.usage);
    },
  });
}

function watchEvents(body: Bytes, { learn, again }: AnswerWatch): Bytes {
  const events = createEventReader();
  return recoveringStream(body, {
    sign(piece) {
      const { usage, opening } = events.read(piece);
      if (usage !== undefined) learn(usage);
      if (again === undefined) return "answer";
      if (opening === undefined) return "lead";
      return opening.error === undefined ? "answer" : { refused: opening.error };
    },
    async again(refused) {
      const other = await again?.(refused);
      return other?.ok === true && other.body !== null
        ? watchEvents(other.body, { learn })
        : undefined;
    },
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** What a piece of a stream of server-sent events says. */
interface SeenEvents {
  /** The newest `usage` in it. */
  readonly usage?: unknown;
  /** Once it is clear whether the stream answers: the error that it begins with, if it does not. */
  readonly opening?: { readonly error?: unknown };
}

interface EventReader {
  read(piece: Uint8Array): SeenEvents;
}

/** Events of the Responses API that come before an answer or a refusal. */
const LEAD_IN: ReadonlySet<unknown> = new Set([
  "response.created",
  "response.queued",
  "response.in_progress",
]);

/** Reads the events of both APIs as they pass; only what may report usage is parsed. */
function createEventReader(): EventReader {
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
      return { usage: usage ?? undefined, opening };
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
