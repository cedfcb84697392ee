/**
 * A part waits before the answer, belongs to an answer, or says that the request was refused, and
 * with what.
 */
export type Sign = "lead" | "answer" | { readonly refused: unknown };

/** The signs of a refusal in a stream, and what takes its place. */
export interface Recovery<Part> {
  /** Is asked about every part of the first stream; what it says counts until an answer has begun. */
  readonly sign: (part: Part) => Sign;
  /** The refusal in a stream that ended before an answer had begun. @default there is none */
  readonly end?: () => unknown;
  /** Another stream instead of what was refused with this; `undefined` lets it pass. */
  readonly again: (refused: unknown) => Promise<AsyncIterable<Part> | undefined>;
  /** A part in place of the refusal, where `again` rejects. @default the stream rejects */
  readonly failed?: (error: unknown) => Part;
}

/**
 * The parts of a stream, or of another one in its place, once: a provider may begin to answer, and
 * say only then that the request was too long, or say nothing at all. Once there is an answer, its
 * words are out, and every part and error passes.
 */
export async function* recovering<Part>(
  parts: AsyncIterable<Part>,
  { sign, end, again, failed }: Recovery<Part>,
): AsyncGenerator<Part, void> {
  const pending: Part[] = [];
  let other: AsyncIterable<Part> | undefined;
  let isOpen = true;
  const instead = async (refused: unknown): Promise<AsyncIterable<Part> | undefined> => {
    try {
      return await again(refused);
    } catch (error) {
      if (failed === undefined) throw error;
      pending.splice(-1, 1, failed(error));
      return undefined;
    }
  };
  try {
    for await (const part of parts) {
      pending.push(part);
      const said = sign(part);
      if (isOpen && said === "lead") continue;
      const refused = isOpen && typeof said === "object" ? said.refused : undefined;
      isOpen = false;
      if (refused !== undefined) other = await instead(refused);
      if (other !== undefined) break;
      yield* pending.splice(0);
    }
  } catch (error) {
    other = isOpen ? await again(error) : undefined;
    if (other === undefined) {
      yield* pending;
      throw error;
    }
    isOpen = false;
  }
  const refused = isOpen ? end?.() : undefined;
  if (refused !== undefined) other = await again(refused);
  yield* other ?? pending;
}

/** The signs of a refusal in an answer that comes at once, and what takes its place. */
export interface CallRecovery<Answer> {
  /** The refusal in an answer that has nothing in it. @default there is none */
  readonly end?: (answer: Answer) => unknown;
  /** Another answer instead of what was refused with this; `undefined` lets it pass. */
  readonly again: (refused: unknown) => Promise<Answer | undefined>;
}

/** {@link recovering} for an answer that comes at once. */
export async function recoveringCall<Answer>(
  ask: () => PromiseLike<Answer>,
  { end, again }: CallRecovery<Answer>,
): Promise<Answer> {
  const instead = async (refused: unknown): Promise<Answer | undefined> =>
    refused === undefined ? undefined : again(refused);
  try {
    const answer = await ask();
    return (await instead(end?.(answer))) ?? answer;
  } catch (error) {
    const other = await instead(error);
    if (other === undefined) throw error;
    return other;
  }
}

/** {@link Recovery} for streams of the platform. */
export interface StreamRecovery<Part> extends Omit<Recovery<Part>, "again"> {
  readonly again: (refused: unknown) => Promise<ReadableStream<Part> | undefined>;
  /** Is told about every part that passes. */
  readonly onPart?: (part: Part) => void;
  /** Is told when the last one has passed. */
  readonly onEnd?: () => void;
}

/** {@link recovering} for a stream of the platform: nothing is read before its reader reads. */
export function recoveringStream<Part>(
  stream: ReadableStream<Part>,
  { again, onPart, onEnd, ...rest }: StreamRecovery<Part>,
): ReadableStream<Part> {
  let reader = stream.getReader();
  let isGivenUp = false;
  const parts = recovering(partsOf(reader), {
    ...rest,
    async again(refused) {
      const other = await again(refused);
      if (other === undefined) return undefined;
      reader = other.getReader();
      if (isGivenUp) await reader.cancel();
      return partsOf(reader);
    },
  });
  return new ReadableStream<Part>(
    {
      async pull(controller) {
        const { done, value } = await parts.next();
        if (done === true) {
          onEnd?.();
          return controller.close();
        }
        onPart?.(value);
        controller.enqueue(value);
      },
      cancel(reason) {
        isGivenUp = true;
        // Also while a part is awaited.
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

async function* partsOf<Part>(reader: ReadableStreamDefaultReader<Part>): AsyncGenerator<Part> {
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
