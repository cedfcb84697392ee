import type { Context, PrepareOptions } from "../../context/index.ts";
import type { Usage } from "../../core/message/index.ts";
import { nativeContextOn } from "../native-context.ts";
import type { Endpoint } from "./endpoint.ts";

/** Of one request. */
export interface PrepareParamsOptions extends Pick<
  PrepareOptions,
  "force" | "template" | "signal"
> {
  /** The `usage` of the answer that came last, as the API reported it. */
  readonly usage?: unknown;
}

/** The requests of one API, on one conversation. */
export interface PreparedEndpoint<Params> {
  /** How the path of its URL ends. */
  readonly path: string;
  /** The very parameters if nothing had to be done. Rejects only by the signal. */
  prepare<Given extends Params>(params: Given, options?: PrepareParamsOptions): Promise<Given>;
  /** What to send instead of what was refused, or `undefined`. */
  recover<Given extends Params>(params: Given, error: unknown): Promise<Given | undefined>;
  /**
   * Whom to tell what the answer to a request reported: a request that goes on from there is then
   * measured by it. Call it before the caller can add to the list of messages.
   */
  listener(params: Params): (reported: unknown) => void;
}

export function prepareEndpoint<Params, Native>(
  context: Context,
  endpoint: Endpoint<Params, Native>,
  standsBack: (by: string | undefined) => boolean,
): PreparedEndpoint<Params> {
  const native = nativeContextOn(context, {
    dialect: endpoint.dialect,
    messagesOf: (messages: readonly Native[]) => messages,
  });
  let last: { readonly length: number; readonly usage: Usage } | undefined;
  const ours = (params: Params): readonly Native[] | undefined => {
    const messages = endpoint.messagesOf(params);
    const isLeft = messages === undefined || standsBack(endpoint.managedBy(params));
    return isLeft ? undefined : messages;
  };
  const usageFor = (messages: readonly Native[], reported: unknown): Usage | undefined => {
    if (reported != null) return endpoint.usageOf(reported);
    return last !== undefined && messages.length > last.length ? last.usage : undefined;
  };
  return {
    path: endpoint.path,
    async prepare(params, { usage, ...options } = {}) {
      const messages = ours(params);
      if (messages === undefined) return params;
      const { conversation } = await native.prepare(messages, {
        ...options,
        ...endpoint.besideOf(params),
        usage: usageFor(messages, usage),
      });
      return conversation === messages ? params : endpoint.withMessages(params, conversation);
    },
    async recover(params, error) {
      const messages = ours(params);
      const recovered = messages && (await native.recover(messages, error));
      return recovered && endpoint.withMessages(params, recovered.conversation);
    },
    listener(params) {
      const length = endpoint.messagesOf(params)?.length ?? Infinity;
      return (reported) => {
        const usage = endpoint.usageOf(reported);
        if (usage !== undefined) last = { length, usage };
      };
    },
  };
}
