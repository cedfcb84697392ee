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
  const source: Source = { reader: body.getReader() };
  const isStream = headers.get("content-type")?.includes("text/event-stream") === true;
  const bytes = isStream ? watchEvents(source, watch) : watchJson(source, watch);
  const watched = new Response(streamOf(bytes, source), { status, statusText, headers });
  return Object.defineProperty(watched, "url", { value: url });
}

type Bytes = Uint8Array<ArrayBuffer>;
type Pieces = AsyncGenerator<Bytes, void>;

/** What is read; another body may take the place of the first one. */
interface Source {
  reader: ReadableStreamDefaultReader<Bytes>;
  isGivenUp?: boolean;
}

async function* watchJson(source: Source, { learn }: AnswerWatch): Pieces {
  const decoder = new TextDecoder();
  let text = "";
  for await (const piece of piecesOf(source)) {
    text += decoder.decode(piece, { stream: true });
    yield piece;
  }
  const answer = parsed(text + decoder.decode()) as { readonly usage?: unknown } | null | undefined;
  if (answer?.usage != null) learn(answer.usage);
}

async function* watchEvents(source: Source, { learn, again }: AnswerWatch): Pieces {
  const events = createEventReader();
  /** What came before it was clear whether this is an answer. */
  let held: Bytes[] | undefined = again === undefined ? undefined : [];
  for await (const piece of piecesOf(source)) {
    const { usage, opening } = events.read(piece);
    if (usage !== undefined) learn(usage);
    held?.push(piece);
    if (held !== undefined && opening === undefined) continue;
    const other = held && opening?.error !== undefined ? await again?.(opening.error) : undefined;
    if (other?.ok === true && other.body !== null) {
      await source.reader.cancel().catch(() => undefined);
      source.reader = other.body.getReader();
      if (source.isGivenUp === true) return source.reader.cancel();
      return yield* watchEvents(source, { learn });
    }
    yield* held ?? [piece];
    held = undefined;
  }
  yield* held ?? [];
}

async function* piecesOf({ reader }: Source): Pieces {
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

/** A stream that asks for the next piece when its reader does. */
function streamOf(pieces: Pieces, source: Source): ReadableStream<Bytes> {
  return new ReadableStream<Bytes>(
    {
      async pull(controller) {
        const { done, value } = await pieces.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      cancel(reason) {
        source.isGivenUp = true;
        // Also while a piece is awaited.
        return source.reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
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
