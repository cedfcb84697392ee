import {
  type AnthropicConversation,
  type AnthropicMessage,
  marksOf,
} from "../../dialects/anthropic/wire.ts";
import { isWireObject, numberIn, parseInput, type WireObject } from "../../dialects/wire.ts";
import type { ConversationOf } from "../conversations.ts";
import { isReasoningRefusal } from "../native-context.ts";
import { watchedAnswer } from "../wire-answer.ts";
import {
  bindsReasoning,
  canDropBlocks,
  droppingBlocks,
  isMessageBody,
  isMessageUrl,
  managedBy,
  type MessageBody,
  messagesApi,
  withBindingBeta,
} from "./wire.ts";

/** A request of the SDK; structural, so that no version of the SDK is needed. */
export interface AnthropicRequest {
  readonly url: string;
  readonly method?: string;
  readonly headers?: unknown;
  readonly body?: unknown;
  readonly signal?: AbortSignal | null;
}

/** The SDK's second argument for a middleware. */
interface AnthropicRequestContext {
  readonly options?: { readonly body?: unknown } | undefined;
}

/** A middleware of the Anthropic SDK. */
export type AnthropicMiddleware = <Request extends AnthropicRequest>(
  request: Request,
  next: (request: Request) => Promise<Response>,
  context: AnthropicRequestContext,
) => Promise<Response>;

/** Prepares what is sent, learns what it cost, and tries once more after an overflow. */
export function createMiddleware(
  conversationOf: ConversationOf<MessageBody, AnthropicConversation>,
  isManaged: (by: string | undefined) => boolean,
): AnthropicMiddleware {
  /** Conversations in which the caller's own changes, e.g. of `system`, unbind the thinking. */
  const unbound = new WeakSet<object>();
  return async (request, next, { options }) => {
    const body = isMessageUrl(request.url) ? bodyOf(request.body) : undefined;
    if (body !== undefined && isRunnersThread(body, request)) return noThread();
    if (body === undefined || isManaged(managedBy(body))) return next(request);
    const tools = body["tools"] ?? [];
    // The caller's own objects, where the SDK shows them, are known again in the next request.
    const given = isMessageBody(options?.body) ? options.body : body;
    const about = { request: body, tools, model: body["model"] };
    const conversation = conversationOf(wholeOf(given, body), about);
    const send = (sent: AnthropicConversation | undefined): Promise<Response> =>
      next(sent ? withConversation(request, body, sent) : request);
    const sent = await conversation.prepare({
      tools,
      maxOutput: numberIn(body, "max_tokens"),
      boundReasoning: bindsReasoning(body) && !canDropBlocks(body),
      signal: request.signal ?? undefined,
    });
    const dropsBlocks = sent !== conversation.given || unbound.has(conversation.context);
    return watchedAnswer(await send(dropsBlocks ? sent : undefined), {
      api: messagesApi,
      learn: (usage) => conversation.learn(usage),
      async again(refused) {
        const isUnbound = !dropsBlocks && canLeaveOut(body) && isReasoningRefusal(refused);
        if (isUnbound) unbound.add(conversation.context);
        const recovered = isUnbound ? sent : await conversation.recover(refused);
        return recovered && send(recovered);
      },
    });
  };
}

/** A thread that the SDK's tool runner is about to start, as it does wherever it may. */
function isRunnersThread({ thread }: MessageBody, { headers }: AnthropicRequest): boolean {
  if (!isWireObject(thread) || thread["previous_message_id"] != null) return false;
  const helpers = new Headers(headers as Headers).get("x-stainless-helper");
  return helpers?.includes("BetaToolRunner") === true;
}

/** The API's answer where it keeps no threads: the tool runner then sends the whole history. */
function noThread(): Response {
  const message = "thread: Longhaul prepares the whole history of this conversation.";
  const details = { error_code: "thread_unsupported_request", unsupported: ["thread"] };
  const error = { type: "invalid_request_error", message, details };
  return Response.json({ type: "error", error }, { status: 400 });
}

function bodyOf(body: unknown): MessageBody | undefined {
  const value = typeof body === "string" ? parseInput(body) : undefined;
  return isMessageBody(value) ? value : undefined;
}

/** Helpers of the SDK add messages on the way; then only what is really sent counts. */
function wholeOf(given: MessageBody, body: MessageBody): AnthropicConversation {
  const { messages, system } = given.messages.length === body.messages.length ? given : body;
  return { messages, system };
}

function withConversation<Request extends AnthropicRequest>(
  request: Request,
  body: MessageBody,
  conversation: AnthropicConversation,
): Request {
  const { messages, system } = withBreakpoint(conversation, body);
  const edited = { ...body, messages, system };
  if (!canLeaveOut(body)) return { ...request, body: JSON.stringify(edited) };
  const headers = withBindingBeta(request.headers);
  return { ...request, headers, body: JSON.stringify(droppingBlocks(edited)) };
}

/** The API itself: where thinking is on, it would refuse an answer that has lost its own. */
function canLeaveOut(body: MessageBody): boolean {
  return bindsReasoning(body) && canDropBlocks(body);
}

/** The API takes at most this many breakpoints in one request. */
const MOST_BREAKPOINTS = 4;
const SUMMARY = "<prior-conversation-summary";

/**
 * Marks the end of the summary as a cache breakpoint, if the caller's body has breakpoints (its only
 * one may have stood in what left) and one is free: everything up to there stays the same until the
 * next compaction, while the caller's own breakpoints move on with the newest messages. It lives as
 * long as the one behind it: the API takes none that lives longer behind one that lives shorter.
 */
export function withBreakpoint(
  conversation: AnthropicConversation,
  given: MessageBody,
): AnthropicConversation {
  const { messages } = conversation;
  const marks = marksIn(conversation, given);
  const at = messages.findIndex(isSummary);
  const message = messages[at];
  if (message === undefined || marks.length >= MOST_BREAKPOINTS) return conversation;
  const mark = marksOf(messages.slice(at))[0] ?? marks.at(-1) ?? marksIn(given, given).at(-1);
  if (mark === undefined || marksOf(message).length > 0) return conversation;
  return { ...conversation, messages: messages.with(at, withMark(message, mark)) };
}

/** That of the whole body is the API's to place: on the last block. */
function marksIn(
  { system, messages }: AnthropicConversation,
  { tools, cache_control }: MessageBody,
): readonly WireObject[] {
  return marksOf([tools, system, messages, { cache_control }]);
}

function isSummary({ content }: AnthropicMessage): boolean {
  if (typeof content === "string") return content.startsWith(SUMMARY);
  const [first] = content ?? [];
  return first?.type === "text" && String((first as WireObject)["text"]).startsWith(SUMMARY);
}

/** The summary is the first block; what was merged behind it may change sooner. */
function withMark(message: AnthropicMessage, cache_control: WireObject): AnthropicMessage {
  const { content } = message;
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const [first, ...rest] = blocks ?? [];
  const marked = [{ ...(first as WireObject), cache_control }, ...rest];
  return { ...message, content: marked } as AnthropicMessage;
}
