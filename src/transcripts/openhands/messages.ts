import { isRecord } from "../../core/text/json.ts";
import { z } from "zod";
import type { Message, OutputPart, Part, ToolCallPart, Usage } from "../../core/message/index.ts";
import { type CallIds, createCallIds } from "../../dialects/call-ids.ts";
import { parseInput } from "../../dialects/wire.ts";
import { contentParts, imagePart, textParts } from "../content.ts";
import { eventTime, isConversation, type OpenHandsEvent } from "./event.ts";

interface OpenCall {
  readonly part: ToolCallPart;
  readonly eventId: string | undefined;
  /** The id as the file has it. */
  readonly callId: string | undefined;
}

/** A reply whose calls may still be joined by others of the same reply. */
interface OpenReply {
  readonly id: string | undefined;
  readonly at: number;
}

interface Walk {
  readonly messages: Message[];
  open: OpenCall[];
  reply: OpenReply | undefined;
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
  const ids = createCallIds(ID_LENGTH);
  const walk: Walk = { messages: [], open: [], reply: undefined, ids };
  for (const event of events) {
    if (!isConversation(event)) continue;
    if (event.action === undefined) readObservation(walk, event);
    else readAction(walk, event, event.action);
  }
  return walk.messages;
}

/** Whether an action ends the run. */
export function isFinish({ action }: OpenHandsEvent): boolean {
  return action === "finish" || action === "reject";
}

function readAction(walk: Walk, event: OpenHandsEvent, action: string): void {
  const { args, source } = event;
  // The question is the user's message once more; the answer to it comes as an observation.
  if (action === "recall") return;
  if (action === "system")
    push(walk, event, { role: "system", parts: contentParts(args["content"]) });
  else if (action === "message") readMessage(walk, event);
  else if (isFinish(event)) push(walk, event, { role: "assistant", parts: lastWords(event) });
  else if (source === "user") {
    const text = `The user ran ${action}: ${JSON.stringify(callInput(event))}`;
    push(walk, event, { role: "user", kind: "injected", parts: textParts(text) });
  } else readCall(walk, event, action);
}

function readMessage(walk: Walk, event: OpenHandsEvent): void {
  const { args } = event;
  const source = event.source ?? likelySource(walk);
  const parts = [...contentParts(args["content"]), ...imageList(args["image_urls"])];
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
  const said = replyOf(event).parts;
  const { final_thought, message } = event.args;
  const final = [final_thought, message].find((text) => typeof text === "string" && text !== "");
  return [...said, ...contentParts(final)];
}

function readCall(walk: Walk, event: OpenHandsEvent, action: string): void {
  const reply = replyOf(event);
  const callId = event.tool_call_metadata?.tool_call_id;
  const part: ToolCallPart = {
    type: "tool-call",
    toolCallId: walk.ids.assign(callId ?? `event_${event.id ?? walk.messages.length}`),
    toolName: event.tool_call_metadata?.function_name ?? action,
    input: callInput(event),
  };
  const call: OpenCall = { part, eventId: event.id, callId };
  if (joinReply(walk, reply, part)) return void walk.open.push(call);
  const message: Message = { role: "assistant", parts: [...reply.parts, part] };
  push(walk, event, reply.usage === undefined ? message : { ...message, usage: reply.usage });
  walk.reply = { id: reply.id, at: walk.messages.length - 1 };
  walk.open = [call];
}

/** Adds a call to the message of its reply, if nothing but results came since. */
function joinReply({ messages, reply: open }: Walk, { id }: Reply, part: ToolCallPart): boolean {
  const message = open === undefined ? undefined : messages[open.at];
  if (open === undefined || message === undefined || id === undefined || open.id !== id)
    return false;
  messages[open.at] = { ...message, parts: [...message.parts, part] };
  return true;
}

function readObservation(walk: Walk, event: OpenHandsEvent): void {
  const call = takeCall(walk, event);
  if (call === undefined) return readNotice(walk, event);
  const { toolCallId, toolName } = call.part;
  const failed = event.observation === "error" || event.observation === "user_rejected";
  const output = observationOutput(event);
  const result: Part = { type: "tool-result", toolCallId, toolName, output };
  const exitCode = exitCodeOf(event);
  const code = exitCode === undefined ? {} : { exitCode };
  const part = failed ? { ...result, ...code, isError: true } : { ...result, ...code };
  walk.messages.push(withTime({ role: "tool", parts: [part] }, event));
}

function takeCall(walk: Walk, event: OpenHandsEvent): OpenCall | undefined {
  const callId = event.tool_call_metadata?.tool_call_id;
  const named = walk.open.find(
    (call) =>
      (callId !== undefined && call.callId === callId) ||
      (event.cause !== undefined && call.eventId === event.cause),
  );
  const isNameless = event.id === undefined && event.cause === undefined && callId === undefined;
  const call = named ?? (isNameless ? walk.open[0] : undefined);
  if (call !== undefined) walk.open = walk.open.filter((other) => other !== call);
  return call;
}

function readNotice(walk: Walk, event: OpenHandsEvent): void {
  const parts =
    event.observation === "recall" ? textParts(recalledKnowledge(event)) : observationOutput(event);
  if (parts.length > 0) push(walk, event, { role: "user", kind: "injected", parts });
}

/** Adds a message that is no result: from here on no call can join the last reply. */
function push(walk: Walk, event: OpenHandsEvent, message: Message): void {
  walk.reply = undefined;
  if (message.parts.length > 0) walk.messages.push(withTime(message, event));
}

