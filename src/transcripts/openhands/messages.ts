import type { Message, OutputPart, Part, ToolCallPart, Usage } from "../../core/message/index.ts";
import { type Fields, fieldsOf, isRecord } from "../../core/text/json.ts";
import { type CallIds, createCallIds } from "../../dialects/call-ids.ts";
import { fileAt } from "../../dialects/files.ts";
import { parseInput, usageOf } from "../../dialects/wire.ts";
import { contentParts, reasoningParts, resultOf, textParts } from "../content.ts";
import { list, records, text } from "../lenient.ts";
import { isConversation, type OpenHandsEvent, shellNotes } from "./event.ts";

interface OpenCall {
  readonly part: ToolCallPart;
  readonly event: OpenHandsEvent;
}

interface Walk {
  readonly messages: Message[];
  open: readonly OpenCall[];
  /** A reply whose calls may still be joined by others of the same reply: its id and its place. */
  reply?: { readonly id?: string; readonly at: number };
  readonly ids: CallIds;
}

/** Longest id that every provider accepts. */
const ID_LENGTH = 40;

/**
 * Events as messages. Calls of one reply, which the file runs one by one, become one message
 * again. An observation is the result of the call it names by id or by cause, or else of the oldest
 * open one where the events have no ids; every other observation is a notice. `finish` ends the run
 * and has no result, so it is the agent's last words and no call.
 */
export function toMessages(events: readonly OpenHandsEvent[]): Message[] {
  const walk: Walk = { messages: [], open: [], ids: createCallIds(ID_LENGTH) };
  for (const event of events.filter(isConversation)) {
    if (event.action === undefined) readObservation(walk, event);
    else readAction(walk, event, event.action);
  }
  return walk.messages;
}

function readAction(walk: Walk, event: OpenHandsEvent, action: string): void {
  const { args, source } = event;
  switch (action) {
    case "recall":
      // The question is the user's message once more; the answer to it comes as an observation.
      return;
    case "system":
      return push(walk, event, { role: "system", parts: contentParts(args["content"]) });
    case "message":
      return readMessage(walk, event);
    case "finish":
    case "reject":
      return push(walk, event, { role: "assistant", parts: lastWords(event) });
    default: {
      if (source !== "user") return readCall(walk, event, action);
      const said = `The user ran ${action}: ${JSON.stringify(callInput(event))}`;
      push(walk, event, { role: "user", kind: "injected", parts: textParts(said) });
    }
  }
}

function readMessage(walk: Walk, event: OpenHandsEvent): void {
  const { content, image_urls } = event.args;
  const source = event.source ?? likelySource(walk);
  const parts = [...contentParts(content), ...imageList(image_urls)];
  if (source === "user") push(walk, event, { role: "user", parts });
  else if (source === "environment") push(walk, event, { role: "user", kind: "injected", parts });
  else push(walk, event, { role: "assistant", parts });
}

/** Runs of 2024 do not say who speaks: a person begins, and answers what the agent only said. */
function likelySource({ messages }: Walk): "user" | "agent" {
  const last = messages.findLast(({ role, kind }) => role !== "system" && kind === undefined);
  const hasOnlySpoken =
    last?.role === "assistant" && last.parts.every((part) => part.type !== "tool-call");
  return last === undefined || hasOnlySpoken ? "user" : "agent";
}

function lastWords(event: OpenHandsEvent): Part[] {
  const { final_thought, message } = event.args;
  return [...replyOf(event).parts, ...textParts(text(final_thought) || text(message))];
}

function readCall(walk: Walk, event: OpenHandsEvent, action: string): void {
  const { messages } = walk;
  const reply = replyOf(event);
  const part: ToolCallPart = {
    type: "tool-call",
    toolCallId: walk.ids.assign(event.call?.id ?? `event_${event.id ?? messages.length}`),
    toolName: event.call?.toolName ?? action,
    input: callInput(event),
  };
  // A call joins the message of its reply, if nothing but results came since.
  const isSame = reply.id !== undefined && walk.reply?.id === reply.id;
  const message = isSame ? messages[walk.reply?.at ?? -1] : undefined;
  if (walk.reply !== undefined && message !== undefined) {
    messages[walk.reply.at] = { ...message, parts: [...message.parts, part] };
    walk.open = [...walk.open, { part, event }];
    return;
  }
  push(walk, event, { role: "assistant", parts: [...reply.parts, part], usage: reply.usage });
  walk.reply = { id: reply.id, at: messages.length - 1 };
  walk.open = [{ part, event }];
}

function readObservation(walk: Walk, event: OpenHandsEvent): void {
  const call = takeCall(walk, event);
  if (call === undefined) return readNotice(walk, event);
  const isError = event.observation === "error" || event.observation === "user_rejected";
  const result = resultOf(call.part, {
    output: observationOutput(event),
    exitCode: exitCodeOf(event),
    isError: isError || undefined,
  });
  walk.messages.push({ role: "tool", parts: [result], time: event.time });
}

