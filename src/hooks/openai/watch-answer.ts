import { createEventReader } from "./event-reader.ts";

export interface AnswerWatch {
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
  const bytes = isStream ? watchEvents(body, watch) : watchJson(body, watch);
  const watched = new Response(streamOf(bytes), { status, statusText, headers });
  return Object.defineProperty(watched, "url", { value: url });
}

type Bytes = ReadableStream<Uint8Array<ArrayBuffer>>;
type Pieces = AsyncGenerator<Uint8Array<ArrayBuffer>, void>;

async function* watchJson(body: Bytes, { learn }: AnswerWatch): Pieces {
  const decoder = new TextDecoder();
  let text = "";
  for await (const piece of piecesOf(body)) {
    text += decoder.decode(piece, { stream: true });
    yield piece;
  }
  const answer = parsed(text + decoder.decode()) as { readonly usage?: unknown } | null | undefined;
  if (answer?.usage != null) learn(answer.usage);
}

async function* watchEvents(body: Bytes, { learn, again }: AnswerWatch): Pieces {
  const reader = createEventReader();
  /** What came before it was clear whether this is an answer. */
  let held: Uint8Array<ArrayBuffer>[] | undefined = again === undefined ? undefined : [];
  for await (const piece of piecesOf(body)) {
    const { usage, opening } = reader.read(piece);
    if (usage !== undefined) learn(usage);
    held?.push(piece);
    if (held !== undefined && opening === undefined) continue;
    const other = held && opening?.error !== undefined ? await again?.(opening.error) : undefined;
    if (other?.ok === true) return yield* watchEvents(other.body ?? empty(), { learn });
    yield* held ?? [piece];
    held = undefined;
  }
  yield* held ?? [];
}

/** What a body holds; leaving the loop gives the rest of it up. */
async function* piecesOf(body: Bytes): Pieces {
  const reader = body.getReader();
  let isDone = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      isDone = done;
      if (done) return;
      yield value;
    }
  } finally {
    if (!isDone) await reader.cancel().catch(() => undefined);
  }
}

/** A stream that asks for the next piece when its reader does. */
function streamOf(pieces: Pieces): Bytes {
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        const { done, value } = await pieces.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await pieces.return();
      },
    },
    { highWaterMark: 0 },
  );
}

function empty(): Bytes {
  return new ReadableStream({ start: (controller) => controller.close() });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
