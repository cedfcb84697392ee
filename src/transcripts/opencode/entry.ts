import {
  totalUsage,
  type FilePart,
  type Message,
  type Part,
  type Source,
  type ToolCallPart,
  type ToolResultPart,
  type Usage,
} from "../../core/message/message.ts";
import { type Fields, fieldsOf } from "../../core/text/json.ts";
import { parseDataUrl } from "../../dialects/files.ts";
import { numberOf } from "../../dialects/wire.ts";
import type { CallPairing } from "../call-pairing.ts";
import { reportedUsage, resultOf, saying, textParts, UNKNOWN_TYPE } from "../content.ts";
import { number, record, records, text } from "../lenient.ts";
import type { ContextSample, RequestUsage } from "../transcript.ts";

export interface Entry {
  readonly id?: string;
  /** As the model was sent it; several when injected text or more than one step is in it. */
  readonly messages: readonly Message[];
  /** False for a failed reply that left nothing to send. */
  readonly sent: boolean;
  /** On the user message that asks for a compaction. */
  readonly marker?: { readonly tailStartId?: string };
  /** On an assistant message that is, or should have become, a summary. */
  readonly isSummary: boolean;
  readonly summary?: Message;
  /** On one that became it, although the file does not hold its words. */
  readonly isBlank?: boolean;
  readonly answers?: string;
  readonly samples: readonly ContextSample[];
  readonly requests: readonly RequestUsage[];
  readonly model?: string;
  readonly provider?: string;
  /** The system prompt that the person set for this message. */
  readonly instructions?: string;
}

type Stamp = Pick<Message, "id" | "time">;

/** `undefined` for what is no message of a user or an assistant. */
export function decodeEntry(value: unknown, calls: CallPairing): Entry | undefined {
  const native = fieldsOf(value);
  const info = fieldsOf(native["info"]);
  const parts = records(native["parts"]);
  const stamp = { id: text(info["id"]), time: number(fieldsOf(info["time"])["created"]) };
  if (info["role"] === "user") return decodeUser(info, parts, stamp);
  return info["role"] === "assistant" ? decodeAssistant(info, parts, stamp, calls) : undefined;
}

function decodeUser(info: Fields, parts: readonly Fields[], stamp: Stamp): Entry {
  const marker = parts.find(({ type }) => type === "compaction");
  return {
    id: stamp.id,
    instructions: text(info["system"]),
    isSummary: false,
    samples: [],
    requests: [],
    sent: true,
    messages: marker === undefined ? userMessages(parts, stamp) : [],
    marker: marker && { tailStartId: text(marker["tail_start_id"]) },
  };
}

/**
 * The input of the person in one message, and in others what opencode added before and after it: the
 * reminder of a mode stands where it was sent.
 */
function userMessages(natives: readonly Fields[], stamp: Stamp): readonly Message[] {
  const typed: Part[] = [];
  const before: Part[] = [];
  const after: Part[] = [];
  const injected = (): Part[] => (typed.length === 0 ? before : after);
  let last = typed;
  for (const part of natives) {
    const said = saidIn(part);
    if (said.length > 0) {
      last = part["synthetic"] === true ? injected() : typed;
      last.push(...said);
    } else if (part["type"] === "subtask") injected().push(...textParts(subtaskText(part)));
    else if (part["type"] === "file") last.push(...decodeFile(part));
  }
  const messages = saying(stamp, [
    { role: "user", parts: before, kind: "injected" },
    { role: "user", parts: typed },
    { role: "user", parts: after, kind: "injected" },
  ]);
  const goesOn = natives.some((part) => fieldsOf(part["metadata"])["compaction_continue"] === true);
  return goesOn && typed.length === 0 ? messages.map(asContinuation) : messages;
}

/** A text that is sent; an ignored one is for the screen. */
function saidIn(native: Fields): Part[] {
  const { type, ignored, text: said } = native;
  if (type !== "text" || ignored === true) return [];
  return textParts(said).map((part) => ({ ...part, source: sourceOf(native) }));
}

/** Parts keep what they were, so that an edit of one leaves the others as they are. */
function sourceOf(value: Fields): Source {
  return { dialect: "opencode", value };
}

/** The work of a subtask and its answer are in the `task` call that follows. */
function subtaskText({ command, description }: Fields): string {
  const name = typeof command === "string" ? `the command /${command}` : "a task";
  return `The user ran ${name}: ${text(description) ?? "no description"}`;
}

/** An injected message that tells the agent to go on after a compaction. */
export function asContinuation(message: Message): Message {
  return { ...message, kind: "continuation", metadata: { compaction_continue: true } };
}

/** A step of an assistant message: opencode may write several into one. */
interface Step {
  readonly parts: Part[];
  readonly results: Part[];
  tokens?: Fields;
}

function decodeAssistant(
  info: Fields,
  parts: readonly Fields[],
  stamp: Stamp,
  calls: CallPairing,
): Entry {
  calls.startStep();
  const steps = splitSteps(parts, calls);
  const last = steps.at(-1);
  if (last !== undefined) last.tokens ??= record(info["tokens"]);
  const usages = steps.map(({ tokens }) => tokens && usageOf(tokens));
  const messages = saying(
    stamp,
    steps.flatMap((step, at): Message[] => [
      { role: "assistant", parts: step.parts, usage: usages[at] },
      { role: "tool", parts: step.results },
    ]),
  );
  return {
    id: stamp.id,
    messages,
    sent: record(info["error"]) === undefined || isAbortedWithContent(info, messages),
    isSummary: info["summary"] === true,
    ...summaryOf(info, messages, stamp),
    answers: text(info["parentID"]),
    samples: usages.flatMap((usage) =>
      usage === undefined ? [] : [{ time: stamp.time, tokens: totalUsage(usage) }],
    ),
    requests: requestsIn(info, usages, stamp.time),
    model: text(info["modelID"]),
    provider: text(info["providerID"]),
  };
}