function takeCall(walk: Walk, { id, cause, call }: OpenHandsEvent): OpenCall | undefined {
  const named = walk.open.find(
    ({ event }) =>
      (call !== undefined && event.call?.id === call.id) ||
      (cause !== undefined && event.id === cause),
  );
  const isNameless = id === undefined && cause === undefined && call === undefined;
  const taken = named ?? (isNameless ? walk.open[0] : undefined);
  if (taken !== undefined) walk.open = walk.open.filter((other) => other !== taken);
  return taken;
}

function readNotice(walk: Walk, event: OpenHandsEvent): void {
  const isRecall = event.observation === "recall";
  const parts = isRecall ? textParts(recalledKnowledge(event.extras)) : observationOutput(event);
  if (parts.length > 0) push(walk, event, { role: "user", kind: "injected", parts });
}

/** Adds a message that is no result: from here on no call can join the last reply. */
function push(walk: Walk, { time }: OpenHandsEvent, message: Message): void {
  walk.reply = undefined;
  if (message.parts.length > 0) walk.messages.push({ ...message, time });
}

interface Reply {
  readonly id?: string;
  readonly model?: string;
  /** Its reasoning and text, without the calls. */
  readonly parts: readonly Part[];
  readonly usage?: Usage;
}

/** The reply behind an action; made from its `thought` where the file does not keep replies. */
export function replyOf(event: OpenHandsEvent): Reply {
  const message = replyMessage(event);
  if (message === undefined) return { parts: textParts(event.args["thought"]) };
  const { id, model, usage } = event.call?.response ?? {};
  const { prompt_tokens, completion_tokens, prompt_tokens_details } = fieldsOf(usage);
  const { cached_tokens } = fieldsOf(prompt_tokens_details);
  return {
    id: text(id),
    model: text(model),
    usage: usageOf({ total: prompt_tokens, cacheRead: cached_tokens, output: completion_tokens }),
    parts: [...reasoningParts(message["reasoning_content"]), ...contentParts(message["content"])],
  };
}

function replyMessage({ call }: OpenHandsEvent): Fields | undefined {
  const { message } = fieldsOf(list(call?.response["choices"])[0]);
  return isRecord(message) ? message : undefined;
}

/** A call's arguments as the model gave them; the file's `args` have defaults filled in. */
function callInput(event: OpenHandsEvent): unknown {
  const calls = records(replyMessage(event)?.["tool_calls"]);
  const made = calls.find(({ id, function: called }) => id === event.call?.id && isRecord(called));
  if (made !== undefined) return parseInput(fieldsOf(made["function"])["arguments"] ?? {});
  const { thought: _, ...input } = event.args;
  return input;
}

/**
 * An observation as the model was told it: its content, for a command with what the shell noted around
 * it (the exit code is there), and the screenshots that came with it.
 */
function observationOutput(event: OpenHandsEvent): OutputPart[] {
  const { content, extras } = event;
  const { prefix, suffix } = shellNotes(event);
  const said =
    typeof content === "string" ? `${text(prefix) ?? ""}${content}${text(suffix) ?? ""}` : content;
  return [...contentParts(said), ...imageList(extras["image_urls"])];
}

/** Beside the output; -1 stands for a command that still runs. */
function exitCodeOf(event: OpenHandsEvent): number | undefined {
  const code = shellNotes(event)["exit_code"] ?? event.extras["exit_code"];
  return typeof code === "number" && code !== -1 ? code : undefined;
}

function imageList(urls: unknown): OutputPart[] {
  return list(urls).flatMap((url) => (typeof url === "string" ? [fileAt(url)] : []));
}

/**
 * The knowledge that a `recall` brought into the conversation, as text; empty when it found none.
 * The file has its fields and not the words in which OpenHands put them.
 */
function recalledKnowledge(extras: Fields): string {
  const { repo_name, repo_directory, repo_instructions, runtime_hosts } = extras;
  const { additional_agent_instructions, date, microagent_knowledge } = extras;
  const repository = [text(repo_name), text(repo_directory)].filter(Boolean).join(" in ");
  const facts = [
    labelled("Repository", repository),
    labelled("Hosts", Object.keys(fieldsOf(runtime_hosts)).join(", ")),
    labelled("Date", text(date)),
    text(repo_instructions),
    text(additional_agent_instructions),
    ...records(microagent_knowledge).map(({ content }) => text(content)),
  ];
  return facts.filter(Boolean).join("\n\n");
}

function labelled(label: string, value: string | undefined): string | undefined {
  return value ? `${label}: ${value}` : undefined;
}
