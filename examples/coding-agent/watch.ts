import { APICallError, type LanguageModelMiddleware, wrapLanguageModel } from "ai";
import { aiSdk } from "longhaul/dialects";
import type { LivePage, LiveRequest } from "longhaul/page";
import type { AiSdkContext } from "longhaul/ai-sdk";
import type { Model } from "./offline/types.ts";
import type { Cut, View } from "./view.ts";

/** Who looks on: the person at the terminal, and the figures. */
export interface Watch {
  readonly view: View;
  readonly onCut: (cut: Cut) => void;
  /** The provider says that the request itself is wrong: too long, or not legal. */
  readonly onRejected: () => void;
  readonly page?: Pick<LivePage, "note"> | undefined;
  /** What the page says of the conversation. */
  readonly shown?: Shown;
}

export type Shown = Pick<LiveRequest, "id" | "parent" | "title" | "window" | "reserved">;

/** Shows what a context does. */
export function watchContext(context: AiSdkContext, { view, onCut }: Watch): void {
  context.on("prepared", (report) => view.step(report));
  context.on("failed", (failure) => view.failed(failure));
  context.on("truncated", ({ toolName, truncation, entry }) =>
    onCut({ tool: toolName, truncation, handle: entry?.handle }),
  );
}

/** A model with the middleware of its context, that shows what it answers. */
export function watchedModel(
  model: Model,
  context: AiSdkContext,
  { view, onRejected, page, shown }: Watch,
): Model {
  const watch: LanguageModelMiddleware = {
    specificationVersion: "v3",
    async wrapGenerate({ doGenerate, params }) {
      if (shown !== undefined) {
        // The prompt as it goes to the model, edits included.
        const messages = aiSdk.decode(params.prompt);
        const isEdited = context.journal().length > 0;
        page?.note({ ...shown, model: model.modelId, messages, tools: params.tools, isEdited });
      }
      try {
        const answer = await doGenerate();
        view.answer(answer.content);
        return answer;
      } catch (error) {
        if (isRejection(error)) onRejected();
        throw error;
      }
    },
  };
  return wrapLanguageModel({ model, middleware: [context.middleware, watch] });
}

const REJECTIONS = new Set([400, 413, 422]);

function isRejection(error: unknown): boolean {
  return APICallError.isInstance(error) && REJECTIONS.has(error.statusCode ?? 0);
}