/** opencode reckons what a message cost; its steps share that. */
function requestsIn(
  info: Fields,
  usages: readonly (Usage | undefined)[],
  time: number | undefined,
): RequestUsage[] {
  const reported = usages.filter((usage) => usage !== undefined);
  const cost = number(info["cost"]);
  return reported.map((usage) => ({
    usage,
    time,
    model: text(info["modelID"]),
    cost: cost && cost / reported.length,
  }));
}

function splitSteps(parts: readonly Fields[], calls: CallPairing): Step[] {
  const steps: Step[] = [];
  let step: Step = { parts: [], results: [] };
  const flush = (): void => {
    if (step.parts.length > 0 || step.tokens !== undefined) steps.push(step);
    step = { parts: [], results: [] };
  };
  for (const part of parts) {
    if (part["type"] === "step-start") flush();
    else if (part["type"] === "step-finish") step.tokens = record(part["tokens"]);
    else addToStep(step, part, calls);
  }
  flush();
  return steps;
}

function addToStep(step: Step, native: Fields, calls: CallPairing): void {
  const { type, tool } = native;
  step.parts.push(...saidIn(native));
  if (type === "reasoning") {
    step.parts.push({ type, text: text(native["text"]) ?? "", source: sourceOf(native) });
  }
  if (type !== "tool" || typeof tool !== "string") return;
  const state = fieldsOf(native["state"]);
  const call = calls.open(text(native["callID"]), tool, state["input"] ?? {});
  const source = sourceOf(native);
  step.parts.push({ ...call, source });
  const result = toolResult(call, state);
  if (result !== undefined) step.results.push({ ...result, source });
}

/** A reply that failed is not sent again, except one that the person stopped after it said something. */
function isAbortedWithContent(info: Fields, messages: readonly Message[]): boolean {
  if (fieldsOf(info["error"])["name"] !== "MessageAbortedError") return false;
  return messages.some((message) => message.parts.some((part) => part.type !== "reasoning"));
}

/** A compaction is complete when its reply has finished, has no error, and says something. */
function summaryOf(
  { summary, finish, error }: Fields,
  messages: readonly Message[],
  stamp: Stamp,
): Pick<Entry, "summary" | "isBlank"> {
  const isComplete = summary === true && typeof finish === "string" && record(error) === undefined;
  if (!isComplete) return {};
  const parts = messages.flatMap((message) => message.parts.filter((part) => part.type === "text"));
  if (parts.length === 0) return { isBlank: true };
  return { summary: { ...stamp, role: "user", kind: "summary", parts } };
}

/**
 * opencode counts input without the cache. Whether output holds the reasoning changed over time,
 * so the total decides where there is one.
 */
function usageOf(tokens: Fields): Usage | undefined {
  const { input, output, total, cache } = tokens;
  const { read: cacheRead, write: cacheWrite } = fieldsOf(cache);
  const noCache = numberOf(input);
  const rest = numberOf(total) - noCache - numberOf(cacheRead) - numberOf(cacheWrite);
  const made = Math.max(numberOf(output), rest);
  return reportedUsage({ noCache, cacheRead, cacheWrite, output: made });
}

/** The text that opencode sends in place of an output that it pruned. */
const CLEARED = "[Old tool result content cleared]";

/** The result in the state of a tool part; a pending or running one has none. */
function toolResult(call: ToolCallPart, state: Fields): ToolResultPart | undefined {
  const { status, error } = state;
  const metadata = fieldsOf(state["metadata"]);
  const said = (content: unknown) => ({ type: "text" as const, text: text(content) ?? "" });
  if (status === "error") {
    // A command that the person stopped counts with what it had printed; anything else failed.
    const isStopped = metadata["interrupted"] === true && typeof metadata["output"] === "string";
    if (isStopped) return resultOf(call, { output: [said(metadata["output"])] });
    return resultOf(call, { output: [said(error)], isError: true });
  }
  if (status !== "completed") return undefined;
  const exitCode = number(metadata["exit"]);
  const compacted = number(fieldsOf(state["time"])["compacted"]);
  if (compacted !== undefined) {
    return resultOf(call, { output: [said(CLEARED)], time: { compacted }, exitCode });
  }
  const output = [said(state["output"]), ...records(state["attachments"]).flatMap(decodeFile)];
  return resultOf(call, { output, exitCode, original: originalOf(metadata, state["input"]) });
}

/** The spill file of a truncated output; a truncated read names the file that was read. */
function originalOf({ outputPath, truncated }: Fields, input: unknown): string | undefined {
  return text(outputPath) ?? (truncated === true ? text(fieldsOf(input)["filePath"]) : undefined);
}

/**
 * An attached file, unless it is text or a folder: those are never sent as files, because opencode
 * writes their content into the message as synthetic text.
 */
function decodeFile(native: Fields): FilePart[] {
  const { mime, filename, url } = native;
  const mediaType = text(mime) ?? UNKNOWN_TYPE;
  const isWritten = mediaType === "text/plain" || mediaType === "application/x-directory";
  if (typeof url !== "string" || isWritten) return [];
  const data = parseDataUrl(url)?.data;
  const where = data === undefined ? { url } : { data };
  const source = sourceOf(native);
  return [{ type: "file", mediaType, filename: text(filename), ...where, source }];
}
