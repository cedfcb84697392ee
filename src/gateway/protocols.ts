import { type Context, createContext } from "../context/create-context.ts";
import { anthropic } from "../dialects/anthropic/anthropic.ts";
import type { AnthropicConversation, AnthropicMessage } from "../dialects/anthropic/wire.ts";
import { messageText } from "../core/message/message.ts";
import type { Message, Usage } from "../core/message/index.ts";
import type { DialectTraits } from "../dialects/dialect.ts";
import { numberIn, textIn, type WireObject } from "../dialects/wire.ts";
import { withBreakpoint } from "../hooks/anthropic/middleware.ts";
import {
  BINDING_BETA,
  bindsReasoning,
  canDropBlocks,
  droppingBlocks,
  isMessageBody,
  managedBy,
  type MessageBody,
  messagesApi,
} from "../hooks/anthropic/wire.ts";
import { createConversations } from "../hooks/conversations.ts";
import type { Hook } from "../hooks/hook.ts";
import { isReasoningRefusal, type NativeFormat, nativeContextOn } from "../hooks/native-context.ts";
import { chatCompletions, type Endpoint, responses } from "../hooks/openai/endpoint.ts";
import { wireMarks } from "../hooks/stale-marks.ts";
import type { WireApi } from "../hooks/wire-answer.ts";
import type { PrepareOptions } from "../context/index.ts";
import type { TruncationOptions } from "../tools/index.ts";
import type { Arrive, Output } from "./arrivals.ts";
import { recallInMessages } from "./recall/anthropic.ts";
import { recallInChat } from "./recall/chat.ts";
import { recallInResponses } from "./recall/responses.ts";
import type { RecallWire } from "./recall/wire.ts";
import { arrivedBlocks, arrivedChat, arrivedItem } from "./results.ts";
import type { ProtocolName } from "./routes.ts";

interface ApiFacts {
  /** The field of a request that holds its messages. */
  readonly listKey: string;
  /** Calls of our own tools in its words. */
  readonly recall: RecallWire;
  /** The messages of a request; `undefined` where there are none to look at. */
  readonly messagesOf: (params: WireObject) => readonly unknown[] | undefined;
  /** The sign that somebody else keeps or edits the conversation. */
  readonly managedBy: (params: WireObject) => string | undefined;
  /** The API checks what stands before its thinking. */
  readonly bindsReasoning: (params: WireObject) => boolean;
  /** The life of an entry of the provider's cache after its last use, in ms. */
  readonly cacheLifeOf: (params: WireObject) => number;
}

/** One API: how its requests are understood, edited and answered. */
export interface Protocol extends ApiFacts {
  readonly api: WireApi;
  readonly traits: DialectTraits;
  decode(params: WireObject): readonly Message[];
  /** Finds the conversation of each request that comes through one hook. */
  serve(hook: Hook<WireObject>, arrive: Arrive): (params: WireObject) => OpenedRequest;
  /** The request with the edits that were made already; nothing new is made. */
  view(params: WireObject, on: ViewParts): Promise<WireObject>;
  /** The recorded facts of all but the newest message, which asks for them. */
  summary(params: WireObject, options: ViewParts["options"]): Promise<string | undefined>;
}

export interface ViewParts {
  readonly options: Parameters<typeof createContext>[0];
  readonly arrive: Arrive;
  readonly truncation: TruncationOptions;
}

export interface OpenedRequest {
  readonly context: Context;
  /** Its parameters; messages that say the same as those of earlier requests are those objects. */
  readonly given: WireObject;
  /** The parameters to send; {@link given} itself if nothing had to be done. */
  prepare(options: Pick<PrepareOptions, "signal" | "pays">): Promise<Sending>;
  /** The parameters to send instead of refused ones, or `undefined`. */
  recover(refused: unknown): Promise<Sending | undefined>;
  learn(usage: Usage | undefined): void;
}

export interface Sending {
  readonly params: WireObject;
  /** A beta that the request needs beside those of the client. */
  readonly beta?: string;
}

/** The parts of an API that {@link createProtocol} makes a protocol of. */
interface Wire<Whole, Native extends object> extends WireApi, ApiFacts {
  readonly format: Omit<NativeFormat<Whole, Native>, "truncate" | "managedBy">;
  readonly arrived: (
    place: { readonly at: number; readonly list: readonly Native[] },
    arrive: (output: Output) => Promise<unknown>,
  ) => Promise<Native>;
  wholeOf(params: WireObject): Whole;
  withWhole(params: WireObject, whole: Whole): WireObject;
  besideOf(params: WireObject): PrepareOptions;
  /** The last touch for parameters whose history was edited; `asked` are the client's. */
  finish?(params: WireObject, asked: WireObject): Sending;
}

/** The format of an API whose outputs are truncated when they come. */
function arriving<Whole, Native extends object>(
  { format, arrived }: Wire<Whole, Native>,
  arrive: Arrive,
  own?: TruncationOptions,
): NativeFormat<Whole, Native> {
  return {
    ...format,
    truncate: (at, list, truncation) =>
      arrived({ at, list }, (output) => arrive(output, own ?? truncation)),
  };
}