function withTime(message: Message, event: OpenHandsEvent): Message {
  const time = eventTime(event);
  return time === undefined ? message : { ...message, time };
}

const count = z.number().nonnegative().optional().catch(undefined);

/** What the model answered, in the form of an OpenAI chat completion. */
const reply = z.looseObject({
  id: z.string().optional().catch(undefined),
  model: z.string().optional().catch(undefined),
  choices: z.array(
    z.looseObject({
      message: z.looseObject({
        content: z.unknown().optional(),
        reasoning_content: z.string().optional().catch(undefined),
        tool_calls: z.array(z.unknown()).optional().catch(undefined),
      }),
    }),
  ),
  usage: z
    .looseObject({
      prompt_tokens: count,
      completion_tokens: count,
      prompt_tokens_details: z.looseObject({ cached_tokens: count }).optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
});

/** The model's reply that an action came from. */
interface Reply {
  readonly id?: string;
  readonly model?: string;
  /** Its reasoning and text, without the calls. */
  readonly parts: readonly Part[];
  readonly usage?: Usage;
}

/** The reply behind an action; made from its `thought` where the file does not keep replies. */
export function replyOf({ args, tool_call_metadata }: OpenHandsEvent): Reply {
  const { data } = reply.safeParse(tool_call_metadata?.model_response);
  const message = data?.choices[0]?.message;
  if (data === undefined || message === undefined) {
    return { parts: typeof args["thought"] === "string" ? textParts(args["thought"]) : [] };
  }
  const usage = usageOf(data.usage);
  return {
    id: data.id,
    model: data.model,
    usage,
    parts: [...reasoning(message.reasoning_content), ...contentParts(message.content)],
  };
}

const functionCall = z.looseObject({
  id: z.string(),
  function: z.looseObject({ name: z.string(), arguments: z.unknown().optional() }),
});

/** A call's arguments as the model gave them; the file's `args` have defaults filled in. */
function callInput({ args, tool_call_metadata }: OpenHandsEvent): unknown {
  const { data } = reply.safeParse(tool_call_metadata?.model_response);
  for (const value of data?.choices[0]?.message.tool_calls ?? []) {
    const call = functionCall.safeParse(value).data;
    if (call?.id === tool_call_metadata?.tool_call_id)
      return parseInput(call?.function.arguments ?? {});
  }
  const { thought: _thought, ...input } = args;
  return input;
}

function reasoning(text: string | undefined): Part[] {
  return text === undefined || text === "" ? [] : [{ type: "reasoning", text }];
}

function usageOf(usage: z.infer<typeof reply>["usage"]): Usage | undefined {
  if (usage?.prompt_tokens === undefined) return undefined;
  const cacheRead = usage.prompt_tokens_details?.cached_tokens ?? 0;
  return {
    input: Math.max(0, usage.prompt_tokens - cacheRead),
    output: usage.completion_tokens ?? 0,
    ...(cacheRead > 0 ? { cacheRead } : {}),
  };
}

/**
 * What an observation told the model: its content, for a command with what the shell noted around
 * it (the exit code is there), and the screenshots that came with it.
 */
function observationOutput({ content, extras }: OpenHandsEvent): OutputPart[] {
  const shell = isRecord(extras["metadata"]) ? extras["metadata"] : {};
  const { prefix, suffix } = shell;
  const whole =
    typeof content === "string" ? `${asText(prefix)}${content}${asText(suffix)}` : content;
  return [...contentParts(whole), ...imageList(extras["image_urls"])];
}

/** Beside the output; -1 stands for a command that still runs. */
function exitCodeOf({ extras }: OpenHandsEvent): number | undefined {
  const shell = isRecord(extras["metadata"]) ? extras["metadata"] : {};
  const code = shell["exit_code"] ?? extras["exit_code"];
  return typeof code === "number" && code !== -1 ? code : undefined;
}

/** Images by their addresses, as messages and observations list them. */
function imageList(urls: unknown): OutputPart[] {
  if (!Array.isArray(urls)) return [];
  return urls.flatMap((url: unknown) => (typeof url === "string" ? [imagePart(url)] : []));
}

/**
 * The knowledge that a `recall` brought into the conversation, as text; empty when it found none.
 * The file has its fields and not the words in which OpenHands put them.
 */
function recalledKnowledge({ extras }: OpenHandsEvent): string {
  const { repo_name, repo_directory, repo_instructions, runtime_hosts } = extras;
  const { additional_agent_instructions, date, microagent_knowledge } = extras;
  const hosts = isRecord(runtime_hosts) ? Object.keys(runtime_hosts).join(", ") : "";
  const facts = [
    labelled(
      "Repository",
      [asText(repo_name), asText(repo_directory)].filter(Boolean).join(" in "),
    ),
    labelled("Hosts", hosts),
    labelled("Date", asText(date)),
    asText(repo_instructions),
    asText(additional_agent_instructions),
    ...(Array.isArray(microagent_knowledge) ? microagent_knowledge.map(knowledge) : []),
  ];
  return facts.filter(Boolean).join("\n\n");
}

function knowledge(value: unknown): string {
  return isRecord(value) ? asText(value["content"]) : "";
}

function labelled(label: string, value: string): string {
  return value === "" ? "" : `${label}: ${value}`;
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}
