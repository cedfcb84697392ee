import { describe, expect, it, vi } from "vitest";
import { signOf } from "../../src/hooks/ai-sdk/model.ts";
import { recoveringStream } from "../../src/hooks/recovering-stream.ts";

type Part = { readonly type: string; readonly [field: string]: unknown };

const start = { type: "stream-start", warnings: [] };
const delta = { type: "text-delta", id: "1", delta: "hello" };
const failed = { type: "error", error: new Error("too long") };
const finish = { type: "finish" };

function streamOf(parts: readonly Part[]): ReadableStream<Part> {
  return ReadableStream.from<Part>(parts);
}

async function all(stream: ReadableStream): Promise<unknown[]> {
  const parts: unknown[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

interface Run {
  readonly recover: (error: unknown) => Promise<ReadableStream | undefined>;
  readonly seen: unknown[];
  readonly parts: readonly unknown[];
}

async function run(parts: readonly Part[], other?: ReadableStream | Error): Promise<Run> {
  const seen: unknown[] = [];
  const recover = vi.fn<(error: unknown) => Promise<ReadableStream | undefined>>(async () => {
    if (other instanceof Error) throw other;
    return other;
  });
  const stream = recoveringStream(streamOf(parts), {
    sign: signOf,
    again: recover,
    failed: (error) => ({ type: "error", error }),
    onPart: (part) => void seen.push(part),
  });
  return { recover, seen, parts: await all(stream) };
}

describe("a stream", () => {
  it("passes as it is", async () => {
    const parts = [start, { type: "response-metadata" }, delta, { type: "raw" }, finish];
    const { parts: passed, seen, recover } = await run(parts);
    expect(passed).toEqual(parts);
    expect(seen).toEqual(parts);
    expect(recover).not.toHaveBeenCalled();
    expect((await run([start])).parts).toEqual([start]);
    expect((await run([])).parts).toEqual([]);
  });

  it("that begins with an error gives way to another", async () => {
    const { parts, recover } = await run([start, failed, finish], streamOf([start, delta, finish]));
    expect(parts).toEqual([start, delta, finish]);
    expect(recover).toHaveBeenCalledWith(failed.error);
  });

  it("is replaced once", async () => {
    const { parts, recover } = await run([failed], streamOf([start, failed, finish]));
    expect(parts).toEqual([start, failed, finish]);
    expect(recover).toHaveBeenCalledTimes(1);
  });

  it("goes on with its error where there is no other", async () => {
    expect((await run([start, failed, finish])).parts).toEqual([start, failed, finish]);
  });

  it("says what became of the other", async () => {
    const error = new Error("no credit");
    expect((await run([start, failed, finish], error)).parts).toEqual([
      start,
      { type: "error", error },
      finish,
    ]);
  });

  it("has begun: an error in the middle is an error", async () => {
    const { parts, recover } = await run([start, delta, failed, finish], streamOf([]));
    expect(parts).toEqual([start, delta, failed, finish]);
    expect(recover).not.toHaveBeenCalled();
  });

  it("is cancelled with its reader, whichever it is", async () => {
    const reasons: unknown[] = [];
    const endless = (): ReadableStream =>
      new ReadableStream({
        pull: (controller) => controller.enqueue(delta),
        cancel: (reason) => void reasons.push(reason),
      });
    const recover = async (): Promise<ReadableStream> => endless();
    for (const first of [endless(), streamOf([failed])]) {
      const reader = recoveringStream(first, { sign: signOf, again: recover }).getReader();
      expect(await reader.read()).toEqual({ done: false, value: delta });
      await reader.cancel("enough");
    }
    expect(reasons).toEqual(["enough", "enough"]);
  });
});
