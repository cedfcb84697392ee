import { emptyEnd } from "./model.ts";

/** A part of a model's stream, as far as it is used here. */
interface StreamPart {
  readonly type: string;
  readonly error?: unknown;
}

type Read =
  | { readonly done: true; readonly value?: undefined }
  | { readonly done: false; readonly value: StreamPart };

export interface RecoveringStreamOptions {
  /** Another stream instead of one that begins with this error or end; `undefined` lets it pass. */
  readonly recover: (refused: unknown) => Promise<ReadableStream | undefined>;
  /** Is told about every part that passes. */
  readonly onPart: (part: unknown) => void;
}

/** What comes before the answer itself; it is held back until that has begun. */
const PREAMBLE: ReadonlySet<string> = new Set(["stream-start", "response-metadata", "raw"]);

/**
 * The stream of a model, or another one in its place: a provider may answer with status 200 and say
 * only in the stream that the request was too long, or say nothing at all. Once there is an answer, every part passes.
 */
export function recoveringStream(
  stream: ReadableStream,
  { recover, onPart }: RecoveringStreamOptions,
): ReadableStream {
  let reader = stream.getReader();
  /** Parts that wait for the answer to begin; `undefined` once it has. */
  let held: StreamPart[] | undefined = [];
  /** The next part to pass; `undefined` at the end. */
  const next = async (): Promise<StreamPart | undefined> => {
    for (;;) {
      const { done, value } = (await reader.read()) as Read;
      if (done) return undefined;
      if (held === undefined) return value;
      if (PREAMBLE.has(value.type)) {
        held.push(value);
        continue;
      }
      const refused = value.type === "error" ? value.error : emptyEnd(value);
      if (refused === undefined) return value;
      const other = await recover(refused).catch((error: unknown) => ({ type: "error", error }));
      if (other === undefined) return value;
      if (!("getReader" in other)) return { ...value, ...other };
      await reader.cancel();
      reader = other.getReader();
      held = undefined;
    }
  };
  return new ReadableStream({
    async pull(controller) {
      const part = await next();
      for (const each of held ?? []) controller.enqueue(each);
      held = undefined;
      if (part === undefined) {
        controller.close();
        return;
      }
      onPart(part);
      controller.enqueue(part);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
