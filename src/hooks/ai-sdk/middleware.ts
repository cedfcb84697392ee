import { createCalls } from "./calls.ts";
import type { Hooks } from "./prepare-step.ts";
import { recoveringStream } from "./recovering-stream.ts";
import type { AiSdkMiddleware, WrapGenerateOptions, WrapStreamOptions } from "./sdk.ts";

/**
 * The middleware of one conversation. Where `prepareStep` is used it only recovers, and what it did
 * is journaled, so that later steps go on from that; calls that begin otherwise pass. Alone it keeps
 * every prompt inside the window, with a context for each conversation that begins otherwise.
 */
export function createMiddleware(hooks: Hooks): AiSdkMiddleware {
  const calls = createCalls(hooks);
  return {
    specificationVersion: "v3",
    transformParams: ({ params, model }) => calls.prepare(params, model),
    async wrapGenerate<Result>({ doGenerate, params, model }: WrapGenerateOptions<Result>) {
      const generate = async (): Promise<Result> => {
        try {
          return await doGenerate();
        } catch (error) {
          const again = await calls.recover(params, model, error);
          if (again === undefined) throw error;
          return (await model.doGenerate(again as never)) as Result;
        }
      };
      const result = await generate();
      calls.answered(params, result);
      return result;
    },
    async wrapStream<Result extends { stream: ReadableStream }>({
      doStream,
      params,
      model,
    }: WrapStreamOptions<Result>) {
      const retry = async (error: unknown): Promise<Result | undefined> => {
        const again = await calls.recover(params, model, error);
        return again && ((await model.doStream(again as never)) as Result);
      };
      const open = async (): Promise<Result> => {
        try {
          return await doStream();
        } catch (error) {
          const other = await retry(error);
          if (other === undefined) throw error;
          return other;
        }
      };
      const result = await open();
      const stream = recoveringStream(result.stream, {
        recover: async (error) => (await retry(error))?.stream,
        onPart: (part) => calls.answered(params, part),
      });
      return { ...result, stream };
    },
  };
}
