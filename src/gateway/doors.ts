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
import type { Arrivals } from "./arrivals.ts";
import { messagesCacheLife, openaiCacheLife } from "./cache-life.ts";
import { recallInMessages } from "./recall/anthropic.ts";
import { recallInChat } from "./recall/chat.ts";
import { recallInResponses } from "./recall/responses.ts";
import type { RecallWire } from "./recall/wire.ts";
import { arrivedBlocks, arrivedChat, arrivedItem } from "./results.ts";
import type { ProtocolName } from "./routes.ts";

/** One API: how its requests are understood, edited and answered. */
export interface Door {
  readonly api: WireApi;
  readonly traits: DialectTraits;
  /** The field of a request that holds its messages. */
  readonly listKey: string;
  /** How calls of our own tools stand in it. */
  readonly recall: RecallWire;
  /** The messages of a request; `undefined` where there are none to look at. */
  messagesOf(params: WireObject): readonly unknown[] | undefined;
  /** The messages of a request in neutral words. */
  decode(params: WireObject): readonly Message[];
  /** What shows that somebody else keeps or edits the conversation. */
  managedBy(params: WireObject): string | undefined;
  /** Whether thinking in it is sealed to what stands before it. */
  bindsReasoning(params: WireObject): boolean;
  /** How long what it writes to the provider's cache lives, in ms. */
  cacheLifeOf(params: WireObject): number;
  /** Finds the conversation of each request that comes through one hook. */
  serve(hook: Hook<WireObject>, arrivals: Arrivals): (params: WireObject) => DoorRequest;
  /** What would be sent, by edits that were made already; nothing new is made. */
  view(params: WireObject, on: ViewParts): Promise<WireObject>;
  /** The recorded facts of all but the newest message, which asks for them. */
  summary(params: WireObject, options: ViewParts["options"]): Promise<string | undefined>;
}

export interface ViewParts {
  readonly options: Parameters<typeof createContext>[0];
  readonly arrivals: Arrivals;
  readonly truncation: TruncationOptions;
}

/** One request of a conversation. */
export interface DoorRequest {
  readonly context: Context;
  /** Its parameters; messages that say the same as those of earlier requests are those objects. */
  readonly given: WireObject;
  /** What to send; {@link given} itself if nothing had to be done. */
  prepare(options: Pick<PrepareOptions, "signal" | "pays">): Promise<Sending>;
  /** What to send instead of what was refused, or `undefined`. */
  recover(refused: unknown): Promise<Sending | undefined>;
  learn(usage: Usage | undefined): void;
}

export interface Sending {
  readonly params: WireObject;
  /** A beta that the request needs beside those of the client. */
  readonly beta?: string;
}

/** What {@link createDoor} has to know of an API. */
interface Wire<Whole, Native extends object> extends WireApi {
  readonly format: Omit<NativeFormat<Whole, Native>, "truncate" | "managedBy">;
  readonly listKey: string;
  readonly recall: RecallWire;
  readonly arrived: Arrived<Native>;
  wholeOf(params: WireObject): Whole;
  withWhole(params: WireObject, whole: Whole): WireObject;
  messagesOf(params: WireObject): readonly Native[] | undefined;
  managedBy(params: WireObject): string | undefined;
  besideOf(params: WireObject): PrepareOptions;
  bindsReasoning(params: WireObject): boolean;
  cacheLifeOf(params: WireObject): number;
  /** The last touch for parameters whose history was edited; `asked` are the client's. */
  finish?(params: WireObject, asked: WireObject): Sending;
}

type Arrived<Native> = (
  place: { readonly at: number; readonly list: readonly Native[] },
  arrive: (output: Parameters<Arrivals["arrive"]>[0]) => Promise<unknown>,
) => Promise<Native>;

/** The format of an API whose outputs are truncated when they come. */
function arriving<Whole, Native extends object>(
  { format, arrived }: Wire<Whole, Native>,
  arrivals: Arrivals,
  own?: TruncationOptions,
): NativeFormat<Whole, Native> {
  return {
    ...format,
    truncate: (at, list, truncation) =>
      arrived({ at, list }, (output) => arrivals.arrive(output, own ?? truncation)),
  };
}

function createDoor<Whole, Native extends object>(wire: Wire<Whole, Native>): Door {
  const { format, listKey, recall, read, usageOf } = wire;
  return {
    api: { read, usageOf },
    listKey,
    recall,
    bindsReasoning: (params) => wire.bindsReasoning(params),
    cacheLifeOf: (params) => wire.cacheLifeOf(params),
    traits: format.dialect.traits,
    messagesOf: (params) => wire.messagesOf(params),
    decode: (params) => format.dialect.decode(wire.wholeOf(params)),
    managedBy: (params) => wire.managedBy(params),
    serve(hook, arrivals) {
      const conversationOf = createConversations<Native, WireObject, Whole>(
        hook,
        arriving(wire, arrivals),
      );
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
    async view(params, { options, arrivals, truncation }) {
      const native = nativeContextOn(createContext(options), arriving(wire, arrivals, truncation));
      const whole = wire.wholeOf(params);
      const { conversation } = await native.prepare(whole, wire.besideOf(params));
      return conversation === whole ? params : wire.withWhole(params, conversation);
    },
    summary: (params, options) =>
      summaryOf(format.dialect.decode(wire.wholeOf(params)).slice(0, -1), options),
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

const messages = createDoor<AnthropicConversation, AnthropicMessage>({
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
  cacheLifeOf: messagesCacheLife,
  finish(params, asked) {
    const body = params as MessageBody;
    const { system, messages: list } = withBreakpoint(body, asked as MessageBody);
    const marked = { ...body, system, messages: list };
    if (!bindsReasoning(body) || !canDropBlocks(body)) return { params: marked };
    return { params: droppingBlocks(marked), beta: BINDING_BETA };
  },
});

function openaiDoor<Params extends object, Native extends object>(
  endpoint: Endpoint<Params, Native>,
  own: Pick<Wire<readonly Native[], Native>, "listKey" | "recall" | "arrived">,
): Door {
  const { dialect } = endpoint;
  return createDoor<readonly Native[], Native>({
    ...own,
    read: endpoint.read,
    usageOf: endpoint.usageOf,
    format: { dialect, marks: wireMarks((message, content) => ({ ...message, content })) },
    wholeOf: (params) => endpoint.messagesOf(params as Params) ?? [],
    withWhole: (params, list) => endpoint.withMessages(params as Params, list) as WireObject,
    messagesOf: (params) => endpoint.messagesOf(params as Params),
    managedBy: (params) => endpoint.managedBy(params as Params),
    besideOf: (params) => endpoint.besideOf(params as Params),
    bindsReasoning: () => false,
    cacheLifeOf: openaiCacheLife,
  });
}

/** How each API is understood. */
export const DOORS: Readonly<Record<ProtocolName, Door>> = {
  anthropic: messages,
  "openai-chat": openaiDoor(chatCompletions, {
    listKey: "messages",
    recall: recallInChat,
    arrived: arrivedChat,
  }),
  "openai-responses": openaiDoor(responses, {
    listKey: "input",
    recall: recallInResponses,
    arrived: arrivedItem,
  }),
};

/** A name for receipts. */
export function modelOf(params: WireObject): string {
  return textIn(params, "model") ?? "";
}
