import type { PrepareOptions } from "../../context/index.ts";
import { type Conversation, createConversations } from "../conversations.ts";
import type { Hook } from "../hook.ts";
import { wireMarks, withoutStaleMarks } from "../stale-marks.ts";
import type { Endpoint } from "./endpoint.ts";

/** Of one request. */
export interface PrepareParamsOptions extends Pick<
  PrepareOptions,
  "force" | "compactionTemplate" | "signal"
> {
  /** The `usage` of the answer that came last, as the API reported it. */
  readonly usage?: unknown;
}

/** A request on its way. */
export interface PreparedRequest<Params> {
  /** What to send: the very parameters if nothing had to be done. */
  readonly params: Params;
  /** Takes in what the answer reported; the next request of the conversation is measured by it. */
  learn(reported: unknown): void;
  /** What to send instead when it was refused with this error, or `undefined`. */
  recover(error: unknown): Promise<Params | undefined>;
}

/** The requests of one API. */
export interface PreparedEndpoint<Params> {
  /** How the path of its URL ends. */
  readonly path: string;
  /** Rejects only by the signal. */
  prepare<Given extends Params>(
    params: Given,
    options?: PrepareParamsOptions,
  ): Promise<PreparedRequest<Given>>;
  /** What to send instead of these parameters, which were refused, or `undefined`. */
  recover<Given extends Params>(params: Given, error: unknown): Promise<Given | undefined>;
}

export function prepareEndpoint<Params, Native extends object>(
  endpoint: Endpoint<Params, Native>,
  hook: Hook<Params>,
  standsBack: (by: string | undefined) => boolean,
): PreparedEndpoint<Params> {
  const { dialect } = endpoint;
  const format = { dialect, messagesOf: (messages: readonly Native[]) => messages };
  const conversationOf = createConversations(hook, format);
  const open = (params: Params): Conversation<Native> | undefined => {
    const messages = endpoint.messagesOf(params);
    const isLeft = messages === undefined || standsBack(endpoint.managedBy(params));
    if (isLeft) return undefined;
    return conversationOf(messages, {
      request: params,
      tools: endpoint.besideOf(params).tools ?? [],
    });
  };
  const marks = wireMarks<Native>((message, content) => ({ ...message, content }));
  const edited = <Given extends Params>(
    params: Given,
    sent: readonly Native[],
    given: readonly Native[],
  ): Given => endpoint.withMessages(params, withoutStaleMarks(sent, given, marks));
  const recovering =
    <Given extends Params>(params: Given, { native, messages, goesOn }: Conversation<Native>) =>
    async (error: unknown): Promise<Given | undefined> => {
      const recovered = await native.recover(messages, error);
      if (recovered === undefined) return undefined;
      goesOn(recovered.conversation);
      return edited(params, recovered.conversation, messages);
    };
  return {
    path: endpoint.path,
    async recover(params, error) {
      const conversation = open(params);
      return conversation && recovering(params, conversation)(error);
    },
    async prepare(params, { usage, ...rest } = {}) {
      const conversation = open(params);
      if (conversation === undefined) return left(params);
      const { native, messages, goesOn, reported, learn } = conversation;
      const prepared = await native.prepare(messages, {
        ...rest,
        ...endpoint.besideOf(params),
        usage: endpoint.usageOf(usage) ?? reported,
      });
      const isSame = prepared.conversation === messages;
      if (!isSame) goesOn(prepared.conversation);
      return {
        params: isSame ? params : edited(params, prepared.conversation, messages),
        learn(report) {
          const known = endpoint.usageOf(report);
          if (known !== undefined) learn(known);
        },
        recover: recovering(params, conversation),
      };
    },
  };
}

/** A request that is left as it is. */
function left<Params>(params: Params): PreparedRequest<Params> {
  return { params, learn: () => undefined, recover: () => Promise.resolve(undefined) };
}