function createProtocol<Whole, Native extends object>(wire: Wire<Whole, Native>): Protocol {
  const { dialect } = wire.format;
  const decode = (params: WireObject): readonly Message[] => dialect.decode(wire.wholeOf(params));
  return {
    ...wire,
    api: wire,
    traits: dialect.traits,
    decode,
    serve(hook, arrive) {
      const format = arriving(wire, arrive);
      const conversationOf = createConversations<Native, WireObject, Whole>(hook, format);
      const unbound = new WeakSet<Context>();
      return (params) => {
        const { model, tools = [] } = params;
        const conversation = conversationOf(wire.wholeOf(params), { tools, model });
        const { context } = conversation;
        const given = wire.withWhole(params, conversation.given);
        const sending = (whole: Whole): Sending => {
          const made = whole === conversation.given ? given : wire.withWhole(params, whole);
          const isEdited = context.journal().length > 0 || unbound.has(context);
          return isEdited && wire.finish ? wire.finish(made, params) : { params: made };
        };
        let sent = conversation.given;
        return {
          context,
          given,
          learn: (usage) => conversation.learn(usage),
          async prepare(options) {
            sent = await conversation.prepare({ ...wire.besideOf(params), ...options });
            return sending(sent);
          },
          async recover(refused) {
            if (wire.finish && !unbound.has(context) && isReasoningRefusal(refused)) {
              unbound.add(context);
              const { beta, ...rest } = sending(sent);
              if (beta !== undefined) return { ...rest, beta };
            }
            const recovered = await conversation.recover(refused);
            return recovered && sending(recovered);
          },
        };
      };
    },
    async view(params, { options, arrive, truncation }) {
      const native = nativeContextOn(createContext(options), arriving(wire, arrive, truncation));
      const whole = wire.wholeOf(params);
      const { conversation } = await native.prepare(whole, wire.besideOf(params));
      return conversation === whole ? params : wire.withWhole(params, conversation);
    },
    summary: (params, options) => summaryOf(decode(params).slice(0, -1), options),
  };
}

/** A context keeps the newest messages as a tail; here that is one that nobody said. */
const SEAM: Message = {
  role: "user",
  parts: [{ type: "text", text: "(The session goes on here.)" }],
};

async function summaryOf(
  list: readonly Message[],
  options: ViewParts["options"],
): Promise<string | undefined> {
  const smallest = { tailTokens: 1, tailShare: undefined, tailUnits: 1, pinnedTokens: 0 };
  const context = createContext({ ...options, ...smallest, continuation: "never" });
  const { messages: made } = await context.prepare([...list, SEAM], { force: true });
  const summary = made.find(({ kind }) => kind === "summary");
  return summary && messageText(summary);
}

const HOUR_MS = 60 * 60_000;

const messages = createProtocol<AnthropicConversation, AnthropicMessage>({
  ...messagesApi,
  listKey: "messages",
  recall: recallInMessages,
  format: {
    dialect: anthropic,
    messagesOf: ({ messages: list }) => list,
    withMessages: ({ system }, list) => ({ system, messages: list }),
    marks: wireMarks((message, content) => ({ ...message, content }) as AnthropicMessage),
  },
  arrived: arrivedBlocks,
  wholeOf: (params) => {
    const { system, messages: list } = params as MessageBody;
    return { system, messages: list };
  },
  withWhole: (params, { system, messages: list }) => ({ ...params, system, messages: list }),
  messagesOf: (params) => (isMessageBody(params) ? params.messages : undefined),
  managedBy: (params) => managedBy(params as MessageBody),
  besideOf(params) {
    const body = params as MessageBody;
    return {
      tools: body["tools"] ?? [],
      maxOutput: numberIn(body, "max_tokens"),
      boundReasoning: bindsReasoning(body) && !canDropBlocks(body),
    };
  },
  bindsReasoning: (params) => bindsReasoning(params as MessageBody),
  // The pages that `simulate/cache.ts` names, read on 2026-11-23; the same holds for OpenAI below.
  cacheLifeOf: (params) => (JSON.stringify(params).includes('"ttl":"1h"') ? HOUR_MS : HOUR_MS / 12),
  finish(params, asked) {
    const body = params as MessageBody;
    const { system, messages: list } = withBreakpoint(body, asked as MessageBody);
    const marked = { ...body, system, messages: list };
    if (!bindsReasoning(body) || !canDropBlocks(body)) return { params: marked };
    return { params: droppingBlocks(marked), beta: BINDING_BETA };
  },
});

function openaiProtocol<Params extends object, Native extends object>(
  endpoint: Endpoint<Params, Native>,
  own: Pick<Wire<readonly Native[], Native>, "listKey" | "recall" | "arrived">,
): Protocol {
  const { dialect, read, usageOf } = endpoint;
  return createProtocol<readonly Native[], Native>({
    ...own,
    read,
    usageOf,
    format: { dialect, marks: wireMarks((message, content) => ({ ...message, content })) },
    wholeOf: (params) => endpoint.messagesOf(params as Params) ?? [],
    withWhole: (params, list) => endpoint.withMessages(params as Params, list) as WireObject,
    messagesOf: (params) => endpoint.messagesOf(params as Params),
    managedBy: (params) => endpoint.managedBy(params as Params),
    besideOf: (params) => endpoint.besideOf(params as Params),
    bindsReasoning: () => false,
    cacheLifeOf: ({ prompt_cache_retention: wanted }) => (wanted === "24h" ? 24 : 1) * HOUR_MS,
  });
}

export const PROTOCOLS: Readonly<Record<ProtocolName, Protocol>> = {
  anthropic: messages,
  "openai-chat": openaiProtocol(chatCompletions, {
    listKey: "messages",
    recall: recallInChat,
    arrived: arrivedChat,
  }),
  "openai-responses": openaiProtocol(responses, {
    listKey: "input",
    recall: recallInResponses,
    arrived: arrivedItem,
  }),
};

export function modelOf(params: WireObject): string {
  return textIn(params, "model") ?? "";
}
